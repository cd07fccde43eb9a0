"""Settings → Voice: what it offers, what it tells, and that it never listens on."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import Problem, ProblemKind
from app.core.messages import Intent
from app.core.settings import Settings
from app.core.voice import LookForMicrophones, TryMicrophone, VoiceCommand, VoiceReady
from app.ui.settings.page import ChoiceBox
from app.ui.settings.voice import VoicePage


class Scene:
    """The page, with everything it told."""

    def __init__(self, qtbot: QtBot) -> None:
        self.page = VoicePage()
        qtbot.addWidget(self.page)
        self.changes: list[Settings] = []
        self.wishes: list[VoiceCommand] = []
        self.page.changed.connect(self.changes.append)
        self.page.command_issued.connect(self.wishes.append)
        self.page.show_settings(Settings())

    def choose(self, box: ChoiceBox, value: object) -> None:
        index = box.findData(value)
        assert index >= 0
        box.setCurrentIndex(index)
        box.activated.emit(index)


@pytest.fixture
def scene(qtbot: QtBot) -> Scene:
    """Give the page."""
    return Scene(qtbot)


def test_it_looks_for_microphones_whenever_it_is_shown(scene: Scene) -> None:
    for _ in range(2):
        scene.page.show()
        scene.page.hide()
    assert scene.wishes == [LookForMicrophones(), LookForMicrophones()]


def test_what_was_chosen_is_told_whole(scene: Scene) -> None:
    scene.page.show_ready(VoiceReady(microphones=("Desk", "Headset")))
    scene.choose(scene.page.microphone, "Headset")
    scene.choose(scene.page.language, "de")
    scene.choose(scene.page.intent, Intent.QUEUE)
    assert scene.changes[-1] == replace(
        Settings(), microphone="Headset", speech_language="de", spoken_intent=Intent.QUEUE
    )


def test_a_chosen_microphone_that_is_unplugged_stays_chosen(scene: Scene) -> None:
    scene.page.show_settings(replace(Settings(), microphone="Headset"))
    scene.page.show_ready(VoiceReady(microphones=("Desk",)))
    assert scene.page.microphone.currentData() == "Headset"
    assert scene.changes == []


def test_a_trial_shows_the_level_and_ends_with_the_page(scene: Scene) -> None:
    scene.page.show()
    scene.page.show_level(-10)
    assert scene.page.level.value() <= 0
    scene.page.try_it.click()
    scene.page.show_level(-10)
    assert scene.page.level.value() == 50
    scene.page.hide()
    assert scene.wishes[-2:] == [TryMicrophone(is_on=True), TryMicrophone(is_on=False)]
    assert scene.page.try_it.text() == "Try it"


def test_a_trial_that_the_person_ends_is_played_back(scene: Scene) -> None:
    scene.page.show()
    scene.page.try_it.click()
    assert scene.page.try_it.text() == "Stop and play it back"
    scene.page.try_it.click()
    assert scene.wishes[-1] == TryMicrophone(is_on=False, play=True)


def test_a_microphone_that_is_plugged_in_appears_while_the_page_is_open(
    scene: Scene, qtbot: QtBot
) -> None:
    scene.page._looking.setInterval(1)
    scene.page.show()
    qtbot.waitUntil(lambda: len(scene.wishes) > 2, timeout=60_000)
    scene.page.show_ready(VoiceReady(microphones=("Desk",)))
    scene.page.show_ready(VoiceReady(microphones=("Desk", "Headset")))
    assert scene.page.microphone.findData("Headset") > 0
    scene.page.hide()
    before = len(scene.wishes)
    qtbot.wait(20)
    assert len(scene.wishes) == before


def test_the_key_and_the_sound_can_be_chosen(scene: Scene) -> None:
    scene.choose(scene.page.key, "F8")
    scene.page.sound.click()
    assert (scene.changes[-1].talk_key, scene.changes[-1].talk_sound) == ("F8", False)


def test_a_folder_without_a_model_is_refused_in_a_sentence(scene: Scene, tmp_path: Path) -> None:
    scene.page.use_folder(str(tmp_path))
    assert scene.changes == []
    assert scene.page.problem.text() == "There is no model.bin in that folder. Choose another."
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (tmp_path / name).touch()
    scene.page.use_folder(str(tmp_path))
    assert scene.changes[-1].speech_model == str(tmp_path)
    scene.page.use_folder("")
    assert scene.changes[-1].speech_model == ""


def test_what_stands_in_the_way_is_said(scene: Scene) -> None:
    missing = Problem(kind=ProblemKind.SPEECH_MISSING)
    scene.page.show_ready(VoiceReady(microphones=(), problem=missing))
    assert "speech model is not installed" in scene.page.problem.text()


def test_every_language_has_a_name_and_is_listed_once(scene: Scene) -> None:
    box = scene.page.language
    codes = [box.itemData(index) for index in range(box.count())]
    assert len(codes) == len(set(codes)) > 90
    assert "Deutsch (de)" in [box.itemText(index) for index in range(box.count())]
