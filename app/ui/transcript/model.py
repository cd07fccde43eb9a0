"""The conversation that is shown, kept up to date by events.

Pure: no Qt. One instance per view, used on the GUI thread only. A running answer may be known
from its deltas, from the history, or from both in either order; its entry is one object
throughout, so that whoever shows it can keep what it has laid out.
"""

from app.core.events import (
    Completed,
    ConversationEvent,
    ConversationOpened,
    Event,
    Failed,
    FellBack,
    HistoryChanged,
    Outcome,
    ReasoningDelta,
    Stopped,
    StopReason,
    TextDelta,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import ConversationId, MessageId
from app.core.messages import Ending, Message, Role, Tree
from app.core.wording import switched
from app.ui.transcript.changes import Change, Grew, Murmured, Reset, Spliced, Touched
from app.ui.transcript.entry import Branch, Entry, Notice, NoticeKind, finish
from app.ui.transcript.parts import Call, CallState, Words
from app.ui.transcript.path import Siblings, changed_end, elsewhere, results_after

_ENDINGS = {
    StopReason.PERSON: Ending.STOPPED,
    StopReason.REDIRECT: Ending.REDIRECTED,
    StopReason.QUIT: Ending.BELAY_CLOSED,
}


class TranscriptModel:
    """The entries of one conversation's shown branch, oldest first."""

    def __init__(self) -> None:
        self.conversation_id: ConversationId | None = None
        self.entries: list[Entry] = []
        self.running: TurnStarted | None = None
        self._tree = Tree()
        self._siblings = Siblings()
        self._index: dict[MessageId, int] = {}
        self._live: dict[MessageId, Entry] = {}  # of the running turn, in order
        self._notes: tuple[str, ...] = ()  # for the answer that has not begun
        self._noticed: Entry | None = None

    def apply(self, event: Event) -> tuple[Change, ...]:
        """Take an event in and say what it changed; foreign and unknown ones change nothing."""
        if isinstance(event, ConversationOpened):
            return self._open(event)
        is_ours = isinstance(event, ConversationEvent) and (
            event.conversation_id == self.conversation_id
        )
        return self._take(event) if is_ours else ()

    def index_of(self, message_id: MessageId) -> int | None:
        """Find where a message is shown."""
        return self._index.get(message_id)

    def group_of(self, index: int) -> tuple[int, int]:
        """Find the first and last entry of the answer that this entry belongs to."""
        first = last = index
        while first > 0 and self._is_joined(first):
            first -= 1
        while last + 1 < len(self.entries) and self._is_joined(last + 1):
            last += 1
        return first, last

    def question_of(self, index: int) -> Entry | None:
        """Find the person's message that an entry answers."""
        asked = (self.entries[i] for i in range(index, -1, -1))
        return next((entry for entry in asked if entry.is_person), None)

    def answering_elsewhere(self) -> Branch | None:
        """Say which hidden branch the running turn writes in, if it does."""
        if self.running is None or not self._live:
            return None
        return elsewhere(self._tree, self._siblings, self._index, next(reversed(self._live)))

    def _is_joined(self, index: int) -> bool:
        return not self.entries[index].is_person and not self.entries[index - 1].is_person

    def _take(self, event: Event) -> tuple[Change, ...]:
        changes: tuple[Change, ...] = ()
        match event:
            case HistoryChanged(tree=tree, added=added):
                changes = self._show(tree, added)
            case TurnStarted():
                changes = self._begin(event)
            case TextDelta(message_id=message_id, text=text):
                changes = self._say(message_id, text, thinking=False)
            case ReasoningDelta(message_id=message_id, text=text):
                changes = self._say(message_id, text, thinking=True)
            case ToolStarted() | ToolOutput() | ToolFinished():
                changes = self._tool(event)
            case FellBack():
                self._notes += (switched(event.from_model, event.to_model, event.problem),)
            case TurnEnded(outcome=outcome):
                changes = self._end(outcome)
            case _:
                pass  # the rest is for the composer, the sidebar and the status line
        return changes

    def _open(self, event: ConversationOpened) -> tuple[Change, ...]:
        self.conversation_id = event.conversation_id
        self.entries, self._index, self._live, self._notes = [], {}, {}, ()
        self._siblings = Siblings()
        self.running = event.running
        self._show(event.tree)
        for entry in self.entries:
            if event.running and entry.is_open:
                self._live[entry.id] = entry
        return (Reset(),)

    def _show(self, tree: Tree, added: tuple[Message, ...] = ()) -> tuple[Change, ...]:
        self._tree = tree
        new = self._siblings.follow(tree, added)
        start, messages = changed_end(tree, self._index, self.entries)
        before = self.entries[start:]
        end, changed = self._end_of_path(messages)
        tip = end[-1].id if end else self.entries[start - 1].id if start else None
        for entry in self._live.values():
            if entry.message is None and entry.parent == tip:
                end.append(entry)
                tip = entry.id
        for entry in before:
            del self._index[entry.id]
        self.entries[start:] = end
        self._index.update((entry.id, start + i) for i, entry in enumerate(end))
        changed |= self._count_branches(new)
        return self._difference(before, start, changed)

    def _end_of_path(self, messages: list[Message]) -> tuple[list[Entry], set[MessageId]]:
        end: list[Entry] = []
        changed: set[MessageId] = set()
        for at, message in enumerate(messages):
            if message.role not in (Role.USER, Role.ASSISTANT):
                continue
            results = results_after(messages, at)
            entry = self._known(message)
            if entry is None:
                entry = Entry(message.id, message.role, message, results)
            elif entry.adopt(message, results):
                changed.add(message.id)
            entry.branch = self._siblings.branch_at(message)
            end.append(entry)
        return end, changed

    def _count_branches(self, new: list[Message]) -> set[MessageId]:
        """Count anew beside messages that came; say which shown entries it changed."""
        changed: set[MessageId] = set()
        for message in new:
            beside = self._siblings.beside(message)
            for sibling in beside if len(beside) > 1 else ():
                at = self._index.get(sibling.id)
                branch = self._siblings.branch_at(sibling)
                if at is not None and self.entries[at].branch != branch:
                    self.entries[at].branch = branch
                    changed.add(sibling.id)
        return changed

    def _difference(
        self, before: list[Entry], start: int, changed: set[MessageId]
    ) -> tuple[Change, ...]:
        now = self.entries[start:]
        pairs = zip(before, now, strict=False)
        same = next((i for i, (old, new) in enumerate(pairs) if old is not new), None)
        if same is None:
            same = min(len(before), len(now))
        is_same = same == len(before) == len(now)
        spliced = () if is_same else (Spliced(start + same),)
        touched = sorted(self._index[one] for one in changed if one in self._index)
        return (*spliced, *(Touched(at) for at in touched if is_same or at < start + same))

    def _known(self, message: Message) -> Entry | None:
        at = self._index.get(message.id)
        return self.entries[at] if at is not None else self._live.get(message.id)

    def _begin(self, event: TurnStarted) -> tuple[Change, ...]:
        self.running = event
        self._notes = ()
        self._live = {}
        noticed, self._noticed = self._noticed, None
        if noticed is None:
            return ()
        noticed.notice = None
        at = self._index.get(noticed.id)
        return () if at is None else (Touched(at),)

    def _say(self, message_id: MessageId, text: str, *, thinking: bool) -> tuple[Change, ...]:
        opened = self._opened(message_id)
        entry = self._live[message_id]
        part = entry.append_thought(text) if thinking else entry.append_words(text)
        at = self._index.get(message_id)
        if at is None:
            return ()
        return opened or (Grew(at, part, text),)

    def _opened(self, message_id: MessageId) -> tuple[Change, ...]:
        if message_id in self._live:
            return ()
        at = self._index.get(message_id)
        if at is not None:
            self._live[message_id] = self.entries[at]
            return (Touched(at),)
        entry = Entry(message_id, Role.ASSISTANT)
        entry.notes, self._notes = self._notes, ()
        self._live[message_id] = entry
        if message_id in self._tree.messages:
            return ()  # written in a branch that is not shown
        entry.parent = self.entries[-1].id if self.entries else None
        self._index[message_id] = len(self.entries)
        self.entries.append(entry)
        return (Spliced(len(self.entries) - 1),)

    def _tool(self, event: ToolStarted | ToolOutput | ToolFinished) -> tuple[Change, ...]:
        opened: tuple[Change, ...] = ()
        found = self._call_of(event)
        if found is None:
            if not self._live:  # a call with no word before it
                opened = self._opened(MessageId(event.turn_id))
            found = self._add_call(event)
        entry, call = found
        match event:
            case ToolStarted():
                call.name, call.arguments = event.name, event.arguments
                call.state = CallState.RUNNING
            case ToolOutput(text=text):
                call.output.append(text)
            case ToolFinished(content=content):
                finish(call, content, is_error=event.is_error)
        at = self._index.get(entry.id)
        if at is None or opened:
            return opened
        return (Murmured(at),) if isinstance(event, ToolOutput) else (Touched(at),)

    def _call_of(self, event: ToolStarted | ToolOutput | ToolFinished) -> tuple[Entry, Call] | None:
        for entry in (*reversed(self._live.values()), *self._answer()):
            if call := entry.call(event.call_id):
                return entry, call
        return None

    def _add_call(self, event: ToolStarted | ToolOutput | ToolFinished) -> tuple[Entry, Call]:
        entry = next(reversed(self._live.values()))
        call = Call(event.call_id, getattr(event, "name", ""), "", Words())
        entry.parts.append(call)
        return entry, call

    def _answer(self) -> tuple[Entry, ...]:
        if not self.entries or self.entries[-1].is_person:
            return ()
        first, last = self.group_of(len(self.entries) - 1)
        return tuple(self.entries[first : last + 1])

    def _end(self, outcome: Outcome) -> tuple[Change, ...]:
        self.running = None
        for entry in self._live.values():
            if entry.is_open:
                entry.settle(Ending.COMPLETE)
        self._close(outcome)
        shown = {self._index[one] for one in self._live if one in self._index}
        last = len(self.entries) - 1
        return tuple(Touched(i) for i in sorted(shown | ({last} if last >= 0 else set())))

    def _close(self, outcome: Outcome) -> None:
        last = next(reversed(self._live.values()), None)
        has_words = last is not None and bool(last.words.strip())
        match outcome:
            case Completed():
                return
            case Stopped(reason=reason):
                if last is not None and has_words:
                    _end_unknown(last, _ENDINGS[reason])
                elif reason is StopReason.PERSON:
                    self._notify(Notice(NoticeKind.NO_ANSWER))
            case Failed(problem=problem):
                if last is not None and has_words:
                    _end_unknown(last, Ending.CONNECTION_LOST)
                self._notify(Notice(NoticeKind.PROBLEM, problem))

    def _notify(self, notice: Notice) -> None:
        if self.entries:
            self._noticed = self.entries[-1]
            self._noticed.notice = notice


def _end_unknown(entry: Entry, ending: Ending) -> None:
    """Say how an answer ended, unless the history has said it already."""
    if entry.message is None or entry.message.ending is Ending.OPEN:
        entry.settle(ending)
