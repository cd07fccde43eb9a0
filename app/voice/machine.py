"""Hold to talk, decided: what a press, a release, a sample or a text means at each moment.

Pure: `step(state, input)` returns the next state and the effects to carry out. Every press has a
generation, so a text or a sample that comes late belongs to its own press and to no other. What
is decoding does not keep the next press waiting; texts are delivered in the order of the presses.
"""

from dataclasses import dataclass, replace
from typing import assert_never

from app.core.errors import Problem
from app.core.voice import Force

TAP_S = 0.3  # one-word orders are short: anything shorter than this is a tap, and latches


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing is recorded."""


@dataclass(frozen=True, slots=True)
class Arming:
    """The microphone opens; no sound has arrived yet."""

    generation: int
    pressed_at: float
    is_latched: bool = False


@dataclass(frozen=True, slots=True)
class Recording:
    """Sound arrives: the light is on."""

    generation: int
    pressed_at: float
    is_latched: bool = False


Phase = Idle | Arming | Recording


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything the machine knows; `decoding` are the presses whose words are awaited."""

    phase: Phase = Idle()
    decoding: tuple[int, ...] = ()
    failed: tuple[int, ...] = ()  # kept on disk; "Try again" decodes them anew
    last_generation: int = 0


@dataclass(frozen=True, slots=True)
class Pressed:
    """The key or the button went down."""

    at: float


@dataclass(frozen=True, slots=True)
class Released:
    """It came up again."""

    at: float


@dataclass(frozen=True, slots=True)
class SoundArrived:
    """The first samples are here."""

    generation: int


@dataclass(frozen=True, slots=True)
class Discarded:
    """Esc: forget what is being recorded."""


@dataclass(frozen=True, slots=True)
class Forced:
    """It ended without the person."""

    generation: int
    why: Force


@dataclass(frozen=True, slots=True)
class MicrophoneFailed:
    """There is no sound to be had."""

    generation: int
    problem: Problem


@dataclass(frozen=True, slots=True)
class Decoded:
    """The words of a press; empty if nothing was said, unsure if the decoder's guard fired."""

    generation: int
    text: str
    is_sure: bool


@dataclass(frozen=True, slots=True)
class DecodingFailed:
    """The words could not be written down; the recording is kept."""

    generation: int
    problem: Problem


@dataclass(frozen=True, slots=True)
class TriedAgain:
    """The person wants failed recordings decoded anew."""


Input = (
    Pressed
    | Released
    | SoundArrived
    | Discarded
    | Forced
    | MicrophoneFailed
    | Decoded
    | DecodingFailed
    | TriedAgain
)


@dataclass(frozen=True, slots=True)
class OpenMicrophone:
    """Begin to listen for a press."""

    generation: int


@dataclass(frozen=True, slots=True)
class CloseMicrophone:
    """Stop listening; what was heard is kept for decoding, or forgotten."""

    generation: int
    keep: bool


@dataclass(frozen=True, slots=True)
class Decode:
    """Write down what was heard."""

    generation: int


@dataclass(frozen=True, slots=True)
class Deliver:
    """Hand the words over."""

    generation: int
    text: str
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Fail:
    """Say what went wrong."""

    generation: int
    problem: Problem


Effect = OpenMicrophone | CloseMicrophone | Decode | Deliver | Fail
Step = tuple[State, tuple[Effect, ...]]


def step(state: State, given: Input) -> Step:
    """Take one input; return what comes of it."""
    match given:
        case Pressed(at=at):
            return _pressed(state, at)
        case Released(at=at):
            return _released(state, at)
        case Decoded(generation=generation) | DecodingFailed(generation=generation):
            return _answered(state, generation, given)
        case TriedAgain():
            again = replace(state, decoding=(*state.decoding, *state.failed), failed=())
            return again, tuple(Decode(generation) for generation in state.failed)
        case Discarded():
            return _ended(state, keep=False)
        case SoundArrived() | Forced() | MicrophoneFailed():
            return _of_the_microphone(state, given)
        case _:
            assert_never(given)


def _pressed(state: State, at: float) -> Step:
    match state.phase:
        case Idle():
            generation = state.last_generation + 1
            armed = replace(state, phase=Arming(generation, at), last_generation=generation)
            return armed, (OpenMicrophone(generation),)
        case Arming(is_latched=True) | Recording(is_latched=True):
            return _ended(state, keep=isinstance(state.phase, Recording))
        case Arming() | Recording():
            return state, ()  # the key repeats itself


def _released(state: State, at: float) -> Step:
    match state.phase:
        case Idle() | Arming(is_latched=True) | Recording(is_latched=True):
            return state, ()
        case Arming(pressed_at=since) | Recording(pressed_at=since) if at - since < TAP_S:
            return replace(state, phase=replace(state.phase, is_latched=True)), ()
        case Arming():
            return _ended(state, keep=False)
        case Recording():
            return _ended(state, keep=True)


def _of_the_microphone(state: State, given: SoundArrived | Forced | MicrophoneFailed) -> Step:
    phase = state.phase
    if isinstance(phase, Idle) or phase.generation != given.generation:
        return state, ()
    match given:
        case SoundArrived():
            heard = Recording(phase.generation, phase.pressed_at, phase.is_latched)
            return replace(state, phase=heard), ()
        case Forced():
            return _ended(state, keep=isinstance(phase, Recording))
        case MicrophoneFailed(problem=problem):
            ended, effects = _ended(state, keep=False)
            return ended, (*effects, Fail(phase.generation, problem))


def _ended(state: State, *, keep: bool) -> Step:
    if isinstance(state.phase, Idle):
        return state, ()
    generation = state.phase.generation
    decoding = (*state.decoding, generation) if keep else state.decoding
    ended = replace(state, phase=Idle(), decoding=decoding)
    closing = CloseMicrophone(generation, keep)
    return ended, (closing, Decode(generation)) if keep else (closing,)


def _answered(state: State, generation: int, given: Decoded | DecodingFailed) -> Step:
    if generation not in state.decoding:
        return state, ()
    left = replace(state, decoding=tuple(g for g in state.decoding if g != generation))
    match given:
        case Decoded(text=text, is_sure=is_sure):
            return left, (Deliver(generation, text, is_sure),)
        case DecodingFailed(problem=problem):
            return replace(left, failed=(*left.failed, generation)), (Fail(generation, problem),)
