"""The place of the editor while the person changes a message of theirs."""

from app.ui.transcript.look import Look
from app.ui.transcript.rows.base import FixedRow


class EditRow(FixedRow):
    """Room for the editor, which is a widget of its own."""

    def __init__(self, needed: int) -> None:
        self.needed = needed

    def room(self, look: Look) -> int:  # noqa: ARG002
        """What the editor asked for."""
        return self.needed
