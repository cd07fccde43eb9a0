"""Voice: which microphone, how loud it is, which language, what a release does, which model.

The microphones' names come from outside every few seconds while the page is shown, so that one
just plugged in is there. A trial opens the microphone, lets the person hear how it was, and ends
with the page.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QLocale, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QFileDialog, QHBoxLayout, QWidget

from app.core.languages import SPOKEN
from app.core.messages import Intent
from app.core.settings import Settings
from app.core.voice import LookForMicrophones, TryMicrophone, VoiceReady
from app.core.wording import sentence
from app.ui.buttons import push_button
from app.ui.labels import plain
from app.ui.settings.page import ChoiceBox, Page
from app.ui.voice.level_bar import LevelBar
from app.ui.voice.talk_keys import TALK_KEYS, known_name

_INTENTS = {
    "Redirect: stop, answer this instead": Intent.REDIRECT,
    "Queue: send after this answer": Intent.QUEUE,
    "Steer: pass it on at the next step": Intent.STEER,
}
_SYSTEM_MICROPHONE = "System default"
_SYSTEM_LANGUAGE = "Like the system"
_OWN_MODEL = (
    "Belay writes words down with a small Whisper model that came with it. A larger one in "
    "CTranslate2 form understands more and takes longer; choose the folder with its model.bin."
)
_NEEDED = ("model.bin", "config.json", "tokenizer.json")
_TRY = "Try it"
_PLAY = "Stop and play it back"
_LOOK_MS = 3000


class VoicePage(Page):
    """Everything about talking."""

    title = "Voice"
    command_issued = Signal(object)  # a VoiceCommand

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = Settings()
        self.microphone = ChoiceBox()
        self.level = LevelBar()
        self.try_it = push_button(_TRY)
        self.language = _choice(_languages())
        self.intent = _choice(_INTENTS)
        self.key = _choice({name: name for name in TALK_KEYS})
        self.sound = QCheckBox("Play a soft sound when it begins to listen")
        self._looking = QTimer(self)
        self._looking.setInterval(_LOOK_MS)
        self.model = push_button("Choose a folder…")
        self.usual = push_button("Use the one that came with Belay")
        self.folder = plain(name="muted")
        self.problem = plain(name="error")
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.try_it.setCheckable(True)
        self.add_field("Microphone", self.microphone)
        self.add(_row(self.try_it, self.level))
        self.add(self.problem)
        self.add_field("Key to hold", self.key)
        self.add(_row(self.sound))
        self.add_field("Language", self.language)
        self.add_field("While it works, letting go means", self.intent)
        explained = plain(_OWN_MODEL, name="muted")
        for label in (explained, self.folder, self.problem):
            label.setWordWrap(True)
        self.add(explained)
        self.add(self.folder)
        self.add(_row(self.model, self.usual))
        self.finish()
        self.problem.hide()

    def _connect(self) -> None:
        for box in (self.microphone, self.language, self.intent, self.key):
            box.activated.connect(self._on_changed)
        self.sound.clicked.connect(self._on_changed)
        self.try_it.toggled.connect(self._on_try)
        self._looking.timeout.connect(self._look)
        self.model.clicked.connect(self._on_choose_folder)
        self.usual.clicked.connect(lambda: self.use_folder(""))

    def show_settings(self, settings: Settings) -> None:
        """Show what is chosen now."""
        self._settings = settings
        self._show_microphones(self._names())
        self.language.choose(settings.speech_language)
        self.intent.choose(settings.spoken_intent)
        self.key.choose(known_name(settings.talk_key))
        self.sound.setChecked(settings.talk_sound)
        self.usual.setVisible(bool(settings.speech_model))
        self.folder.setText(settings.speech_model)
        self.folder.setVisible(bool(settings.speech_model))

    def show_ready(self, ready: VoiceReady) -> None:
        """Offer the microphones there are, and say what is missing."""
        self._show_microphones(ready.microphones)
        self._say(sentence(ready.problem) if ready.problem is not None else "")

    def show_level(self, dbfs: float) -> None:
        """Show how loud it is, while it is tried."""
        if self.try_it.isChecked():
            self.level.show_level(dbfs)

    def use_folder(self, folder: str) -> None:
        """Use a model of the person's own, if it is one; empty for the usual one."""
        missing = [name for name in _NEEDED if folder and not (Path(folder) / name).is_file()]
        self._say(f"There is no {missing[0]} in that folder. Choose another." if missing else "")
        if not missing:
            self._tell(replace(self._settings, speech_model=folder))

    def showEvent(self, event: QShowEvent) -> None:
        """Look for what was plugged in meanwhile."""
        super().showEvent(event)
        self._look()
        self._looking.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """End the trial with the page."""
        super().hideEvent(event)
        self._looking.stop()
        self._end_trial()

    def _look(self) -> None:
        self.command_issued.emit(LookForMicrophones())

    def _names(self) -> tuple[str, ...]:
        listed = (self.microphone.itemData(index) for index in range(self.microphone.count()))
        return tuple(name for name in listed if name)

    def _show_microphones(self, names: tuple[str, ...]) -> None:
        chosen = self._settings.microphone
        listed = names if not chosen or chosen in names else (*names, chosen)
        if listed == self._names() and self.microphone.currentData() == chosen:
            return  # the list may just be open
        self.microphone.clear()
        self.microphone.addItem(_SYSTEM_MICROPHONE, "")
        for name in listed:
            self.microphone.addItem(name, name)
        self.microphone.choose(chosen)

    def _say(self, words: str) -> None:
        self.problem.setText(words)
        self.problem.setVisible(bool(words))

    def _on_try(self, is_on: bool) -> None:
        self.level.setValue(0)
        self.try_it.setText(_PLAY if is_on else _TRY)
        self.command_issued.emit(TryMicrophone(is_on=is_on, play=not is_on))

    def _end_trial(self) -> None:
        """End it without a sound: the person has gone on to something else."""
        if self.try_it.isChecked():
            self.try_it.blockSignals(True)  # noqa: FBT003 - Qt's own signature
            self.try_it.setChecked(False)
            self.try_it.blockSignals(False)  # noqa: FBT003
            self.try_it.setText(_TRY)
            self.level.setValue(0)
            self.command_issued.emit(TryMicrophone(is_on=False))

    def _on_choose_folder(self) -> None:
        dialog = QFileDialog(self, "A Whisper model in CTranslate2 form")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.use_folder)
        dialog.open()

    def _on_changed(self) -> None:
        self._end_trial()
        changed = replace(
            self._settings,
            microphone=str(self.microphone.currentData()),
            speech_language=str(self.language.currentData()),
            spoken_intent=Intent(self.intent.currentData()),
            talk_key=str(self.key.currentData()),
            talk_sound=self.sound.isChecked(),
        )
        self._tell(changed)

    def _tell(self, changed: Settings) -> None:
        if changed != self._settings:
            self.show_settings(changed)
            self.changed.emit(changed)


def _languages() -> dict[str, object]:
    named = {_native_name(code): code for code in SPOKEN}
    return {_SYSTEM_LANGUAGE: "", **dict(sorted(named.items(), key=lambda item: item[0].lower()))}


def _native_name(code: str) -> str:
    """Call a language as its speakers do, or by its code where Qt knows no better."""
    locale = QLocale(code)
    name = locale.nativeLanguageName() if locale.language() != QLocale.Language.C else ""
    return f"{name} ({code})" if name else code


def _choice(values: Mapping[str, object]) -> ChoiceBox:
    box = ChoiceBox()
    for words, value in values.items():
        box.addItem(words, value)
    return box


def _row(*widgets: QWidget) -> QWidget:
    row = QWidget()
    across = QHBoxLayout(row)
    across.setContentsMargins(0, 0, 0, 10)
    for widget in widgets:
        across.addWidget(widget)
    across.addStretch(1)
    return row
