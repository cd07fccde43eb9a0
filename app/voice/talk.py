"""The one owner of hold-to-talk: does what its machine decides, tells what happens.

Lives on the agent loop. Sound comes from the microphone's thread and is brought onto the loop
before anything is done with it. A clip is on disk from its first sound until its words are.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, assert_never

import numpy as np
import numpy.typing as npt

from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.ids import ConversationId, MessageId
from app.core.ports import Clock
from app.core.voice import (
    ChooseMicrophone,
    ClipLanded,
    DiscardTalk,
    EndTalk,
    Force,
    LookForMicrophones,
    PressTalk,
    ReleaseTalk,
    RetryClips,
    TryMicrophone,
    VoiceChanged,
    VoiceCommand,
    VoiceEvent,
    VoiceFailed,
    VoiceHeard,
    VoicePhase,
    VoiceReady,
)
from app.system.threads import call_in_thread
from app.voice.clips import Clips
from app.voice.leftovers import Leftovers, failure
from app.voice.loudness import LevelTeller, dbfs
from app.voice.loudspeaker import Loudspeaker, cue
from app.voice.machine import (
    Arming,
    CloseMicrophone,
    Decode,
    Decoded,
    DecodingFailed,
    Deliver,
    Discarded,
    Effect,
    Fail,
    Forced,
    Idle,
    Input,
    MicrophoneFailed,
    OpenMicrophone,
    Pressed,
    Recording,
    Released,
    SoundArrived,
    State,
    TriedAgain,
    step,
)
from app.voice.microphone import Microphone
from app.voice.speech import Speech
from app.voice.take import Take
from app.voice.trial import Trial

log = logging.getLogger(__name__)

Samples = npt.NDArray[np.float32]

TAIL_S = 0.18  # a release comes with the last syllable, not after it
_WATCH_S = 0.25


class Talk:
    """Hold to talk."""

    def __init__(
        self,
        *,
        microphone: Microphone,
        loudspeaker: Loudspeaker,
        speech: Speech,
        clips: Clips,
        emit: Callable[[VoiceEvent], None],
        clock: Clock,
        device: str = "",
        check: Callable[[], None] = lambda: None,
        wants_cue: Callable[[], bool] = lambda: True,
    ) -> None:
        self._microphone = microphone
        self._loudspeaker = loudspeaker
        self._wants_cue = wants_cue
        self._speech = speech
        self._clips = clips
        self._emit = emit
        self._clock = clock
        self._device = device
        self._check = check  # raises ProblemError if nothing could be written down
        self._loop = asyncio.get_running_loop()
        self._state = State()
        self._takes: dict[int, Take] = {}
        self._leftovers = Leftovers(clips=clips, speech=speech, emit=emit)
        self._told: VoiceChanged | None = None
        self._levels = LevelTeller(emit=emit, clock=clock)
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing: asyncio.Task[None] | None = None
        self._trial: Trial | None = None
        self._pressed_again = asyncio.Event()  # the last press's tail must not delay this one
        self._decoding = asyncio.Lock()  # fair: words come in the order in which they were said

    def handle(self, command: VoiceCommand, *, at: float | None = None) -> None:
        """Do what the window asks; `at` is when it asked, if that was a while ago."""
        now = self._clock.monotonic() if at is None else at
        match command:
            case PressTalk(clip_id=clip_id, conversation_id=conversation_id):
                self._press(clip_id, conversation_id, now)
            case ReleaseTalk():
                self._apply(Released(now))
            case DiscardTalk():
                self._apply(Discarded())
            case EndTalk(why=why):
                self._force(why)
            case RetryClips():
                self._retry()
            case ClipLanded(clip_id=clip_id):
                self.landed(clip_id)
            case ChooseMicrophone(device=device):
                self._device = device
            case LookForMicrophones():
                self._spawn(self._look())
            case TryMicrophone(is_on=is_on, play=play):
                self._try(is_on=is_on, play=play)
            case _:
                raise TypeError(f"not a wish about the microphone: {command!r}")

    def landed(self, clip_id: MessageId) -> None:
        """Delete a clip: its words are on disk."""
        self._leftovers.landed(clip_id)

    def recover(self) -> None:
        """Say once that an earlier run left recordings whose words have not landed."""
        self._leftovers.recover()

    def end(self) -> None:
        """Close the microphone for good; what was said stays on disk."""
        self._end_trial()
        self._force(Force.FOCUS_LOST)
        self._speech.end()

    def _press(self, clip_id: MessageId, conversation_id: ConversationId, now: float) -> None:
        self._end_trial()
        before = self._state.last_generation
        self._apply(Pressed(now), starting=(clip_id, conversation_id))
        if self._state.last_generation != before:
            self._speech.warm_up()

    def _force(self, why: Force) -> None:
        phase = self._state.phase
        if not isinstance(phase, Idle):
            self._takes[phase.generation].force = why
            self._apply(Forced(phase.generation, why))

    def _retry(self) -> None:
        self._apply(TriedAgain())
        ours = {take.clip.stored.id for take in self._takes.values()}
        self._spawn(self._leftovers.write_down(but=ours))

    def _apply(
        self, given: Input, *, starting: tuple[MessageId, ConversationId] | None = None
    ) -> None:
        self._state, effects = step(self._state, given)
        for effect in effects:
            self._carry_out(effect, starting)
        self._tell_phase()

    def _carry_out(self, effect: Effect, starting: tuple[MessageId, ConversationId] | None) -> None:
        match effect:
            case OpenMicrophone(generation=generation):
                assert starting is not None
                now = self._clock.monotonic()
                take = Take(clip=self._clips.begin(*starting), began_at=now)
                self._takes[generation] = take
                self._speech.begin(generation)
                take.opened = self._spawn(self._open(generation, after=self._closing))
                self._spawn(self._watch(generation))
            case CloseMicrophone(generation=generation, keep=keep):
                self._close(generation, keep=keep)
            case Decode(generation=generation):
                self._spawn(self._decode(generation))
            case Deliver(generation=generation, text=text, is_sure=is_sure):
                self._deliver(generation, text, is_sure=is_sure)
            case Fail(generation=generation, problem=problem):
                kept = generation in self._state.failed
                self._emit(VoiceFailed(problem=problem, clip_kept=kept))
            case _:
                assert_never(effect)

    async def _open(self, generation: int, *, after: "asyncio.Task[None] | None") -> None:
        if after is not None:  # one stream at a time
            self._pressed_again.set()
            await asyncio.wait({after})
        self._pressed_again.clear()
        if generation not in self._takes:
            return  # discarded meanwhile

        def arrived(samples: Samples) -> None:
            self._on_loop(lambda: self._heard(generation, samples))

        def gone() -> None:
            self._on_loop(lambda: self._lost(generation))

        try:
            await call_in_thread(self._microphone.open, self._device, arrived, gone)
        except ProblemError as error:
            self._apply(MicrophoneFailed(generation, error.problem))
        except Exception as error:
            log.exception("the microphone failed in a way of its own")
            unknown = Problem(kind=ProblemKind.MICROPHONE_FAILED, detail=repr(error))
            self._apply(MicrophoneFailed(generation, unknown))

    def _close(self, generation: int, *, keep: bool) -> None:
        take = self._takes[generation]
        if not keep:
            self._speech.forget(generation)
            del self._takes[generation]
        self._closing = take.shut = self._spawn(self._shut(take, keep=keep))

    async def _shut(self, take: Take, *, keep: bool) -> None:
        """Close the stream once it is open, after the tail; then the clip is whole."""
        if take.opened is not None:
            await asyncio.wait({take.opened})
        if keep and take.force is None:
            await self._tail()
        try:
            await call_in_thread(self._microphone.close)
        finally:
            take.clip.finish() if keep else take.clip.delete()

    async def _tail(self) -> None:
        """Listen a moment longer, unless the next press needs the microphone."""
        try:
            async with asyncio.timeout(TAIL_S):
                await self._pressed_again.wait()
        except TimeoutError:
            return

    def _heard(self, generation: int, samples: Samples) -> None:
        take = self._takes.get(generation)
        if take is None:
            return
        take.clip.append(samples)
        self._speech.feed(generation, samples)
        phase = self._state.phase
        if isinstance(phase, Arming) and phase.generation == generation:
            self._apply(SoundArrived(generation))
            if self._wants_cue():
                self._spawn(call_in_thread(self._loudspeaker.play, cue()))
        level = dbfs(samples)
        take.note(level, self._clock.monotonic())
        self._levels.tell(level)

    async def _watch(self, generation: int) -> None:
        """End what goes on for too long, and what gives no sound any more."""
        while (phase := self._state.phase) != Idle():
            assert not isinstance(phase, Idle)
            if phase.generation != generation:
                return
            why = self._takes[generation].overdue(phase, self._clock.monotonic())
            match why:
                case Force():
                    self._force(why)
                case Problem():
                    self._apply(MicrophoneFailed(generation, why))
                case None:
                    await asyncio.sleep(_WATCH_S)

    def _lost(self, generation: int) -> None:
        phase = self._state.phase
        if not isinstance(phase, Idle) and phase.generation == generation:
            self._force(Force.DEVICE_GONE)

    async def _decode(self, generation: int) -> None:
        take = self._takes[generation]
        self._leftovers.add(take.clip.stored)
        async with self._decoding:
            if take.shut is not None:
                await asyncio.wait({take.shut})
            try:
                transcript = await self._speech.finish(generation, take.clip.samples())
            except Exception as error:  # noqa: BLE001 - whatever it was, the words are kept
                self._apply(DecodingFailed(generation, failure(error)))
            else:
                self._apply(Decoded(generation, transcript.text, transcript.is_sure))

    def _deliver(self, generation: int, text: str, *, is_sure: bool) -> None:
        take = self._takes.pop(generation)
        stored = take.clip.stored
        if not text:
            self.landed(stored.id)
        self._emit(
            VoiceHeard(
                clip_id=stored.id,
                conversation_id=stored.conversation_id,
                text=text,
                is_sure=is_sure,
                force=take.force,
                was_flat=take.is_flat,
            )
        )

    async def _look(self) -> None:
        """Tell what can be listened to, and what would keep words from being written down."""
        names: tuple[str, ...] = ()
        found: Problem | None = None
        try:
            names = await call_in_thread(self._microphone.devices)
            if not names:
                found = Problem(kind=ProblemKind.MICROPHONE_MISSING)
            await call_in_thread(self._check)
        except ProblemError as error:
            found = error.problem
        self._emit(VoiceReady(microphones=names, problem=found))

    def _try(self, *, is_on: bool, play: bool) -> None:
        self._end_trial(play=play)
        if is_on and isinstance(self._state.phase, Idle):
            trial = self._trial = Trial(
                microphone=self._microphone,
                loudspeaker=self._loudspeaker,
                device=self._device,
                tell=self._levels.tell,
                emit=self._emit,
            )
            self._closing = self._spawn(trial.run(after=self._closing))
            self._spawn(self._play_back(trial, after=self._closing))

    async def _play_back(self, trial: Trial, *, after: "asyncio.Task[None]") -> None:
        """Let the person hear the trial once the microphone is closed: nothing waits for it."""
        await asyncio.wait({after})
        await trial.play()

    def _end_trial(self, *, play: bool = False) -> None:
        if self._trial is not None:
            self._trial.end(play=play)
            self._trial = None

    def _tell_phase(self) -> None:
        match self._state.phase:
            case Arming(is_latched=latched):
                now = VoiceChanged(phase=VoicePhase.ARMING, latched=latched)
            case Recording(is_latched=latched):
                now = VoiceChanged(phase=VoicePhase.LISTENING, latched=latched)
            case Idle() if self._state.decoding:
                now = VoiceChanged(phase=VoicePhase.FINALISING)
            case Idle():
                now = VoiceChanged(phase=VoicePhase.IDLE)
        if now != self._told:
            self._told = now
            self._emit(now)

    def _on_loop(self, work: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(work)
        except RuntimeError:  # the loop has ended; the clip on disk has what was said
            return

    def _spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
