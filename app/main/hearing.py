"""Hold to talk, put together when it is first needed: what it stands on is slow to import.

Lives on the agent loop. What is asked before it is there is done in order once it is.
"""

import asyncio
import contextlib
import importlib
import locale
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import ProblemError
from app.core.ids import ConversationId, MessageId
from app.core.languages import spoken_language
from app.core.ports import Clock, StoredConversation
from app.core.settings import Settings
from app.core.voice import (
    ChooseSpeech,
    ClipLanded,
    LookForMicrophones,
    VoiceCommand,
    VoiceEvent,
)
from app.system.paths import Paths
from app.system.threads import call_in_thread

if TYPE_CHECKING:
    from app.voice.child_speech import ChildSpeech
    from app.voice.talk import Talk

log = logging.getLogger(__name__)

_HEAVY = "app.voice.talk"


class Hearing:
    """The microphone and the decoder, behind one face."""

    def __init__(
        self,
        *,
        paths: Paths,
        settings: Callable[[], Settings],
        emit: Callable[[VoiceEvent], None],
        clock: Clock,
        settle: Callable[[], Awaitable[None]],
        remembered: Callable[[ConversationId], Awaitable[StoredConversation | None]],
    ) -> None:
        self._paths = paths
        self._settings = settings
        self._emit = emit
        self._clock = clock
        self._settle = settle  # resolves once everything told so far is on disk
        self._remembered = remembered
        self._landings: set[asyncio.Task[None]] = set()
        self._talk: Talk | None = None
        self._speech: ChildSpeech | None = None
        self._choice: ChooseSpeech | None = None  # since the settings were read
        self._asked: list[tuple[float, VoiceCommand]] = []  # each with when it was asked
        self._loading: asyncio.Task[None] | None = None

    def handle(self, command: VoiceCommand) -> None:
        """Do what the window asks, now or once everything is loaded."""
        if isinstance(command, ChooseSpeech):
            self._choose(command)
        elif isinstance(command, ClipLanded):
            self._land(command)
        elif self._talk is not None:
            self._talk.handle(command)
        else:
            self._asked.append((self._clock.monotonic(), command))
            self.load()

    def load(self) -> None:
        """Load it in the background."""
        if self._loading is None:
            self._loading = asyncio.get_running_loop().create_task(self._load(), name="hearing")

    def landed(self, message_id: MessageId) -> None:
        """Words are on disk: if they were spoken, their recording may go."""
        if self._talk is not None:
            self._talk.landed(message_id)

    def end(self) -> None:
        """Close the microphone and let the decoder go."""
        if self._talk is not None:
            self._talk.end()

    def _land(self, command: ClipLanded) -> None:
        """Let a recording go once the draft that its words went to is on disk."""

        async def land() -> None:
            try:
                await self._settle()
            except ProblemError as error:
                log.warning("a recording is kept, for its words are not safe: %s", error)
            else:
                self.landed(command.clip_id)

        task = asyncio.get_running_loop().create_task(land())
        self._landings.add(task)
        task.add_done_callback(self._landings.discard)

    def _choose(self, choice: ChooseSpeech) -> None:
        self._choice = choice
        if self._speech is not None and self._talk is not None:
            self._speech.renew()
            self._talk.handle(LookForMicrophones())

    async def _load(self) -> None:
        await call_in_thread(importlib.import_module, _HEAVY)
        await self._forget_landed()
        self._talk = self._built()
        self._talk.recover()
        self._talk.handle(LookForMicrophones())
        asked, self._asked = self._asked, []
        for at, command in asked:
            self._talk.handle(command, at=at)

    async def _forget_landed(self) -> None:
        """Delete what a crash left although its words are in a conversation already."""
        from app.voice.clips import Clips  # noqa: PLC0415 - heavy, loaded by now

        for clip in list(Clips(self._paths.data / "clips").left()):
            try:
                stored = await self._remembered(clip.conversation_id)
            except ProblemError as error:
                log.warning("a recording is kept, for nobody knows if it landed: %s", error)
                continue
            if stored is not None and _has(stored, clip.id):
                with contextlib.suppress(OSError):  # it is offered once more
                    clip.delete()

    def _built(self) -> "Talk":
        from app.voice.child_speech import ChildSpeech  # noqa: PLC0415 - heavy, loaded by now
        from app.voice.clips import Clips  # noqa: PLC0415
        from app.voice.loudspeaker import PortAudioLoudspeaker  # noqa: PLC0415
        from app.voice.microphone import PortAudioMicrophone  # noqa: PLC0415
        from app.voice.talk import Talk  # noqa: PLC0415

        self._speech = ChildSpeech(
            find_model=self._find_model, language=self._language, emit=self._emit
        )
        return Talk(
            microphone=PortAudioMicrophone(),
            loudspeaker=PortAudioLoudspeaker(),
            speech=self._speech,
            clips=Clips(self._paths.data / "clips"),
            emit=self._emit,
            clock=self._clock,
            device=self._settings().microphone,
            check=self._check,
            wants_cue=lambda: self._settings().talk_sound,
        )

    def _find_model(self) -> Path:
        from app.voice.weights import own_model, speech_model  # noqa: PLC0415 - loaded by now

        folder = self._choice.folder if self._choice else self._settings().speech_model
        return own_model(Path(folder)) if folder else speech_model(self._paths.cache)

    def _check(self) -> None:
        from app.voice.weights import check_bundled, own_model  # noqa: PLC0415 - loaded by now

        folder = self._choice.folder if self._choice else self._settings().speech_model
        if folder:
            own_model(Path(folder))
        else:
            check_bundled()

    def _language(self) -> str:
        chosen = self._choice.language if self._choice else self._settings().speech_language
        return language_of(chosen)


def _has(stored: StoredConversation, message_id: MessageId) -> bool:
    waits = any(order.id == message_id for order, _ in stored.waiting)
    return waits or message_id in stored.tree.messages


def language_of(chosen: str) -> str:
    """Give the language that was chosen, else the system's, else English."""
    return spoken_language(chosen, locale.getlocale()[0] or "")
