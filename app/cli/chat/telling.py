"""Tells the person what happens in the conversation in view."""

from app.cli.chat import words
from app.cli.chat.face import Face
from app.cli.chat.view import View
from app.cli.sanitise import harmless, one_line
from app.core.events import (
    ConversationEvent,
    Failed,
    FellBack,
    HistoryChanged,
    TextDelta,
    ToolFinished,
    TurnEnded,
)
from app.core.ids import MessageId
from app.core.messages import Message, Role
from app.core.wording import switched


class Teller:
    """Turns events into what a face shows."""

    def __init__(self, face: Face) -> None:
        self._face = face
        self._held: frozenset[MessageId] = frozenset()  # told to be held
        self._last_trouble = ""

    def show(self, event: ConversationEvent, view: View) -> None:
        """Show an event that the view has taken in already."""
        match event:
            case TextDelta(text=text):
                self._face.write(harmless(text))
                return  # the status follows by itself
            case HistoryChanged(added=added):
                self._show_questions(added)
            case FellBack(from_model=failed, to_model=asked, problem=problem):
                self._face.remark(harmless(switched(failed, asked, problem)))
            case ToolFinished(name=name, is_error=is_error):
                self._face.remark(one_line(f"{name} {'failed' if is_error else 'ran'}"))
            case TurnEnded(outcome=outcome):
                said = words.ended(outcome, has_words=view.has_words)
                if said:
                    self._face.remark(said, is_trouble=isinstance(outcome, Failed))
            case _:
                pass
        self._say_held(view)
        self._face.refresh()

    def recall(self, view: View) -> None:
        """Show what was said in a conversation that is opened again."""
        for is_person, text in words.recalled(view.tree.path()):
            if is_person:
                self._face.question(text)
            else:
                self._face.write(text)

    def say_trouble(self, sentence: str) -> None:
        """Say it once: a failing disk says the same again and again."""
        if sentence != self._last_trouble:
            self._last_trouble = sentence
            self._face.remark(sentence, is_trouble=True)

    def _show_questions(self, added: tuple[Message, ...]) -> None:
        for message in added:
            if message.role is Role.USER:
                self._face.question(harmless(message.text))
                if message.steered:
                    self._face.remark("Passed on")

    def _say_held(self, view: View) -> None:
        """Say what is held, once it is and where it cannot be seen."""
        held = frozenset(each.order.id for each in view.held)
        if view.is_busy or held == self._held:
            return
        if held - self._held and not self._face.shows_waiting:
            self._face.remark(words.held_sentence(view.waiting))
        self._held = held
