"""Says something aloud through the screen reader, if one listens."""

from PySide6.QtWidgets import QWidget

from app.core.status import Announcement


def announce(source: QWidget, what: Announcement) -> None:
    """Announce it on behalf of a widget; polite, unless it is an error."""
    # Its many enums cost 10 ms, and nothing is said before the window's first picture.
    from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent  # noqa: PLC0415

    if not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(source, what.text)
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if what.is_assertive else politeness.Polite)
    QAccessible.updateAccessibility(event)
