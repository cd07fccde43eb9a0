"""Hold to talk at the desk: what is issued, what is said, and what ↑ takes back."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.core.commands import BeginListening, Command, EndListening, StopTurn, Submit
from app.core.errors import Problem, ProblemKind
from app.core.ids import ConversationId, MessageId
from app.core.messages import Draft, Intent, OrderKind, Origin
from app.core.settings import Settings
from app.core.voice import (
    ChooseMicrophone,
    ChooseSpeech,
    ClipLanded,
    PressTalk,
    VoiceChanged,
    VoiceCommand,
    VoiceHeard,
    VoicePhase,
    VoiceReady,
)
from app.ui.composer.composer import Composer
from app.ui.desk import Desk
from app.ui.theme import LIGHT
from app.ui.voice.talking import Talking
from tests.ui.clocks import HandClock


class Scene:
    """A desk, a composer and a microphone that says what the test wants."""

    def __init__(self, qtbot: QtBot) -> None:
        self._parent = QObject()
        self.clock = HandClock()
        self.desk = Desk(clock=self.clock, parent=self._parent)
        self.composer = Composer(clock=self.clock, theme=LIGHT, settings=Settings())
        qtbot.addWidget(self.composer)
        self.talking = Talking(
            desk=self.desk,
            composer=self.composer,
            clock=self.clock,
            theme=LIGHT,
            parent=self._parent,
        )
        qtbot.addWidget(self.talking.bar)
        self.commands: list[Command] = []
        self.wishes: list[VoiceCommand] = []
        self.desk.command_issued.connect(self.commands.append)
        self.talking.command_issued.connect(self.wishes.append)
        self.desk.new()
        self.commands.clear()

    def phase(self, phase: VoicePhase) -> None:
        self.talking.apply(VoiceChanged(phase=phase))

    def press(self) -> ConversationId:
        self.talking.desk.press()
        self.phase(VoicePhase.ARMING)
        (pressed,) = [wish for wish in self.wishes if isinstance(wish, PressTalk)]
        return pressed.conversation_id

    def hear(self, text: str, where: ConversationId | None = None) -> None:
        self.talking.apply(
            VoiceHeard(
                clip_id=MessageId("clip"),
                conversation_id=where or self.desk.state.id,
                text=text,
                is_sure=True,
            )
        )

    @property
    def submitted(self) -> list[Submit]:
        return [command for command in self.commands if isinstance(command, Submit)]


@pytest.fixture
def scene(qtbot: QtBot) -> Scene:
    """Give a person at a desk."""
    return Scene(qtbot)


def test_words_are_submitted_before_what_waits_may_go_on(scene: Scene) -> None:
    scene.press()
    scene.phase(VoicePhase.LISTENING)
    scene.phase(VoicePhase.FINALISING)
    scene.hear("Make it shorter.")
    scene.phase(VoicePhase.IDLE)
    assert [type(command) for command in scene.commands] == [BeginListening, Submit, EndListening]
    (sent,) = scene.submitted
    assert (sent.order.id, sent.order.origin) == ("clip", Origin.SPOKEN)
    assert not any(isinstance(wish, ClipLanded) for wish in scene.wishes)  # not on disk yet


@pytest.mark.parametrize("intent", [Intent.REDIRECT, Intent.QUEUE, Intent.STEER])
def test_words_are_sent_as_the_person_set_it(scene: Scene, intent: Intent) -> None:
    scene.talking.set_settings(replace(Settings(), spoken_intent=intent))
    scene.hear("Make it shorter.")
    (sent,) = scene.submitted
    assert sent.intent is intent


def test_what_is_being_fixed_can_be_said_again(scene: Scene) -> None:
    scene.hear("Make it shorten.")
    QTest.keyClick(scene.composer.box, Qt.Key.Key_Up)
    scene.hear("Make it shorter.")
    assert scene.composer.box.toPlainText() == "Make it shorter."
    assert scene.composer.is_fixing
    assert len(scene.submitted) == 1


def test_what_was_just_heard_can_be_fixed_with_up(scene: Scene) -> None:
    scene.hear("Make it shorten.")
    assert scene.talking.bar.text == "Heard · ↑ to fix"
    QTest.keyClick(scene.composer.box, Qt.Key.Key_Up)
    assert scene.composer.box.textCursor().selectedText() == "Make it shorten."
    QTest.keyClicks(scene.composer.box, "Make it shorter.")
    QTest.keyClick(scene.composer.box, Qt.Key.Key_Return)
    *_, fixed = scene.commands
    assert scene.composer.box.toPlainText() == ""
    assert not scene.composer.is_fixing
    # It still waits to be saved: its own words change, and nothing is sent twice.
    assert getattr(fixed, "text", None) == "Make it shorter."
    assert len(scene.submitted) == 1


def test_a_fix_of_what_is_being_answered_is_a_branch(scene: Scene) -> None:
    scene.desk.fix(MessageId("in the history"), "Make it shorter.")
    (sent,) = scene.submitted
    assert (sent.order.kind, sent.order.target) == (OrderKind.EDIT, "in the history")


def test_leaving_a_fix_leaves_the_message(scene: Scene) -> None:
    scene.hear("Make it shorter.")
    QTest.keyClick(scene.composer.box, Qt.Key.Key_Up)
    scene.composer.leave_fix()
    assert scene.composer.box.toPlainText() == ""
    assert len(scene.submitted) == 1


def test_after_ten_seconds_up_no_longer_fixes(scene: Scene) -> None:
    scene.hear("Make it shorter.")
    scene.clock.pass_s(10.1)
    scene.talking.desk.tick()
    assert scene.talking.bar.text == ""
    QTest.keyClick(scene.composer.box, Qt.Key.Key_Up)
    assert not scene.composer.is_fixing


def test_words_go_where_they_were_spoken_and_say_so(scene: Scene) -> None:
    spoken_to = scene.press()
    scene.desk.note_titles({spoken_to: "Lisbon"})
    scene.desk.new()
    opened: list[ConversationId] = []
    scene.talking.open_wished.connect(opened.append)
    scene.hear("Make it shorter.", spoken_to)
    scene.phase(VoicePhase.IDLE)
    assert scene.submitted[0].conversation_id == spoken_to
    assert scene.talking.bar.text == "Sent to Lisbon"
    scene.talking.bar.open.click()
    assert opened == [spoken_to]


def test_a_spoken_stop_stops_the_conversation_it_was_spoken_to(scene: Scene) -> None:
    spoken_to = scene.press()
    scene.desk.send("Tell me everything.", Intent.REDIRECT)
    scene.desk.new()
    scene.desk.send("Something else.", Intent.REDIRECT)
    scene.hear("Stop.", spoken_to)
    stopped = [command for command in scene.commands if isinstance(command, StopTurn)]
    assert [command.conversation_id for command in stopped] == [spoken_to]


def test_words_for_a_deleted_conversation_come_to_the_page(scene: Scene) -> None:
    spoken_to = scene.press()
    scene.desk.delete(spoken_to)
    scene.hear("Make it shorter.", spoken_to)
    assert scene.submitted == []
    assert scene.composer.box.toPlainText() == "Make it shorter."


def test_words_that_a_crash_left_come_to_the_page_if_their_conversation_is_lost(
    scene: Scene,
) -> None:
    scene.hear("Make it shorter.", ConversationId("never kept"))
    assert scene.submitted == []
    assert scene.composer.box.toPlainText() == "Make it shorter."


def test_words_that_join_a_draft_elsewhere_say_where(scene: Scene) -> None:
    spoken_to = scene.press()
    scene.desk.note_draft(Draft(text="Please:", cursor=7))
    scene.desk.note_titles({spoken_to: "Lisbon"})
    scene.desk.new()
    scene.hear("Make it shorter.", spoken_to)
    assert scene.submitted == []
    assert scene.talking.bar.text == "Added to Lisbon"


def test_the_button_says_why_it_will_not_do(scene: Scene) -> None:
    missing = Problem(kind=ProblemKind.MICROPHONE_MISSING)
    scene.talking.apply(VoiceReady(microphones=(), problem=missing))
    assert scene.composer.mic.toolTip() == "There is no microphone. Connect one, then try again."
    scene.talking.apply(VoiceReady(microphones=("one",)))
    assert scene.composer.mic.toolTip() == "Hold to talk, or hold F9"


def test_only_what_changed_is_chosen_anew(scene: Scene) -> None:
    first = Settings()
    scene.talking.set_settings(first)
    assert scene.wishes == []
    scene.talking.set_settings(replace(first, microphone="desk mic"))
    scene.talking.set_settings(replace(first, microphone="desk mic", speech_language="de"))
    assert scene.wishes == [
        ChooseMicrophone(device="desk mic"),
        ChooseSpeech(language="de", folder=""),
    ]
