"""The services of one process, built and connected: storage, agents, sessions.

Everything here lives on one asyncio loop: the agent thread's in the window, the main thread's in
the terminal. What other threads report is brought onto that loop first.
"""

import asyncio
import time
from collections.abc import Callable, Mapping

from app.agent.agent import Agent
from app.agent.provider import Provider
from app.agent.providers.build import build_provider, warm_up
from app.agent.providers.built_in import BuiltInProvider
from app.agent.providers.http import HttpProvider
from app.agent.providers.retry import RetryingProvider
from app.agent.session import LiveTurn
from app.agent.sessions import Sessions
from app.agent.tools.current_time import CurrentTime
from app.agent.tools.tool import Toolbox
from app.core.commands import Command
from app.core.errors import Problem
from app.core.events import Event, MessageCommitted, StorageTrouble
from app.core.ids import ConversationId
from app.core.settings import Settings
from app.core.voice import VoiceCommand, VoiceEvent
from app.lifecycle.lease import Lease, Leases
from app.localmodel.model import LocalModel
from app.localmodel.weights import bundled_weights
from app.main.configuration import Keys, endpoints
from app.main.hearing import Hearing
from app.storage.store import SqliteStore
from app.system.paths import Paths

CLOSE_S = 0.5


class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that only go forward."""
        return time.monotonic()


class Engine:
    """What thinks and remembers, behind one face."""

    def __init__(
        self,
        *,
        paths: Paths,
        settings: Settings,
        keys: Keys,
        environ: Mapping[str, str],
        lease: Lease,
        emit: Callable[[Event], None],
        emit_voice: Callable[[VoiceEvent], None] | None = None,
        model: str | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._settings = settings
        self._keys = keys
        self._environ = environ
        self._model = model
        self._emit = emit
        self._attachments = paths.attachments
        self._local_model = LocalModel(
            weights=bundled_weights, cache=paths.cache, clock=SystemClock()
        )
        leases = Leases(paths.data)
        self.store = SqliteStore(
            paths.data / "belay.db",
            lease=lease.id,
            live_leases=lambda: set(leases.living()),
            on_trouble=lambda problem: self._on_loop(lambda: self._tell_trouble(problem)),
            on_foreign_change=lambda: self._on_loop(self._sessions.list_conversations),
        )
        self._sessions = Sessions(
            store=self.store, make_agent=self._make_agent, emit=self._heard, clock=SystemClock()
        )
        self._hears = emit_voice is not None
        self._hearing = Hearing(
            paths=paths,
            settings=lambda: self._settings,
            emit=emit_voice or _unheard,
            clock=SystemClock(),
        )

    def open(self) -> None:
        """Open the storage and tell the list of conversations."""
        self.store.start()
        self._sessions.list_conversations()

    def handle(self, command: Command) -> None:
        """Do what a front end asks."""
        self._sessions.handle(command)

    def handle_voice(self, command: VoiceCommand) -> None:
        """Do what the window asks of the microphone."""
        self._hearing.handle(command)

    def live(self, conversation_id: ConversationId) -> LiveTurn | None:
        """Find the running turn of a conversation; any thread."""
        session = self._sessions.session(conversation_id)
        return session.live if session else None

    def use(self, settings: Settings) -> None:
        """Ask by other settings from the next turn on."""
        self._settings = settings
        self._sessions.renew_agents()

    def remember_key(self, base_url: str, key: str) -> None:
        """Keep a key until Belay closes."""
        self._keys.remember(base_url, key)
        self._sessions.renew_agents()

    def warm_up(self) -> None:
        """Prepare for the first question: load the SDK, start the built-in model if it is used."""
        self._warming = self._loop.create_task(warm_up(), name="warm up")
        if self._hears:
            self._hearing.load()
        if not endpoints(self._settings, self._environ, model=self._model):
            self._local_model.warm_up()

    async def close(self) -> None:
        """End all turns and the model; the storage is closed by whoever ends the process."""
        self._hearing.end()
        self._local_model.end()
        await self._sessions.quit()

    def _make_agent(self, _: ConversationId) -> Agent:
        chosen = endpoints(self._settings, self._environ, model=self._model)
        if not chosen:
            built_in = RetryingProvider(BuiltInProvider(self._local_model, HttpProvider))
            return self._agent(built_in, Toolbox())
        provider = build_provider(chosen, self._keys.key_for, attachments=self._attachments)
        return self._agent(provider, Toolbox([CurrentTime()]))

    def _agent(self, provider: Provider, toolbox: Toolbox) -> Agent:
        return Agent(provider=provider, toolbox=toolbox, system_prompt=self._settings.system_prompt)

    def _heard(self, event: Event) -> None:
        self._emit(event)
        if isinstance(event, MessageCommitted):
            self._hearing.landed(event.message_id)

    def _tell_trouble(self, problem: Problem) -> None:
        self._emit(StorageTrouble(problem=problem))

    def _on_loop(self, work: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(work)
        except RuntimeError:  # the loop has ended, and with it everybody who would listen
            return


def _unheard(_: VoiceEvent) -> None:
    """The terminal has no microphone."""
