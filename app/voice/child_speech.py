"""The decoder in its child process, as the owner of the microphone sees it.

Lives on the agent loop. The child is started at the first press, fed while the key is held, and
asked for the rest at the release. If it dies it is started again once, and gets the whole clip.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path

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
        self._listening: set[asyncio.Task[None]] = set()
        self._broken: set[int] = set()  # clips that the child of now has not heard whole

    def warm_up(self) -> None:
        """Start and load it in the background."""
        self._loading()

    def begin(self, generation: int) -> None:
        """A clip begins."""
        self._loading()
        if not self._is_loaded:
            self._broken.add(generation)  # what comes before it is loaded, it hears at the end

    def feed(self, generation: int, samples: Samples) -> None:
        """Let it write down finished phrases while the person goes on."""
        if generation in self._broken:
            return
        try:
            call = self._worker.call({"op": "feed", "generation": generation}, samples.tobytes())
        except WorkerGoneError:
            self._broken.add(generation)
            return

        async def listen() -> None:
            try:
                async for answer in call:
                    self._emit(VoiceWords(text=answer.header["words"]))
            except (WorkerGoneError, WorkerFailedError):
                self._broken.add(generation)

        task = asyncio.get_running_loop().create_task(listen())
        self._listening.add(task)
        task.add_done_callback(self._listening.discard)

    def forget(self, generation: int) -> None:
        """The clip was discarded."""
        self._broken.discard(generation)
        if self._worker.is_running:
            self._worker.call({"op": "forget", "generation": generation})

    async def finish(self, generation: int, whole: Samples) -> Transcript:
        """Write down the rest, or the whole if it did not hear it all."""
        try:
            if generation in self._broken or not self._is_loaded or generation == 0:
                raise WorkerGoneError("speech", None)  # noqa: TRY301 - the same remedy as for a crash
            answer = await self._worker.ask({"op": "finish", "generation": generation})
        except (WorkerGoneError, WorkerFailedError):
            answer = await self._decode_whole(whole)
        finally:
            self._broken.discard(generation)
        return Transcript(text=answer.header["text"], is_sure=answer.header["is_sure"])

    def end(self) -> None:
        """Let it go; the spawner sees to it that it does."""
        if self._ready is not None:
            self._ready.cancel()
        if self._worker.is_running:
            task = asyncio.get_running_loop().create_task(self._worker.stop(grace_s=0))
            self._listening.add(task)
            task.add_done_callback(self._listening.discard)

    @property
    def _is_loaded(self) -> bool:
        ready = self._ready
        done = ready is not None and ready.done() and not ready.cancelled()
        return done and ready is not None and ready.exception() is None and self._worker.is_running

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
            self._ready = asyncio.get_running_loop().create_task(self._load(), name="speech")
            self._ready.add_done_callback(_retrieve)
        assert self._ready is not None
        return self._ready

    async def _load(self) -> None:
        folder = await call_in_thread(self._find_model)
        try:
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


def _retrieve(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.info("the speech model did not load: %s", error)
