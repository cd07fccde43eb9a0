"""The chat: turns what is typed into commands, and what happens into lines.

Knows no terminal: a `Face` shows and reads. One conversation is in view; what runs in others goes
on, and is mentioned when it ends.
"""

import time
from typing import assert_never

from app.cli.chat import wishes, words
from app.cli.chat.face import Face
from app.cli.chat.telling import Teller
from app.cli.chat.view import View
from app.cli.codes import ExitCode
from app.cli.desk import Clock, Desk
from app.cli.problems import explained
from app.cli.sanitise import harmless, one_line
from app.cli.status import line
from app.core.commands import (
    Command,
    CreateConversation,
    DiscardWaiting,
    OpenConversation,
    PromoteWaiting,
    SendHeld,
    StopTurn,
    Submit,
)
from app.core.events import (
    ConversationEvent,
    ConversationOpened,
    ConversationsChanged,
    Event,
    StorageTrouble,
    TurnEnded,
)
from app.core.ids import ConversationId, MessageId, new_conversation_id, new_message_id
from app.core.messages import (
    Conversation,
    Intent,
    Order,
    OrderKind,
    Waiting,
    text_parts,
)


class Chat:
    """The person's counterpart; lives on the loop."""

    ends_on_second_interrupt = False

    def __init__(self, face: Face, clock: Clock = time.monotonic) -> None:
        self._face = face
        self._teller = Teller(face)
        self._clock = clock
        self._desk: Desk | None = None
        self._view = View(id=new_conversation_id())
        self.conversations: tuple[Conversation, ...] = ()  # newest first
        self._listed: tuple[Conversation, ...] | None = None  # as the person saw them numbered
        self._is_recalling = False

    async def run(self, desk: Desk) -> int:
        """Talk until the person leaves."""
        self._desk = desk
        self._face.remark(words.WELCOME)
        self._handle(CreateConversation(conversation_id=self._view.id))
        await self._face.serve(self)
        return ExitCode.OK

    async def finish(self, code: int) -> int:
        """Show the last words."""
        await self._face.finish()
        return code

    def interrupt(self) -> None:
        """Ctrl-C came as a signal."""
        self._face.drop_input()
        self.stop_or_hint()

    def quit(self) -> None:
        """Leave."""
        self._face.leave()

    @property
    def is_busy(self) -> bool:
        """Say whether a turn runs or is about to."""
        return self._view.is_busy

    @property
    def status_line(self) -> str:
        """What is going on, in one line."""
        return line(self._view.status, self._clock())

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """What waits, in running order."""
        return self._view.waiting

    def typed(  # noqa: C901 - one case per wish
        self, line: str, intent: Intent = Intent.REDIRECT
    ) -> None:
        """Do what a line asks for."""
        wish = wishes.understood(line)
        match wish:
            case wishes.Nothing():
                self._send_held_if_idle()
            case wishes.Say(text=text, intent=own):
                self._submit(OrderKind.SEND, own or intent, text=text)
            case wishes.Stop():
                self.stop_or_hint()
            case wishes.Retry() | wishes.Continue():
                self._again(wish)
            case wishes.ShowWaiting():
                self._face.tell(words.numbered(self._view.waiting))
            case wishes.SendWaiting() | wishes.Discard():
                self._release(wish)
            case wishes.New() | wishes.ListAll() | wishes.Open():
                self._turn_to(wish)
            case wishes.Help():
                self._face.tell(words.HELP)
            case wishes.Quit():
                self._face.leave()
            case wishes.Unclear(sentence=sentence):
                self._face.hint(harmless(sentence))
            case _:
                assert_never(wish)

    def stop_or_hint(self) -> None:
        """Stop what runs and what is about to; say so if that is nothing."""
        if not self._view.is_busy:
            self._face.hint(words.NOTHING_RUNS)
            return
        self._view.stop_asked(self._clock())
        self._handle(StopTurn(conversation_id=self._view.id, epoch=self._view.horizon))
        self._face.refresh()

    def heard(self, event: Event) -> None:
        """Take in what the services tell."""
        match event:
            case ConversationsChanged(conversations=conversations):
                self.conversations = conversations
                self._face.refresh()
            case StorageTrouble(problem=problem):
                self._teller.say_trouble(explained(problem))
            case ConversationEvent(conversation_id=self._view.id):
                self._view.follow(event, self._clock())
                if isinstance(event, ConversationOpened) and self._is_recalling:
                    self._is_recalling = False
                    self._teller.recall(self._view)
                self._teller.show(event, self._view)
            case TurnEnded(conversation_id=elsewhere):
                self._face.remark(f"Ended: {self._title(elsewhere)} · /list")
            case _:
                pass

    def _title(self, conversation_id: ConversationId) -> str:
        found = (each for each in self.conversations if each.id == conversation_id)
        return one_line(next((each.title for each in found), "")) or "another conversation"

    def _submit(
        self,
        kind: OrderKind,
        intent: Intent,
        *,
        text: str = "",
        target: MessageId | None = None,
    ) -> None:
        order = Order(
            id=new_message_id(),
            conversation_id=self._view.id,
            kind=kind,
            parts=text_parts(text) if text else (),
            target=target,
            created_at=time.time(),
        )
        self._view.sent(self._clock())
        self._handle(Submit(conversation_id=self._view.id, order=order, intent=intent))

    def _again(self, wish: wishes.Retry | wishes.Continue) -> None:
        leaf = self._view.leaf
        if isinstance(wish, wishes.Continue):
            target, kind, none = self._view.cut_off, OrderKind.CONTINUE, words.NOTHING_TO_CONTINUE
        else:
            target, kind, none = leaf.id if leaf else None, OrderKind.RETRY, words.NOTHING_TO_RETRY
        if target is None:
            self._face.hint(none)
        else:
            self._submit(kind, Intent.REDIRECT, target=target)

    def _send_held_if_idle(self) -> None:
        if self._view.held and not self._view.is_busy:
            self._handle(SendHeld(conversation_id=self._view.id))

    def _release(self, wish: wishes.SendWaiting | wishes.Discard) -> None:
        chosen = self._view.held if wish.number is None else self._numbered(wish.number)
        if not chosen:
            known = wish.number is None
            self._face.hint(
                words.NOTHING_HELD
                if known
                else words.NO_SUCH_NUMBER.format(number=wish.number, command="held")
            )
            return
        ids = tuple(each.order.id for each in chosen)
        if isinstance(wish, wishes.Discard):
            self._handle(DiscardWaiting(conversation_id=self._view.id, message_ids=ids))
        elif wish.number is None:
            self._handle(SendHeld(conversation_id=self._view.id))
        else:
            self._handle(PromoteWaiting(conversation_id=self._view.id, message_id=ids[0]))

    def _numbered(self, number: int) -> tuple[Waiting, ...]:
        return self._view.waiting[number - 1 : number] if number else ()

    def _turn_to(self, wish: wishes.New | wishes.ListAll | wishes.Open) -> None:
        match wish:
            case wishes.ListAll():
                self._listed = self.conversations
                self._face.tell(words.listed(self._listed))
            case wishes.New():
                self._look_at(new_conversation_id())
                self._face.remark(words.NEW)
                self._handle(CreateConversation(conversation_id=self._view.id))
            case wishes.Open(number=number):
                self._open(number)

    def _open(self, number: int) -> None:
        listed = self.conversations if self._listed is None else self._listed
        if not 0 < number <= len(listed):
            self._face.hint(words.NO_SUCH_NUMBER.format(number=number, command="list"))
            return
        chosen = listed[number - 1]
        self._look_at(chosen.id)
        self._face.remark(one_line(chosen.title) or "Untitled")
        self._is_recalling = True
        self._handle(OpenConversation(conversation_id=chosen.id))

    def _look_at(self, conversation_id: ConversationId) -> None:
        if self._view.is_busy:
            self._face.remark(words.GOES_ON)
        self._view = View(id=conversation_id)

    def _handle(self, command: Command) -> None:
        assert self._desk is not None
        self._desk.handle(command)
