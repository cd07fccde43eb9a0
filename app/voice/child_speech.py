"""The decoder in its child process, as the owner of the microphone sees it.

Lives on the agent loop. The child is started at the first press and fed while the key is held,
one portion at a time: what comes while it decodes is kept here, so that at the release nothing
but a phrase stands before the rest. If the child dies it is started again once, and gets the
whole clip.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from app.core.errors import ProblemKind, problem
from app.core.voice import VoiceEvent, VoiceWords
from app.system.frames import Frame
from app.system.threads import call_in_thread
from app.system.workers import Worker, WorkerFailedError, WorkerGoneError
from app.voice.speech import Transcript

log = logging.getLogger(__name__)

Samples = npt.NDArray[np.float32]


@dataclass
class _Fed:
    """A clip that is being spoken: what the child has not been given yet, and which child."""

    unsent: list[Samples] = field(default_factory=list)
    child: "asyncio.Task[None] | None" = None  # the loading of the child that hears it
    is_asking: bool = False
    is_broken: bool = False  # that child is gone, or could not hear it

    def is_with(self, child: "asyncio.Task[None] | None") -> bool:
        """Say whether this child has heard all of it but what is unsent."""
        return self.child is not None and self.child is child and not self.is_broken

    def take(self) -> bytes:
        """Give what is unsent."""
        portion = np.concatenate(self.unsent) if self.unsent else np.zeros(0, np.float32)
        self.unsent.clear()
        return portion.tobytes()


class ChildSpeech:
    """Writes down what was said, in another process."""

    def __init__(
        self,
        *,
        find_model: Callable[[], Path],
        language: Callable[[], str],
        emit: Callable[[VoiceEvent], None],
    ) -> None:
        self._worker = Worker("speech")
        self._find_model = find_model
        self._language = language
        self._emit = emit
        self._ready: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._fed: dict[int, _Fed] = {}
        self._finishing = 0  # clips whose end somebody waits for
        self._is_stale = False  # another model or language was chosen

    @property
    def pid(self) -> int | None:
        """The child's process id, if it has one."""
        return self._worker.pid if self._worker.is_running else None

    def warm_up(self) -> None:
        """Start and load it in the background."""
        self._loading()

    def begin(self, generation: int) -> None:
        """A clip begins."""
        self._fed[generation] = _Fed()
        self._loading()

    def feed(self, generation: int, samples: Samples) -> None:
        """Let it write down finished phrases while the person goes on."""
        clip = self._fed.get(generation)
        if clip is not None:
            clip.unsent.append(samples)
            self._pass_on(generation, clip)

    def forget(self, generation: int) -> None:
        """The clip was discarded."""
        if self._fed.pop(generation, None) is not None and self._worker.is_running:
            self._worker.call({"op": "forget", "generation": generation})
        self._renew_at_rest()

    async def finish(self, generation: int, whole: Samples) -> Transcript:
        """Write down the rest, or the whole if it did not hear it all."""
        clip = self._fed.pop(generation, None)
        self._finishing += 1
        try:
            answer = await self._rest(generation, clip) if clip is not None else None
            if answer is None:
                answer = await self._decode_whole(whole)
        finally:
            self._finishing -= 1
            self._renew_at_rest()
        return Transcript(text=answer.header["text"], is_sure=answer.header["is_sure"])

    def renew(self) -> None:
        """Load anew once nothing is being said or written down: another model was chosen."""
        self._is_stale = self._ready is not None
        self._renew_at_rest()

    def _renew_at_rest(self) -> None:
        if self._is_stale and not self._fed and not self._finishing and self._ready is not None:
            self._is_stale = False
            self._ready.cancel()
            self._ready = None
            self._spawn(self._worker.stop(grace_s=0))

    def end(self) -> None:
        """Let it go; the spawner sees to it that it does."""
        if self._ready is not None:
            self._ready.cancel()
        if self._worker.is_running:
            self._spawn(self._worker.stop(grace_s=0))

    @property
    def _is_loaded(self) -> bool:
        ready = self._ready
        done = ready is not None and ready.done() and not ready.cancelled()
        return done and ready is not None and ready.exception() is None and self._worker.is_running

    def _pass_on(self, generation: int, clip: _Fed) -> None:
        """Give the child what it has not heard, unless it is still at the last portion."""
        if clip.is_asking or clip.is_broken or not clip.unsent or not self._is_loaded:
            return
        clip.child = clip.child or self._ready
        if clip.child is not self._ready:
            clip.is_broken = True  # what was heard of it went with another child
            return
        clip.is_asking = True
        self._spawn(self._ask(generation, clip))

    async def _ask(self, generation: int, clip: _Fed) -> None:
        body = {"op": "feed", "generation": generation}
        try:
            async for answer in self._worker.call(body, clip.take()):
                if generation in self._fed:  # after the release only the whole text counts
                    self._emit(VoiceWords(text=answer.header["words"]))
        except (WorkerGoneError, WorkerFailedError) as error:
            log.info("the speech child lost a clip: %s", error)
            clip.is_broken = True
        clip.is_asking = False
        if generation in self._fed:
            self._pass_on(generation, clip)

    async def _rest(self, generation: int, clip: _Fed) -> Frame | None:
        """Ask for the end of a clip; None if the child has not heard its beginning."""
        if not clip.is_with(self._ready):
            return None
        body = {"op": "finish", "generation": generation}
        try:
            answer = await self._worker.ask(body, clip.take())
        except (WorkerGoneError, WorkerFailedError) as error:
            log.info("the speech child lost the end of a clip: %s", error)
            return None
        return answer if clip.is_with(self._ready) else None

    async def _decode_whole(self, whole: Samples) -> Frame:
        for attempt in (1, 2):
            await asyncio.shield(self._loading())
            try:
                return await self._worker.ask({"op": "decode"}, whole.tobytes())
            except WorkerGoneError as gone:
                log.warning("the speech child ended: %s %s", gone, gone.last_words)
                if attempt == 2:
                    raise problem(
                        ProblemKind.SPEECH_FAILED, gone.last_words, reason="it stopped twice"
                    ) from gone
            except WorkerFailedError as failed:
                raise problem(
                    ProblemKind.SPEECH_FAILED, str(failed), reason="it could not read the recording"
                ) from failed
        raise AssertionError("unreachable")

    def _loading(self) -> "asyncio.Task[None]":
        """Have it loaded, once for everybody who waits; anew if it failed or died."""
        ready = self._ready
        if ready is None or (ready.done() and not self._is_loaded):
            ready = self._ready = asyncio.get_running_loop().create_task(
                self._load(), name="speech"
            )
            ready.add_done_callback(self._on_loaded)
        return ready

    def _on_loaded(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.info("the speech model did not load: %s", error)
            return
        for generation, clip in list(self._fed.items()):
            self._pass_on(generation, clip)

    async def _load(self) -> None:
        try:
            folder = await call_in_thread(self._find_model)
            await self._worker.start()
            await self._worker.ask(
                {
                    "op": "load",
                    "folder": str(folder),
                    "language": self._language(),
                    "threads": max(1, min(4, os.cpu_count() or 2)),
                }
            )
        except (OSError, WorkerGoneError, WorkerFailedError) as error:
            raise problem(
                ProblemKind.SPEECH_FAILED, str(error), reason="it could not be loaded"
            ) from error

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
