"""The chat: what each line and Ctrl-C do, and what the person is shown of it."""

import asyncio
from pathlib import Path

import pytest

from app.agent.provider import TextChunk
from app.agent.providers.fake import Gate, ScriptedProvider
from app.agent.tools.current_time import CurrentTime
from app.core.errors import Problem, ProblemKind
from app.core.ids import CallId
from app.core.messages import Mark, Role, ToolCallPart, WaitState
from tests.harness.loops import play
from tests.unit.cli.parlour import Parlour, parlour

DEAD = Problem(kind=ProblemKind.UNREACHABLE, params={"host": "nowhere"})


def words(text: str) -> TextChunk:
    return TextChunk(text=text)


def asked(room: Parlour) -> list[list[str]]:
    """List what each request said in the person's name."""
    return [
        [m.text for m in request.messages if m.role is Role.USER]
        for request in room.provider.requests
    ]


def test_a_line_is_answered_below_it(belay_home: Path) -> None:
    async def scenario() -> None:
        async with parlour(belay_home, ScriptedProvider([words("Hello"), words(" you")])) as room:
            await room.talk("Hi")
            assert room.face.text.endswith("\n> Hi\nHello you")

    play(scenario())


def test_ctrl_c_stops_and_keeps_what_was_said(belay_home: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        async with parlour(belay_home, ScriptedProvider([words("Partly"), gate])) as room:
            room.chat.typed("Hi")
            await gate.reached.wait()
            room.chat.interrupt()
            await room.rest()
            assert "\n> Hi\nPartly\n· Stopped · connection closed in" in room.face.text
            assert room.face.text.endswith("ms · /continue · /retry\n")

    play(scenario())


def test_ctrl_c_with_nothing_running_only_hints(belay_home: Path) -> None:
    async def scenario() -> None:
        async with parlour(belay_home, ScriptedProvider()) as room:
            room.chat.interrupt()
            assert room.face.hints == ["Nothing to stop. Ctrl-D or /quit closes Belay."]

    play(scenario())


def test_ctrl_c_between_enter_and_the_start_holds_the_message(belay_home: Path) -> None:
    async def scenario() -> None:
        async with parlour(belay_home, ScriptedProvider()) as room:
            room.chat.typed("Too early")
            room.chat.interrupt()
            await room.rest()
            assert [w.order.text for w in room.chat.waiting] == ["Too early"]
            assert not room.provider.requests
            room.chat.typed("")
            await room.shown("You wrote: Too early")

    play(scenario())


def test_a_line_typed_while_it_works_redirects(belay_home: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        provider = ScriptedProvider([words("Wrong"), gate], [words("Right")])
        async with parlour(belay_home, provider) as room:
            room.chat.typed("First")
            await gate.reached.wait()
            room.chat.typed("Second")
            await room.shown("Right")
            await room.rest()
            assert "Wrong\n· Redirected by you\n\n> Second\nRight" in room.face.text
            assert asked(room)[-1] == ["First", "Second"]

    play(scenario())


def test_a_queued_line_waits_for_the_answer(belay_home: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        provider = ScriptedProvider([words("One"), gate, words("!")], [words("Two")])
        async with parlour(belay_home, provider) as room:
            room.chat.typed("First")
            await gate.reached.wait()
            room.chat.typed("/queue Second")
            await room.until(lambda: room.chat.waiting[0].state is WaitState.WAITING)
            room.chat.typed("/held")
            gate.open()
            await room.shown("Two")
            await room.rest()
            assert "After this answer: Second" in room.face.text
            assert room.face.text.index("One") < room.face.text.index("> Second\nTwo")

    play(scenario())


def test_a_steer_is_passed_on_at_the_next_step(belay_home: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        call = ToolCallPart(call_id=CallId("1"), name="current_time", arguments="{}")
        provider = ScriptedProvider([gate, call], [words("Done")])
        async with parlour(belay_home, provider, CurrentTime()) as room:
            room.chat.typed("First")
            await gate.reached.wait()
            room.chat.typed("/steer Mind this")
            await room.until(lambda: room.chat.waiting[0].state is WaitState.WAITING)
            gate.open()
            await room.shown("Done")
            await room.rest()
            assert "· current_time ran\n\n> Mind this\n\n· Passed on\nDone" in room.face.text

    play(scenario())


def test_stop_holds_what_waits_until_it_is_sent_or_discarded(belay_home: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        async with parlour(belay_home, ScriptedProvider([words("One"), gate])) as room:
            room.chat.typed("First")
            await gate.reached.wait()
            room.chat.typed("/queue Second")
            room.chat.typed("/queue Third")
            room.chat.typed("/stop")
            await room.shown("2 messages held. /send or /discard")
            room.chat.typed("/discard 1")
            assert [w.order.text for w in room.chat.waiting] == ["Third"]
            await room.talk("/send")
            await room.shown("You wrote: Third")
            assert all("Second" not in request for request in asked(room))

    play(scenario())


def test_a_failure_is_a_sentence_and_retry_asks_again(belay_home: Path) -> None:
    async def scenario() -> None:
        async with parlour(belay_home, ScriptedProvider([DEAD], [words("Now")])) as room:
            await room.talk("Hi")
            assert "! nowhere cannot be reached. Check its address, or start it. /retry" in (
                room.face.text
            )
            await room.talk("/retry")
            assert room.face.text.endswith("Now")
            assert asked(room) == [["Hi"], ["Hi"]]

    play(scenario())


def test_a_failure_holds_the_queue_and_says_so(belay_home: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        async with parlour(belay_home, ScriptedProvider([gate, DEAD])) as room:
            room.chat.typed("First")
            await gate.reached.wait()
            room.chat.typed("/queue Second")
            gate.open()
            await room.shown("! nowhere cannot be reached.")
            await room.shown("· 1 message held. /send or /discard")
            assert len(room.provider.requests) == 1

    play(scenario())


def test_continue_goes_on_from_a_stopped_answer(belay_home: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        async with parlour(
            belay_home, ScriptedProvider([words("Half"), gate], [words("whole")])
        ) as room:
            await room.talk("/continue")
            assert room.face.hints == ["No answer here was cut off."]
            room.chat.typed("Hi")
            await gate.reached.wait()
            room.chat.typed("/stop")
            await room.rest()
            await room.talk("/continue")
            assert room.face.text.endswith("whole")
            assert room.provider.requests[-1].messages[-2].text == "Half"

    play(scenario())


def test_a_conversation_can_be_listed_left_and_opened_again(belay_home: Path) -> None:
    async def scenario() -> None:
        async with parlour(belay_home, ScriptedProvider()) as room:
            await room.talk("Remember me")
            await room.talk("/new")
            await room.talk("Something else")
            await room.listed("Something else", "Remember me")
            await room.until(lambda: all(c.mark is Mark.NONE for c in room.chat.conversations))
            room.chat.typed("/list")
            await room.shown("  1  Something else\n  2  Remember me\n")
            room.face.text = ""
            room.chat.typed("/open 2")
            await room.shown("You wrote: Remember me")
            await room.talk("And now?")
            assert asked(room)[-1] == ["Remember me", "And now?"]

    play(scenario())


def test_the_numbers_of_a_list_stay_while_the_list_changes(belay_home: Path) -> None:
    async def scenario() -> None:
        async with parlour(belay_home, ScriptedProvider()) as room:
            await room.talk("Older")
            await room.talk("/new")
            await room.talk("Newer")
            await room.listed("Newer", "Older")
            room.chat.typed("/list")
            await room.talk("/open 2")
            await room.shown("· Older")
            await room.talk("Again")
            await room.listed("Older", "Newer")
            room.chat.typed("/open 2")
            await room.until(lambda: room.face.text.count("· Older") == 2)

    play(scenario())


def test_an_answer_goes_on_in_the_conversation_that_was_left(belay_home: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        async with parlour(belay_home, ScriptedProvider([words("Still"), gate])) as room:
            room.chat.typed("Long")
            await gate.reached.wait()
            await room.listed("Long")
            room.chat.typed("/new")
            assert "The answer goes on in the other conversation" in room.face.text
            assert not room.chat.is_busy
            gate.open()
            await room.shown("· Ended: Long · /list")

    play(scenario())


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("/nonsense", "There is no command /nonsense. Put a space before it to send it."),
        ("/open 9", "There is no number 9. /list shows them."),
        ("/open it", "/open takes a number."),
        ("/send", "Nothing is held."),
        ("/send 3", "There is no number 3. /held shows them."),
        ("/queue", "/queue needs a message."),
        ("/retry", "Nothing was asked here yet."),
        ("/stop now", "/stop stands alone."),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_sent(
    belay_home: Path, line: str, hint: str
) -> None:
    async def scenario() -> None:
        async with parlour(belay_home, ScriptedProvider()) as room:
            room.chat.typed(line)
            assert room.face.hints == [hint]
            assert not room.provider.requests

    play(scenario())


def test_a_space_before_a_slash_makes_it_a_message(belay_home: Path) -> None:
    async def scenario() -> None:
        async with parlour(belay_home, ScriptedProvider()) as room:
            await room.talk(" /etc/passwd")
            assert asked(room) == [["/etc/passwd"]]

    play(scenario())


def test_what_a_model_writes_cannot_command_the_terminal(belay_home: Path) -> None:
    async def scenario() -> None:
        async with parlour(belay_home, ScriptedProvider([words("\x1b]0;owned\x07")])) as room:
            await room.talk("Hi \x1b[2J")
            assert "\x1b" not in room.face.text
            assert room.face.text.endswith("> Hi ␛[2J\n␛]0;owned␇")

    play(scenario())


def test_quit_during_an_answer_leaves_and_keeps_the_partial(belay_home: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        async with parlour(belay_home, ScriptedProvider([words("Partly"), gate])) as room:
            room.chat.typed("Hi")
            await gate.reached.wait()
            room.chat.typed("/quit")
            await asyncio.sleep(0)
            assert room.face.left.is_set()
        async with parlour(belay_home, ScriptedProvider()) as room:
            await room.listed("Hi")
            room.chat.typed("/open 1")
            await room.shown("> Hi\nPartly\nCut off: Belay closed")

    play(scenario())
