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
from app.ui.transcript.changes import Change, Grew, Reset, Spliced, Touched
from app.ui.transcript.entry import Branch, Entry, Notice, NoticeKind, finish
from app.ui.transcript.parts import Call, CallState, Words
from app.ui.transcript.path import elsewhere, shown_path

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
        self._index: dict[MessageId, int] = {}
        self._live: dict[MessageId, Entry] = {}  # of the running turn, in order
        self._notes: tuple[str, ...] = ()  # for the answer that has not begun

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
        return elsewhere(self._tree, set(self._index), next(reversed(self._live)))

    def _is_joined(self, index: int) -> bool:
        return not self.entries[index].is_person and not self.entries[index - 1].is_person

    def _take(self, event: Event) -> tuple[Change, ...]:
        changes: tuple[Change, ...] = ()
        match event:
            case HistoryChanged(tree=tree):
                changes = self._show(tree)
            case TurnStarted():
                changes = self._begin(event)
            case TextDelta(message_id=message_id, text=text):
                changes = self._say(message_id, text, thinking=False)
            case ReasoningDelta(message_id=message_id, text=text):
                changes = self._say(message_id, text, thinking=True)
            case ToolStarted() | ToolOutput() | ToolFinished():
                changes = self._tool(event)
            case FellBack():
                self._notes += (f"{event.from_model} failed. Asked {event.to_model} instead.",)
            case TurnEnded(outcome=outcome):
                changes = self._end(outcome)
            case _:
                pass  # the rest is for the composer, the sidebar and the status line
        return changes

    def _open(self, event: ConversationOpened) -> tuple[Change, ...]:
        self.conversation_id = event.conversation_id
        self.entries, self._index, self._live, self._notes = [], {}, {}, ()
        self.running = event.running
        self._show(event.tree)
        for entry in self.entries:
            if event.running and entry.is_open:
                self._live[entry.id] = entry
        return (Reset(),)

    def _show(self, tree: Tree) -> tuple[Change, ...]:
        self._tree = tree
        before = self.entries
        entries, changed = shown_path(tree, self._known)
        tip = entries[-1].id if entries else None
        for entry in self._live.values():
            if entry.message is None and entry.parent == tip:
                entries.append(entry)
                tip = entry.id
        self.entries = entries
        self._index = {entry.id: i for i, entry in enumerate(entries)}
        return self._difference(before, changed)

    def _difference(self, before: list[Entry], changed: set[MessageId]) -> tuple[Change, ...]:
        pairs = zip(before, self.entries, strict=False)
        same = next((i for i, (was, now) in enumerate(pairs) if was is not now), None)
        if same is None:
            same = min(len(before), len(self.entries))
        spliced = () if same == len(before) == len(self.entries) else (Spliced(same),)
        indices = sorted(self._index[one] for one in changed if self._index[one] < same)
        return (*spliced, *(Touched(i) for i in indices))

    def _known(self, message: Message) -> Entry | None:
        at = self._index.get(message.id)
        return self.entries[at] if at is not None else self._live.get(message.id)

    def _begin(self, event: TurnStarted) -> tuple[Change, ...]:
        self.running = event
        self._notes = ()
        self._live = {}
        noticed = [i for i, entry in enumerate(self.entries) if entry.notice]
        for i in noticed:
            self.entries[i].notice = None
        return tuple(Touched(i) for i in noticed)

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
        entry, call = self._find_call(event)
        match event:
            case ToolStarted():
                call.name, call.arguments = event.name, event.arguments
                call.state = CallState.RUNNING
            case ToolOutput(text=text):
                call.output.append(text)
            case ToolFinished(content=content):
                finish(call, content, is_error=event.is_error)
        at = self._index.get(entry.id)
        return () if at is None else (Touched(at),)

    def _find_call(self, event: ToolStarted | ToolOutput | ToolFinished) -> tuple[Entry, Call]:
        for entry in (*reversed(self._live.values()), *self._answer()):
            if call := entry.call(event.call_id):
                return entry, call
        if not self._live:
            self._opened(MessageId(event.turn_id))  # a call with no word before it
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
            self.entries[-1].notice = notice


def _end_unknown(entry: Entry, ending: Ending) -> None:
    """Say how an answer ended, unless the history has said it already."""
    if entry.message is None or entry.message.ending is Ending.OPEN:
        entry.settle(ending)
