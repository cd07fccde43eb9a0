"""A ghost that watches the turn machine and knows what must never happen."""

from collections import Counter
from dataclasses import dataclass, field

from app.agent.machine.step import step
from app.agent.machine.vocabulary import (
    Cancel,
    Cancelling,
    Closed,
    Committed,
    Deliver,
    Discarded,
    Effect,
    Finished,
    Idle,
    Input,
    Moved,
    Persist,
    Promoted,
    Resumed,
    Running,
    Start,
    State,
    StopAsked,
    Submitted,
)
from app.core.events import StopReason
from app.core.ids import MessageId
from app.core.messages import Intent


@dataclass
class Watched:
    """A machine with its ghost: what was accepted, and where it went."""

    state: State = field(default_factory=State)
    accepted: set[MessageId] = field(default_factory=set)
    moved: Counter[MessageId] = field(default_factory=Counter)
    discarded: set[MessageId] = field(default_factory=set)
    cancelled: Counter[int] = field(default_factory=Counter)
    last_epoch: int = 0

    def copy(self) -> "Watched":
        return Watched(
            state=self.state,
            accepted=set(self.accepted),
            moved=Counter(self.moved),
            discarded=set(self.discarded),
            cancelled=Counter(self.cancelled),
            last_epoch=self.last_epoch,
        )

    def give(self, given: Input) -> tuple[Effect, ...]:
        before = self.state
        self._note(given)
        self.state, effects = step(before, given)
        for effect in effects:
            self._check_effect(before, given, effect)
        self._check_state(before, given, effects)
        return effects

    def _note(self, given: Input) -> None:
        match given:
            case Submitted(id=order_id):
                self.accepted.add(order_id)
            case Discarded(ids=ids):
                waiting = {entry.id for entry in self.state.queue}
                self.discarded |= set(ids) & waiting
            case _:
                pass

    def _check_effect(self, before: State, given: Input, effect: Effect) -> None:
        match effect:
            case Start(epoch=epoch, ids=ids):
                assert isinstance(self.state.phase, Running), "a turn is born cancelled"
                assert self._is_over(before, given), "two live turns"
                assert epoch > self.last_epoch, "an epoch came twice"
                assert ids, "a turn without orders"
                self.last_epoch = epoch
                if self.state.listening:
                    self._check_redirects(before, given, ids)
                self._check_moved(before, given, ids)
            case Deliver(epoch=epoch, ids=ids):
                assert before.phase == Running(epoch), "delivered to a turn that is not live"
                self._check_moved(before, given, ids)
            case Cancel(epoch=epoch, reason=reason):
                assert before.phase == Running(epoch), "cancelled what does not run"
                self.cancelled[epoch] += 1
                assert self.cancelled[epoch] == 1, "cancelled twice"
                if reason is StopReason.REDIRECT:
                    assert any(
                        e.intent is Intent.REDIRECT and not e.held for e in self.state.queue
                    ), "cancelled for a redirect that is not in the queue"
            case Persist():
                pass

    @staticmethod
    def _check_redirects(before: State, given: Input, ids: tuple[MessageId, ...]) -> None:
        for order_id in ids:
            was = before.entry(order_id)
            wanted = given == Promoted(order_id) or (was and was.intent is Intent.REDIRECT)
            assert wanted, "something that waited started while the person spoke"

    @staticmethod
    def _is_over(before: State, given: Input) -> bool:
        match before.phase:
            case Idle():
                return True
            case Running(epoch=live) | Cancelling(epoch=live):
                return isinstance(given, Finished) and given.epoch == live
            case Closed():
                return False

    def _check_moved(self, before: State, given: Input, ids: tuple[MessageId, ...]) -> None:
        waited = [entry.id for entry in before.queue if entry.id in ids]
        assert waited == list(ids) or isinstance(given, Moved), "out of order"
        for order_id in ids:
            self.moved[order_id] += 1
            was = before.entry(order_id)
            assert was is not None, "started what did not wait"
            freed = isinstance(given, Resumed) or given == Promoted(order_id)
            assert not was.held or freed, "ran what was held"
            assert was.committed or given == Committed(order_id), "ran what is not on disk"

    def _check_state(self, before: State, given: Input, effects: tuple[Effect, ...]) -> None:
        waiting = [entry.id for entry in self.state.queue]
        assert len(waiting) == len(set(waiting)), "twice in the queue"
        for order_id in self.accepted:
            places = waiting.count(order_id) + self.moved[order_id]
            gone = order_id in self.discarded
            assert places == 1 or (gone and places == 0), f"{order_id} is in {places} places"
        self._check_stop(before, given, effects)
        if isinstance(self.state.phase, Idle):
            self._check_nothing_is_stranded()

    def _check_stop(self, before: State, given: Input, effects: tuple[Effect, ...]) -> None:
        live = before.phase.epoch if isinstance(before.phase, Running | Cancelling) else None
        if isinstance(given, StopAsked):
            reaches = given.epoch >= (before.next_epoch if live is None else live)
            if isinstance(before.phase, Closed) or not reaches:
                assert self.state == before, "a stale Stop changed something"
            else:
                assert all(entry.held for entry in self.state.queue), "Stop left something loose"
        if isinstance(given, Finished) and given.epoch != live:
            assert self.state == before, "a stale end changed something"
            assert not effects

    def _check_nothing_is_stranded(self) -> None:
        loose = [e for e in self.state.queue if not e.held]
        if self.state.listening:
            loose = [e for e in loose if e.intent is Intent.REDIRECT]
        if any(not e.committed or e.editing for e in loose):
            return
        assert not loose, "something could run and does not"
