"""Recordings whose words have not landed: those of this run, and those that a crash left.

Lives on the agent loop. What an earlier run recorded is written down when the person asks for
it, one clip after the other, and its words go to the composer: nothing is ever sent by itself.
"""

import logging
from collections.abc import Callable, Collection

from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.ids import MessageId
from app.core.voice import Force, VoiceEvent, VoiceFailed, VoiceHeard
from app.system.threads import call_in_thread
from app.voice.clips import Clips, StoredClip
from app.voice.speech import Speech, Transcript

log = logging.getLogger(__name__)


class Leftovers:
    """The clips on disk."""

    def __init__(self, *, clips: Clips, speech: Speech, emit: Callable[[VoiceEvent], None]) -> None:
        self._clips = clips
        self._speech = speech
        self._emit = emit
        self._unlanded: dict[MessageId, StoredClip] = {}
        self._being_read: set[MessageId] = set()

    def recover(self) -> None:
        """Say once that an earlier run left recordings."""
        self._unlanded = {clip.id: clip for clip in self._clips.left()}
        if self._unlanded:
            problem = Problem(kind=ProblemKind.SPEECH_FAILED, params={"reason": "Belay closed"})
            self._emit(VoiceFailed(problem=problem, clip_kept=True))

    def add(self, clip: StoredClip) -> None:
        """Keep a clip until its words have landed."""
        self._unlanded[clip.id] = clip

    def landed(self, clip_id: MessageId) -> None:
        """Delete a clip: its words are on disk."""
        clip = self._unlanded.pop(clip_id, None)
        if clip is not None:
            clip.delete()

    async def write_down(self, *, but: Collection[MessageId]) -> None:
        """Write down what an earlier run recorded; `but` are somebody else's."""
        mine = [clip for clip in self._unlanded.values() if clip.id not in but]
        for clip in mine:
            if clip.id not in self._being_read:
                self._being_read.add(clip.id)
                try:
                    await self._write_down(clip)
                finally:
                    self._being_read.discard(clip.id)

    async def _write_down(self, clip: StoredClip) -> None:
        try:
            samples = await call_in_thread(clip.samples)
            transcript = await self._speech.finish(0, samples)
        except FileNotFoundError:
            log.warning("a recording is gone: %s", clip.path)
            self._unlanded.pop(clip.id, None)
        except Exception as error:
            log.warning("a recording could not be written down", exc_info=True)
            self._emit(VoiceFailed(problem=failure(error), clip_kept=True))
        else:
            self._tell(clip, transcript)

    def _tell(self, clip: StoredClip, transcript: Transcript) -> None:
        if not transcript.text:
            self.landed(clip.id)
        self._emit(
            VoiceHeard(
                clip_id=clip.id,
                conversation_id=clip.conversation_id,
                text=transcript.text,
                is_sure=transcript.is_sure,
                force=Force.DEVICE_GONE,
            )
        )


def failure(error: Exception) -> Problem:
    """Say why words could not be written down; what nobody foresaw is logged whole."""
    if isinstance(error, ProblemError):
        return error.problem
    log.error("words could not be written down", exc_info=error)
    return Problem(
        kind=ProblemKind.SPEECH_FAILED,
        params={"reason": "it could not read the recording"},
        detail=repr(error),
    )
