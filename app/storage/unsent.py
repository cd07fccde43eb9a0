"""Words that stand unsent, as the side file keeps them: a draft, or a message being changed."""

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import apsw

from app.core.ids import ConversationId, MessageId
from app.core.messages import Draft
from app.storage import writes


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsentWords:
    """The words and where they stand; without a message they are the conversation's draft."""

    conversation: str
    message: str | None
    text: str
    cursor: int
    at: float

    def to_plain(self) -> dict[str, Any]:
        """Write them as a line of the side file."""
        return {"version": 1, "unsent": asdict(self)}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> "UnsentWords":
        """Read them; raise ValueError or TypeError if they make no sense."""
        words = cls(**plain)
        texts = (words.conversation, words.text, words.message or "")
        is_sound = all(isinstance(text, str) for text in texts) and isinstance(words.cursor, int)
        if not (is_sound and words.conversation and isfinite(words.at)):
            raise ValueError("not the words of a draft")
        return words

    def absorb(self, db: apsw.Connection) -> None:
        """Put them into the tables, unless what stands there is newer."""
        table, key, value = ("drafts", "conversation_id", self.conversation)
        if self.message is not None:
            table, key, value = ("edits", "message_id", self.message)
        query = f"SELECT max(saved_at) FROM {table} WHERE {key} = ?"  # noqa: S608 - ours
        if (db.execute(query, (value,)).get or 0.0) <= self.at:
            self.put(db)

    def put(self, db: apsw.Connection) -> None:
        """Put them into the tables."""
        chat = ConversationId(self.conversation)
        if self.message is None:
            draft = Draft(text=self.text, cursor=self.cursor)
            writes.save_draft(db, chat, draft, at=self.at)
        else:
            writes.save_edit(db, chat, MessageId(self.message), self.text, at=self.at)
