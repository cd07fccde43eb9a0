"""The services of one process, built and connected: storage, agents, sessions.

Everything here lives on one asyncio loop: the agent thread's in the window, the main thread's in
the terminal. What other threads report is brought onto that loop first.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace

from app.agent.agent import Agent
from app.agent.providers.build import warm_up
from app.agent.providers.hurry import Hurry
from app.agent.providers.omitting import OmittingProvider
from app.agent.session import LiveTurn
from app.agent.sessions import Sessions
from app.agent.tools.current_time import CurrentTime
from app.agent.tools.tool import Toolbox
from app.core.choices import ordered
from app.core.commands import Command
from app.core.errors import Problem
from app.core.events import Event, MessageCommitted, StorageTrouble
from app.core.ids import ConversationId, MessageId
from app.core.models import AskNow, LeaveOut, ModelCommand, ModelEvent, ModelsListed
from app.core.settings import Endpoint, Settings
from app.core.voice import VoiceCommand, VoiceEvent
from app.lifecycle.lease import Lease, Leases
from app.main.clock import SystemClock
from app.main.configuration import endpoints
from app.main.hearing import Hearing
from app.main.keys import Keys
from app.main.model_desk import ModelDesk
from app.main.providers import Providers, has_tools
from app.storage.store import SqliteStore
from app.system.paths import Paths


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
        emit_models: Callable[[ModelEvent], None] | None = None,
        model: str | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._settings = settings
        self._environ = environ
        self._model = model
        self._emit = emit
        self._omitted: dict[ConversationId, frozenset[MessageId]] = {}
        self._emit_models = emit_models or _untold
        self._windows: dict[
            tuple[str, str], int | None
        ] = {}  # as servers told, by address and name
        self._hurries: defaultdict[ConversationId, Hurry] = defaultdict(Hurry)
        self._providers = Providers(paths=paths, keys=keys, clock=SystemClock())
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
        self._models = ModelDesk(
            keys=keys,
            provider_for=self._providers.for_check,
            emit=self._heard_of_models,
            on_key_changed=self._sessions.renew_agents,
        )
        self._hears = emit_voice is not None
        self._hearing = Hearing(
            paths=paths,
            settings=lambda: self._settings,
            emit=emit_voice or _unheard,
            clock=SystemClock(),
            settle=self._settle,
            remembered=self.store.load,
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
        """Follow other settings; who answers, from the next turn on."""
        before, self._settings = self._settings, settings
        if _asks_alike(before, settings):
            return
        self._sessions.renew_agents()
        self._providers.keep_only(settings.endpoints)
        self._providers.warm_up(self._chosen())

    def handle_models(self, command: ModelCommand) -> None:
        """Do what is asked about models and keys."""
        match command:
            case LeaveOut(conversation_id=conversation_id, message_ids=message_ids):
                self._omitted[conversation_id] = message_ids
            case AskNow(conversation_id=conversation_id):
                self._hurries[conversation_id].now()
            case _:
                self._models.handle(command)

    def warm_up(self) -> None:
        """Prepare for the first question: load the SDK, start the built-in model if it is used."""
        self._warming = self._loop.create_task(warm_up(), name="warm up")
        if self._hears:
            self._hearing.load()
        self._providers.warm_up(self._chosen())

    async def close(self) -> None:
        """End all turns and the model; the storage is closed by whoever ends the process."""
        self._hearing.end()
        self._models.end()
        self._providers.end()
        await self._sessions.quit()
        await self._models.until_kept()

    def _make_agent(self, conversation_id: ConversationId) -> Agent:
        chosen = tuple(
            self._with_window(each)
            for each in ordered(self._chosen(), self._settings, conversation_id)
        )
        return Agent(
            provider=OmittingProvider(
                self._providers.of(chosen, self._hurries[conversation_id]),
                lambda: self._omitted.get(conversation_id, frozenset()),
            ),
            toolbox=Toolbox([CurrentTime()] if has_tools(chosen) else ()),
            system_prompt=self._settings.system_prompt,
        )

    def _with_window(self, endpoint: Endpoint) -> Endpoint:
        told = self._windows.get((endpoint.base_url, endpoint.model))
        return replace(endpoint, context_window=endpoint.context_window or told)

    def _heard_of_models(self, event: ModelEvent) -> None:
        if isinstance(event, ModelsListed):
            told = {(event.base_url, model.id): model.context_window for model in event.models}
            self._windows.update(told)
        self._emit_models(event)

    def _chosen(self) -> tuple[Endpoint, ...]:
        return endpoints(self._settings, self._environ, model=self._model)

    async def _settle(self) -> None:
        """Wait until everything asked so far is on disk; raise ProblemError if it cannot be."""
        await self._sessions.until_handled()
        await self.store.flush()

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


def _asks_alike(one: Settings, other: Settings) -> bool:
    return (one.endpoints, one.choices, one.system_prompt) == (
        other.endpoints,
        other.choices,
        other.system_prompt,
    )


def _untold(_: ModelEvent) -> None:
    """The terminal has no settings to show it in."""


def _unheard(_: VoiceEvent) -> None:
    """The terminal has no microphone."""
