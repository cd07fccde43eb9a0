"""The turn machine: decides, for one conversation, what starts, what stops and what waits.

Pure: `step(state, input)` returns the next state and the effects to carry out, in order. It knows
orders only by their id. What holds at every moment:

- an order is in the queue from `Submitted` until a `Start` or `Deliver` names it, once;
- at most one turn is live, and none is born cancelled;
- a redirect is in the queue before the cancel it causes, so nothing hangs on an acknowledgement;
- an input that names a past epoch changes nothing;
- what the person stopped is held: neither run nor erased, until the person says so.
"""

from dataclasses import replace
from typing import assert_never

from app.agent.machine.vocabulary import (
    Cancel,
    Cancelling,
    Closed,
    Committed,
    Deliver,
    Discarded,
    EditBegun,
    EditEnded,
    Effect,
    Entry,
    Finished,
    Idle,
    Input,
    Moved,
    NotCommitted,
    Persist,
    Promoted,
    QuitAsked,
    Restored,
    Resumed,
    Running,
    SpeechBegun,
    SpeechEnded,
    Start,
    State,
    StepReached,
    StopAsked,
    Submitted,
)
from app.core.events import Completed, Failed, Outcome, Stopped, StopReason
from app.core.ids import MessageId
from app.core.messages import Intent

Step = tuple[State, tuple[Effect, ...]]


def step(state: State, given: Input) -> Step:  # noqa: C901, PLR0911, PLR0912 - one case per input
    """Take one input; return what comes of it."""
    match given:
        case Submitted():
            return _submitted(state, given)
        case Committed(id=order_id):
            return _advance(_changed(state, order_id, committed=True, unsaved=False))
        case NotCommitted(id=order_id):
            return _advance(_changed(state, order_id, unsaved=True, held=True))
        case StopAsked(epoch=epoch):
            return _stop(state, epoch)
        case Finished(epoch=epoch, outcome=outcome):
            return _finished(state, epoch, outcome)
        case StepReached(epoch=epoch):
            return _deliver(state, epoch)
        case Resumed():
            return _saving_again(state, _resume(state))
        case Promoted(id=order_id):
            return _saving_again(state, _promote(state, order_id))
        case Discarded(ids=ids):
            return _advance(replace(state, queue=tuple(e for e in state.queue if e.id not in ids)))
        case Restored():
            return _restored(state, given), ()
        case EditBegun(id=order_id):
            return _changed(state, order_id, editing=True), ()
        case EditEnded(id=order_id):
            return _redirect_or_advance(_changed(state, order_id, editing=False))
        case Moved(id=order_id, index=index):
            return _advance(_moved(state, order_id, index))
        case SpeechBegun():
            return replace(state, listening=True), ()
        case SpeechEnded():
            return _advance(replace(state, listening=False))
        case QuitAsked():
            return _quit(state)
        case _:
            assert_never(given)


def _submitted(state: State, given: Submitted) -> Step:
    if state.entry(given.id) is not None:
        return state, ()
    match state.phase:
        case Idle():  # every chord sends
            entry = Entry(id=given.id, intent=Intent.REDIRECT)
        case Closed():
            entry = Entry(id=given.id, intent=given.intent, held=True)
        case Running() | Cancelling():
            entry = Entry(id=given.id, intent=given.intent)
    queued = replace(state, queue=(*state.queue, entry))
    redirected, effects = _redirect_if_wanted(queued)
    return redirected, (*effects, Persist(given.id))


def _redirect_if_wanted(state: State) -> Step:
    """Cancel the running turn if a redirect waits; the cancel does not wait for the disk."""
    wanted = any(e.intent is Intent.REDIRECT and not e.held and not e.editing for e in state.queue)
    if wanted and isinstance(state.phase, Running):
        epoch = state.phase.epoch
        cancelling = replace(state, phase=Cancelling(epoch))
        return cancelling, (Cancel(epoch, StopReason.REDIRECT),)
    return state, ()


def _redirect_or_advance(state: State) -> Step:
    if isinstance(state.phase, Running):
        return _redirect_if_wanted(state)
    return _advance(state)


def _stop(state: State, epoch: int) -> Step:
    match state.phase:
        case Running(epoch=live) if epoch >= live:
            held = _all_held(replace(state, phase=Cancelling(live)))
            return held, (Cancel(live, StopReason.PERSON),)
        case Cancelling(epoch=live) if epoch >= live:
            return _all_held(state), ()
        case Idle() if epoch >= state.next_epoch:
            return _all_held(state), ()
        case _:
            return state, ()


def _finished(state: State, epoch: int, outcome: Outcome) -> Step:
    live = state.phase.epoch if isinstance(state.phase, Running | Cancelling) else None
    if live != epoch:
        return state, ()
    idle = replace(state, phase=Idle())
    match outcome:
        case Failed():  # a dead server must not eat the queue
            return _advance(_held_but_redirects(idle))
        case Completed() | Stopped():
            return _advance(idle)


def _deliver(state: State, epoch: int) -> Step:
    if state.phase != Running(epoch):
        return state, ()
    steers = tuple(_startable(state, Intent.STEER))
    if not steers:
        return state, ()
    return _without(state, steers), (Deliver(epoch, steers),)


def _resume(state: State) -> Step:
    """Release what is held; what would redirect a running turn waits behind it instead."""
    busy = isinstance(state.phase, Running | Cancelling)

    def released(entry: Entry) -> Entry:
        if not entry.held:
            return entry
        intent = Intent.QUEUE if busy and entry.intent is Intent.REDIRECT else entry.intent
        return replace(entry, held=False, intent=intent)

    if isinstance(state.phase, Closed):
        return state, ()
    return _advance(replace(state, queue=tuple(released(entry) for entry in state.queue)))


def _promote(state: State, order_id: MessageId) -> Step:
    if isinstance(state.phase, Closed):
        return state, ()
    return _redirect_or_advance(
        _changed(state, order_id, held=False, editing=False, intent=Intent.REDIRECT)
    )


def _saving_again(before: State, after: Step) -> Step:
    """Ask the disk once more for what it refused and the person now released."""
    state, effects = after
    refused = {entry.id for entry in before.queue if entry.unsaved and entry.held}
    again = [entry.id for entry in state.queue if entry.id in refused and not entry.held]
    for order_id in again:
        state = _changed(state, order_id, unsaved=False)
    return state, (*effects, *(Persist(order_id) for order_id in again))


def _restored(state: State, given: Restored) -> State:
    if state.entry(given.id) is not None:
        return state
    entry = Entry(id=given.id, intent=given.intent, committed=True, held=True)
    index = max(0, min(given.index, len(state.queue)))
    return replace(state, queue=(*state.queue[:index], entry, *state.queue[index:]))


def _moved(state: State, order_id: MessageId, index: int) -> State:
    entry = state.entry(order_id)
    if entry is None:
        return state
    others = tuple(e for e in state.queue if e.id != order_id)
    index = max(0, min(index, len(others)))
    return replace(state, queue=(*others[:index], entry, *others[index:]))


def _quit(state: State) -> Step:
    closed = _all_held(replace(state, phase=Closed()))
    if isinstance(state.phase, Running):
        return closed, (Cancel(state.phase.epoch, StopReason.QUIT),)
    return closed, ()


def _advance(state: State) -> Step:
    """Start what is next, if nothing runs."""
    if not isinstance(state.phase, Idle):
        return state, ()
    ids = _next_group(state)
    if not ids:
        return state, ()
    epoch = state.next_epoch
    started = replace(_without(state, ids), phase=Running(epoch), next_epoch=epoch + 1)
    return started, (Start(epoch, ids),)


def _next_group(state: State) -> tuple[MessageId, ...]:
    """Choose: redirects together, else steers together, else the first queued one.

    While the person speaks nothing but a redirect starts: their words would stop it at once.
    """
    if _is_saving(state, Intent.REDIRECT):
        return ()
    if redirects := _startable(state, Intent.REDIRECT):
        return tuple(redirects)
    if state.listening or _is_saving(state, Intent.STEER):
        return ()
    if steers := _startable(state, Intent.STEER):
        return tuple(steers)
    return tuple(_startable(state, Intent.QUEUE)[:1])


def _startable(state: State, intent: Intent) -> list[MessageId]:
    """List what may start of one intent, in order: nothing overtakes one that cannot start yet.

    An open chip also keeps everything behind it from overtaking, except a redirect.
    """
    found: list[MessageId] = []
    for entry in state.queue:
        blocks = entry.intent is intent or (entry.editing and intent is not Intent.REDIRECT)
        if entry.held or not blocks:
            continue
        if not entry.may_start:
            break
        found.append(entry.id)
    return found


def _is_saving(state: State, intent: Intent) -> bool:
    return any(
        entry.intent is intent and not entry.committed and not entry.held and not entry.editing
        for entry in state.queue
    )


def _changed(state: State, order_id: MessageId, **changes: object) -> State:
    queue = tuple(
        replace(entry, **changes) if entry.id == order_id else entry  # type: ignore[arg-type]
        for entry in state.queue
    )
    return replace(state, queue=queue)


def _without(state: State, ids: tuple[MessageId, ...]) -> State:
    return replace(state, queue=tuple(entry for entry in state.queue if entry.id not in ids))


def _all_held(state: State) -> State:
    return replace(state, queue=tuple(replace(entry, held=True) for entry in state.queue))


def _held_but_redirects(state: State) -> State:
    queue = tuple(
        entry if entry.intent is Intent.REDIRECT else replace(entry, held=True)
        for entry in state.queue
    )
    return replace(state, queue=queue)
