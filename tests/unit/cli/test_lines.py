"""The chat over plain lines: what a script pipes in, and what a person types into a pipe."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.agent.agent import Agent
from app.agent.provider import TextChunk
from app.agent.providers.fake import Gate, ScriptedProvider
from app.agent.sessions import Sessions
from app.agent.tools.tool import Toolbox
from app.cli.chat.chat import Chat
from app.cli.chat.lines import Lines
from app.cli.chat.splitting import LineSplitter
from app.cli.outlet import Outlet, Stream
from app.core.commands import Command
from app.main.clock import SystemClock
from tests.fakes.stores import open_store
from tests.harness.loops import play


class Desk:
    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def handle(self, command: Command) -> None:
        self._sessions.handle(command)


class Piped:
    """A chat between two pipes."""

    def __init__(self, provider: ScriptedProvider) -> None:
        self.provider = provider
        read_end, self._typing = os.pipe()
        self._shown, write_end = os.pipe()
        self._stdin = os.fdopen(read_end, encoding="utf-8")
        self._stdout = os.fdopen(write_end, "w", encoding="utf-8")
        outlet = Outlet(out=Stream(self._stdout), err=Stream(None))
        self.face = Lines(outlet=outlet, stdin=self._stdin, echoes=True)
        self.chat = Chat(self.face)

    def type(self, text: str) -> None:
        os.write(self._typing, text.encode())

    def end_input(self) -> None:
        os.close(self._typing)

    def output(self) -> str:
        """Close the streams and give everything that was shown."""
        self._stdout.close()
        self._stdin.close()
        with os.fdopen(self._shown, encoding="utf-8") as shown:
            return shown.read()


@asynccontextmanager
async def talking(home: Path, provider: ScriptedProvider) -> AsyncIterator[Piped]:
    """Run a chat until its input ends and everything is answered."""
    piped = Piped(provider)
    with open_store(home / "belay.db") as store:
        sessions = Sessions(
            store=store,
            make_agent=lambda _: Agent(provider=provider, toolbox=Toolbox()),
            emit=piped.chat.heard,
            clock=SystemClock(),
        )
        running = asyncio.create_task(piped.chat.run(Desk(sessions)))
        yield piped
        await piped.chat.finish(await running)
        await sessions.quit()


def test_lines_that_arrive_together_are_answered_one_after_the_other(belay_home: Path) -> None:
    async def scenario() -> str:
        async with talking(belay_home, ScriptedProvider()) as piped:
            piped.type("one\ntwo\nthree")
            piped.end_input()
        return piped.output()

    assert play(scenario()) == (
        "> one\nYou wrote: one\n\n> two\nYou wrote: two\n\n> three\nYou wrote: three\n"
    )


def test_a_line_that_arrives_while_it_writes_redirects(belay_home: Path) -> None:
    async def scenario() -> str:
        gate = Gate()
        provider = ScriptedProvider([TextChunk(text="Wrong"), gate])
        async with talking(belay_home, provider) as piped:
            piped.type("one\n")
            await gate.reached.wait()
            piped.type("two\n")
            piped.end_input()
        return piped.output()

    assert play(scenario()) == "> one\nWrong\n\n> two\nYou wrote: two\n"


def test_quit_behind_a_question_waits_for_its_answer(belay_home: Path) -> None:
    async def scenario() -> str:
        async with talking(belay_home, ScriptedProvider()) as piped:
            piped.type("one\n/quit\nnever\n")
        piped.end_input()
        return piped.output()

    assert play(scenario()) == "> one\nYou wrote: one\n"


def test_ctrl_c_drops_the_lines_that_were_not_taken(belay_home: Path) -> None:
    async def scenario() -> tuple[str, int]:
        gate = Gate()
        provider = ScriptedProvider([TextChunk(text="Partly"), gate])
        async with talking(belay_home, provider) as piped:
            piped.type("one\ntwo\nthree\n")
            await gate.reached.wait()
            piped.chat.interrupt()
            piped.end_input()
        return piped.output(), len(provider.requests)

    assert play(scenario()) == ("> one\nPartly\n", 1)


def test_an_input_that_ends_at_once_ends_the_chat(belay_home: Path) -> None:
    async def scenario() -> str:
        async with talking(belay_home, ScriptedProvider()) as piped:
            piped.end_input()
        return piped.output()

    assert play(scenario()) == ""


def test_a_character_split_over_two_chunks_is_one_character() -> None:
    splitter = LineSplitter()
    chunks = ("one\r\nzwö".encode()[:-1], "ö\n".encode()[1:], b"")
    assert [(splitter.feed(chunk), splitter.is_mid_line) for chunk in chunks] == [
        (["one"], True),
        (["zwö"], False),
        ([], False),
    ]


def test_a_last_line_without_an_end_is_a_line() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"one\ntwo") == ["one"]
    assert splitter.feed(b"") == ["two"]
