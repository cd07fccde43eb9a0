"""What the benchmarks of Stop, redirect and launch share: a server, a window's worth, a report.

The server is a process of its own, so that it takes none of our interpreter's time; on Linux and
macOS its monotonic clock is ours. The services run as in the window: agent thread, real storage,
real HTTP; only the widgets are missing.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, Slot

from app.agent.agent import Agent
from app.agent.providers.build import build_provider
from app.agent.session import LiveTurn
from app.agent.sessions import Sessions
from app.agent.tools.tool import Toolbox
from app.bridge.agent_thread import AgentThread
from app.core.commands import Command, CreateConversation, StopTurn, Submit
from app.core.events import Event, TurnStarted
from app.core.ids import ConversationId, new_message_id
from app.core.messages import Intent, Order, text_parts
from app.core.settings import Endpoint
from app.storage.store import SqliteStore
from tests.fakes.script import Answer, answer_to_json

ROOT = Path(__file__).parent.parent
MODEL = "fake-model"
PATIENCE_S = 20.0  # against hanging


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number and its limit."""

    name: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def holds(self) -> bool:
        """Say whether it is below its limit."""
        return self.limit is None or self.value < self.limit


def percentile(values: Sequence[float], share: float) -> float:
    """Give the value that this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread(
    name: str, seconds: Sequence[float], *, p50_ms: float | None = None, p99_ms: float | None = None
) -> list[Figure]:
    """Boil durations down to their median and their slow end."""
    median, slow = statistics.median(seconds) * 1000, percentile(seconds, 0.99) * 1000
    return [
        Figure(name=f"{name}: p50 of {len(seconds)}", value=median, unit="ms", limit=p50_ms),
        Figure(name=f"{name}: p99", value=slow, unit="ms", limit=p99_ms),
    ]


def report(name: str, figures: Sequence[Figure]) -> int:
    """Print the table, keep it as JSON; 0 if every limit holds."""
    for figure in figures:
        limit = "" if figure.limit is None else f"< {figure.limit:g}"
        verdict = "" if figure.limit is None else ("ok" if figure.holds else "TOO MUCH")
        print(f"{figure.name:<64} {figure.value:>9.3f} {figure.unit:<3} {limit:<8} {verdict}")
    target = ROOT / "bench" / "results" / f"{name}.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps([asdict(figure) for figure in figures], indent=2))
    return 0 if all(figure.holds for figure in figures) else 1


class Server:
    """The fake model server as a process."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        assert process.stdout is not None
        self.url: str = json.loads(process.stdout.readline())["url"]

    def script(self, answer: Answer, times: int = 1) -> None:
        """Queue an answer."""
        self._post("/_script", [answer_to_json(answer)] * times)

    def clear(self) -> None:
        """Forget the requests so far."""
        self._post("/_clear", {})

    def chats(self) -> list[dict[str, Any]]:
        """List the chat requests in order, each with the connection it came on."""
        log = self._post("/_log", {})
        connections = {seen["id"]: seen for seen in log["connections"]}
        return [
            {**request, "connection": connections[request["connection"]]}
            for request in log["requests"]
            if request["path"].endswith("/chat/completions")
        ]

    def _post(self, path: str, body: Any) -> Any:
        request = urllib.request.Request(
            self.url.removesuffix("/v1") + path,
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
            return json.load(response)


@contextmanager
def model_server() -> Iterator[Server]:
    """Run a model server for the length of a `with` block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.server", "--rate", "0"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield Server(process)
    finally:
        process.communicate(timeout=PATIENCE_S)  # the end of its input ends it


class _WallClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


class _Desk:
    def __init__(self, path: Path, urls: Sequence[str], emit: Callable[[Event], None]) -> None:
        self.store = SqliteStore(path, lease="bench", live_leases=lambda: {"bench"})
        endpoints = [Endpoint(base_url=url, model=MODEL) for url in urls]

        def make_agent(_: ConversationId) -> Agent:
            return Agent(provider=build_provider(endpoints, lambda _: None), toolbox=Toolbox())

        self._sessions = Sessions(
            store=self.store, make_agent=make_agent, emit=emit, clock=_WallClock()
        )

    def open(self) -> None:
        self.store.start()

    def handle(self, command: Command) -> None:
        self._sessions.handle(command)

    def live(self, conversation_id: ConversationId) -> LiveTurn | None:
        session = self._sessions.session(conversation_id)
        return session.live if session else None

    async def close(self) -> None:
        await self._sessions.quit()


class Window(QObject):
    """The GUI thread's end: gives commands, hears events, notes when it heard them."""

    def __init__(self, path: Path, *urls: str) -> None:
        super().__init__()
        self.heard: list[tuple[float, Event]] = []
        self.chat = ConversationId("bench")
        self._path = path
        self._urls = urls
        self._desk: _Desk | None = None
        self.agent = AgentThread(self._build)
        self.agent.heard.connect(self.on_heard)

    def _build(self, emit: Callable[[Event], None]) -> _Desk:
        self._desk = _Desk(self._path, self._urls, emit)
        return self._desk

    @Slot(object)
    def on_heard(self, event: Event) -> None:
        """Note an event and the moment it reached this thread."""
        self.heard.append((time.monotonic(), event))

    def begin(self) -> None:
        """Go on in a new conversation."""
        self.chat = ConversationId(new_message_id())
        self.agent.ask(CreateConversation(conversation_id=self.chat))

    def send(self, text: str, *, forget: bool = True) -> float:
        """Send, and say when; what was heard before is forgotten unless it still counts."""
        if forget:
            self.heard.clear()
        order = Order(id=new_message_id(), conversation_id=self.chat, parts=text_parts(text))
        at = time.monotonic()
        self.agent.ask(Submit(conversation_id=self.chat, order=order, intent=Intent.REDIRECT))
        return at

    def stop(self) -> float:
        """Press Stop, and say when."""
        epoch = max(e.epoch for _, e in self.heard if isinstance(e, TurnStarted))
        at = time.monotonic()
        self.agent.ask(StopTurn(conversation_id=self.chat, epoch=epoch))
        return at

    def until(self, kind: type[Event], count: int = 1) -> float:
        """Let events come until there are this many of a kind; say when the last one came."""
        give_up_at = time.monotonic() + PATIENCE_S
        while len(times := [at for at, e in self.heard if isinstance(e, kind)]) < count:
            _wait_for_events()
            assert time.monotonic() < give_up_at, f"no {kind.__name__}"
        return times[count - 1]

    def rest(self, seconds: float) -> None:
        """Let the event loop run for a while."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            _wait_for_events(2)

    def close(self) -> None:
        """End the thread and the storage."""
        self.agent.finish()
        assert self.agent.wait(int(PATIENCE_S * 1000))
        if self._desk is not None:
            assert self._desk.store.close(PATIENCE_S)


def _wait_for_events(at_most_ms: int = 50) -> None:
    loop = QEventLoop()
    # A timer of zero interest: without it a loop with nothing to do would wait for ever.
    timer = loop.startTimer(at_most_ms)
    loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    loop.killTimer(timer)


@contextmanager
def window(*urls: str) -> Iterator[Window]:
    """Run the services for the length of a `with` block."""
    QCoreApplication.instance() or QCoreApplication([])
    with tempfile.TemporaryDirectory() as folder:
        opened = Window(Path(folder) / "belay.db", *urls)
        opened.agent.start()
        try:
            yield opened
        finally:
            opened.close()
