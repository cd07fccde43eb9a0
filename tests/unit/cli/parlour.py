"""A chat over the real sessions and a real store, with a face that only remembers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from app.agent.agent import Agent
from app.agent.providers.fake import ScriptedProvider
from app.agent.sessions import Sessions
from app.agent.tools.tool import Tool, Toolbox
from app.cli.chat.chat import Chat
from app.cli.chat.face import Listener
from app.core.commands import Command
from app.main.clock import SystemClock
from tests.fakes.stores import open_store
from tests.harness.loops import LIMIT_S


@dataclass
class MemoryFace:
    """Remembers everything it is shown, as one text, with a sign for who spoke."""

    shows_waiting: bool = False
    text: str = ""
    hints: list[str] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, listener: Listener) -> None:
        await self.left.wait()

    def leave(self) -> None:
        self.left.set()

    def write(self, text: str) -> None:
        self._add(text)

    def question(self, text: str) -> None:
        self._add(f"\n> {text}\n")

    def tell(self, text: str) -> None:
        self._add(f"\n{text}\n")

    def remark(self, text: str, *, is_trouble: bool = False) -> None:
        self._add(f"\n{'!' if is_trouble else '·'} {text}\n")

    def hint(self, text: str) -> None:
        self.hints.append(text)
        self.changed.set()

    def refresh(self) -> None:
        self.changed.set()

    def drop_input(self) -> None:
        """Nothing is read ahead."""

    async def finish(self) -> None:
        """Nothing is left to write."""

    def _add(self, text: str) -> None:
        self.text += text
        self.changed.set()


class Parlour:
    """The chat at work: type, wait, look."""

    def __init__(self, chat: Chat, face: MemoryFace, provider: ScriptedProvider) -> None:
        self.chat = chat
        self.face = face
        self.provider = provider

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until something holds, looking whenever the chat shows something."""
        async with asyncio.timeout(LIMIT_S):
            while not holds():
                self.face.changed.clear()
                await self.face.changed.wait()

    async def shown(self, text: str) -> None:
        """Wait until this was shown."""
        try:
            await self.until(lambda: text in self.face.text)
        except TimeoutError:
            raise AssertionError(f"{text!r} is not in {self.face.text!r}") from None

    async def rest(self) -> None:
        """Wait until nothing runs."""
        await self.until(lambda: not self.chat.is_busy)

    async def listed(self, *titles: str) -> None:
        """Wait until the list is this."""
        await self.until(lambda: tuple(c.title for c in self.chat.conversations) == titles)

    async def talk(self, line: str) -> None:
        """Type a line and wait until it is answered."""
        self.chat.typed(line)
        await self.rest()


class _Desk:
    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def handle(self, command: Command) -> None:
        self._sessions.handle(command)


@asynccontextmanager
async def parlour(home: Path, provider: ScriptedProvider, *tools: Tool) -> AsyncIterator[Parlour]:
    """Open a chat on a store in this folder."""
    face = MemoryFace()
    chat = Chat(face)
    with open_store(home / "belay.db") as store:
        sessions = Sessions(
            store=store,
            make_agent=lambda _: Agent(provider=provider, toolbox=Toolbox(tools)),
            emit=chat.heard,
            clock=SystemClock(),
        )
        sessions.list_conversations()
        running = asyncio.create_task(chat.run(_Desk(sessions)))
        await asyncio.sleep(0)
        yield Parlour(chat, face, provider)
        chat.quit()
        await running
        await sessions.quit()
