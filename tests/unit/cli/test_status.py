"""The status line in a terminal: harmless, with the way to stop, and nothing at rest."""

from app.cli.status import line
from app.core.events import RequestSent, Stopped, StopReason, TurnEnded, TurnStarted
from app.core.ids import ConversationId, TurnId
from app.core.status import Phase, Status, advanced, entered

CHAT, TURN = ConversationId("c"), TurnId("t")
STARTED = TurnStarted(conversation_id=CHAT, turn_id=TURN, epoch=1, model="m1")
STOPPED = Stopped(reason=StopReason.PERSON, closed_in_s=0.001)


def test_the_line_says_how_to_stop_as_long_as_there_is_something_to_stop() -> None:
    running = advanced(Status(), STARTED, 0.0)
    stopping = entered(running, Phase.STOPPING, 2.0)
    ended = TurnEnded(conversation_id=CHAT, turn_id=TURN, epoch=1, outcome=STOPPED)
    assert line(running, 2.0) == "Connecting to m1… 2 s · Ctrl-C to stop"
    assert line(stopping, 3.0) == "Stopping…"
    assert line(advanced(stopping, ended, 3.0), 3.0) == ""


def test_a_name_from_the_server_cannot_command_the_terminal() -> None:
    evil = RequestSent(conversation_id=CHAT, turn_id=TURN, model="\x1b[2J{when}")
    waiting = advanced(advanced(Status(), STARTED, 0.0), evil, 0.0)
    assert line(waiting, 0.5) == "Waiting for ␛[2J{when}… · Ctrl-C to stop"
