"""One conversation at work: drives its turn machine, and does what the machine decides.

Lives on the agent loop; every public method is called there and returns at once. Only `live` is
read from other threads: it is how Stop reaches the running turn's token without waiting in line.
The order is always: commit → start → journal → end.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, assert_never

from app.agent.agent import Agent
from app.agent.history import History
from app.agent.machine.step import step
from app.agent.machine.vocabulary import (
    Cancel,
    Committed,
    Deliver,
    Discarded,
    EditBegun,
    EditEnded,
    Effect,
    Finished,
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
from app.agent.narration import Narrator
from app.agent.orders import OrderBook
from app.agent.placing import is_possible, place, says_something, steered
from app.agent.turn import Turn
from app.core.errors import ProblemError
from app.core.events import (
    ConversationOpened,
    Event,
    MessageCommitted,
    Outcome,
    QueueChanged,
    StopReason,
    StorageTrouble,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import MessageId, new_message_id, new_turn_id
from app.core.messages import Draft, Intent, Order, OrderKind, Waiting, text_parts
from app.core.ports import Clock, Store, StoredConversation, TurnOpening
from app.core.tokens import CancelToken

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class LiveTurn:
    """The turn that runs now; `leaf` is the message it goes on from."""

    started: TurnStarted
    token: CancelToken
    leaf: MessageId

    @property
    def epoch(self) -> int:
        """Its number, as Stop names it."""
        return self.started.epoch


class Session:
    """The owner of one conversation's machine, history and running turn."""

    def __init__(
        self,
        *,
        stored: StoredConversation,
        store: Store,
        agent: Callable[[], Agent],
        emit: Callable[[Event], None],
        clock: Clock,
    ) -> None:
        self.id = stored.conversation.id
        self.live: LiveTurn | None = None
        self.last_outcome: Outcome | None = None
        self._store = store
        self._agent = agent
        self._emit = emit
        self._clock = clock
        self._draft = stored.draft
        self._edits = dict(stored.edits)
        self._history = History(
            conversation_id=self.id, tree=stored.tree, store=store, emit=emit, clock=clock
        )
        self._state = State(next_epoch=stored.last_epoch + 1)
        self._orders = OrderBook(self.id, store)
        self._hold(stored)
        self._told = self.waiting
        self._tasks: set[asyncio.Task[None]] = set()

    def _hold(self, stored: StoredConversation) -> None:
        """After a restart everything is held: nothing is ever sent by itself."""
        for order, intent in stored.waiting:
            if order.id not in stored.tree.messages and self._can_begin(order):
                self._orders.add_stored(order, intent)
                end = len(self._state.queue)
                self._state, _ = step(self._state, Restored(order.id, intent, end))

    def _can_begin(self, order: Order) -> bool:
        return says_something(order) or self._history.knows(order.target)

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """What waits, in running order."""
        return self._orders.waiting(self._state.queue)

    @property
    def is_empty(self) -> bool:
        """Say whether nothing was ever said here."""
        return not self._history.tree.messages and not self._orders

    def describe(self) -> ConversationOpened:
        """Say everything a view needs to show this conversation."""
        return ConversationOpened(
            conversation_id=self.id,
            tree=self._history.snapshot(),
            waiting=self.waiting,
            draft=self._draft,
            last_epoch=self._state.next_epoch - 1,
            running=self.live.started if self.live else None,
            edits=dict(self._edits),
        )

    def submit(self, order: Order, intent: Intent) -> bool:
        """Accept an order; False if it says nothing or its target is not here."""
        if order.id in self._orders or self._history.knows(order.id):
            return False
        if not is_possible(order, self._history.knows):
            return False
        if intent is Intent.STEER and not (self.live and self.live.started.has_tools):
            intent = Intent.QUEUE  # without tools no step comes at which it could be passed on
        if order.kind is OrderKind.SEND:
            self._draft = Draft()  # its acceptance ends the one on disk
        elif order.kind is OrderKind.EDIT and order.target is not None:
            self._edits.pop(order.target, None)  # likewise
        self._orders.add(order)
        self._apply(Submitted(order.id, intent))
        return True

    def stop(self, epoch: int) -> None:
        """Stop everything up to this epoch."""
        self._apply(StopAsked(epoch))

    def stop_everything(self) -> None:
        """Stop what runs and what is about to."""
        self.stop(self._state.next_epoch)

    def send_held(self) -> None:
        """Release everything that is held."""
        self._apply(Resumed())

    def promote(self, order_id: MessageId) -> None:
        """Redirect with a waiting order, or send it if nothing runs."""
        self._apply(Promoted(order_id))

    def discard(self, order_ids: tuple[MessageId, ...]) -> None:
        """Take orders out of the queue, keeping them for `restore`."""
        self._orders.discard(self._state.queue, order_ids)
        self._apply(Discarded(order_ids))

    def restore(self, order_id: MessageId) -> None:
        """Put a discarded order back, held."""
        stood = self._orders.restore(order_id)
        if stood is not None:
            self._apply(Restored(order_id, *stood))

    def begin_revision(self, order_id: MessageId) -> None:
        """Keep an order from starting while its chip is open."""
        self._apply(EditBegun(order_id))

    def end_revision(self, order_id: MessageId, text: str | None) -> None:
        """Take the chip's new words, if any, and let the order go on."""
        if text is not None and text.strip():
            self._revise(order_id, text)
        self._apply(EditEnded(order_id))

    def _revise(self, order_id: MessageId, text: str) -> None:
        """Change an order's words; one that began before they came is edited where it is now."""
        if order_id in self._orders:
            self._orders.revise(order_id, text)
        elif self._history.knows(order_id):
            edit = Order(
                id=new_message_id(),
                conversation_id=self.id,
                kind=OrderKind.EDIT,
                parts=text_parts(text),
                target=order_id,
                created_at=self._clock.now(),
            )
            self.submit(edit, Intent.REDIRECT)

    def move(self, order_id: MessageId, index: int) -> None:
        """Put an order at another place in the queue."""
        self._apply(Moved(order_id, index))

    def begin_listening(self) -> None:
        """Start nothing that waits while the person speaks."""
        self._apply(SpeechBegun())

    def end_listening(self) -> None:
        """Let what waits go on."""
        self._apply(SpeechEnded())

    def select_branch(self, message_id: MessageId) -> None:
        """Show another branch; what runs goes on."""
        self._history.select(message_id)

    def save_draft(self, draft: Draft) -> None:
        """Keep what stands in the composer."""
        self._draft = draft
        self._store.save_draft(self.id, draft)

    def save_edit(self, message_id: MessageId, text: str) -> None:
        """Keep what a message or a waiting order is being changed to."""
        self._edits.pop(message_id, None)
        if text:
            self._edits[message_id] = text
        self._store.save_edit(self.id, message_id, text)

    def quit(self) -> None:
        """Cancel what runs and start nothing more."""
        self._apply(QuitAsked())

    @property
    def tasks(self) -> frozenset["asyncio.Task[None]"]:
        """What is still under way: turns that end, orders that are being saved."""
        return frozenset(self._tasks)

    def _apply(self, given: Input) -> None:
        self._state, effects = step(self._state, given)
        for effect in effects:
            self._carry_out(effect)
        waiting = self.waiting
        if waiting != self._told:
            self._told = waiting
            self._orders.follow(self._state.queue)
            self._emit(QueueChanged(conversation_id=self.id, waiting=waiting))

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Persist(id=order_id):
                self._persist(order_id)
            case Start(epoch=epoch, ids=ids):
                self._start(epoch, ids)
            case Deliver(ids=ids):
                self._deliver(ids)
            case Cancel(reason=reason):
                if self.live is not None:
                    self.live.token.cancel(reason)
            case _:
                assert_never(effect)

    def _persist(self, order_id: MessageId) -> None:
        entry = self._state.entry(order_id)
        assert entry is not None
        self._orders.accepted(order_id, entry.intent)
        saved = self._store.accept(self._orders[order_id], entry.intent)
        if self._draft.text:  # written since, and no part of what is saved a second time
            self._store.save_draft(self.id, self._draft)

        async def acknowledge() -> None:
            try:
                await saved
            except ProblemError as error:
                self._apply(NotCommitted(order_id))
                self._emit(StorageTrouble(conversation_id=self.id, problem=error.problem))
            else:
                self._emit(MessageCommitted(conversation_id=self.id, message_id=order_id))
                self._apply(Committed(order_id))

        self._spawn(acknowledge(), f"save {order_id}")

    def _start(self, epoch: int, ids: tuple[MessageId, ...]) -> None:
        """Move orders into the history and run a turn: one step, nothing can come between."""
        turn_id, now = new_turn_id(), self._clock.now()
        orders = [self._orders[order_id] for order_id in ids]
        placement = place(self._history.tree, orders, turn_id=turn_id, now=now)
        assert placement.leaf is not None
        self._store.begin_turn(
            TurnOpening(
                turn_id=turn_id,
                conversation_id=self.id,
                epoch=epoch,
                orders=ids,
                appended=placement.appended,
                leaf=placement.leaf,
                at=now,
            )
        )
        self._orders.began(ids)
        agent = self._agent()
        token = CancelToken(f"turn {epoch}")
        started = TurnStarted(
            conversation_id=self.id,
            turn_id=turn_id,
            epoch=epoch,
            model=agent.provider.model,
            has_tools=bool(agent.toolbox.specs),
        )
        self.live = LiveTurn(started=started, token=token, leaf=placement.leaf)
        self._history.show(placement.appended, placement.leaf)
        self._emit(started)
        narrator = Narrator(conversation_id=self.id, turn_id=turn_id, token=token, emit=self._emit)
        turn = Turn(
            turn_id=turn_id,
            agent=agent,
            history=self._history,
            leaf=placement.leaf,
            continues=placement.continues,
            token=token,
            narrator=narrator,
            pass_on=self._pass_on,
        )
        self._spawn(self._run(turn, narrator, self.live), f"turn {epoch}")

    async def _run(self, turn: Turn, narrator: Narrator, live: LiveTurn) -> None:
        begun_at, started = live.leaf, live.started
        outcome = await turn.run()
        narrator.end()
        if live.token.reason is StopReason.PERSON and self._state.phase == Running(live.epoch):
            # The direct road was faster: the command is still in line behind this very step.
            self._apply(StopAsked(live.epoch))
        self.live = None
        self.last_outcome = outcome
        self._history.settle(begun_at)
        self._store.end_turn(started.turn_id, outcome)
        self._emit(
            TurnEnded(
                conversation_id=self.id,
                turn_id=started.turn_id,
                epoch=started.epoch,
                outcome=outcome,
            )
        )
        self._apply(Finished(started.epoch, outcome))

    def _pass_on(self, leaf: MessageId) -> MessageId:
        """Hand waiting steers to the running turn, behind `leaf`; return where it goes on."""
        live = self.live
        assert live is not None
        live.leaf = leaf
        self._apply(StepReached(live.epoch))
        return live.leaf

    def _deliver(self, ids: tuple[MessageId, ...]) -> None:
        live = self.live
        assert live is not None
        for order_id in ids:
            message = steered(
                self._orders[order_id],
                parent=live.leaf,
                turn_id=live.started.turn_id,
                now=self._clock.now(),
            )
            self._history.add(message)
            live.leaf = message.id

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
