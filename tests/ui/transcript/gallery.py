"""Pictures of every block and state, light and dark: `python -m tests.ui.transcript.gallery DIR`.

Not a test: a person looks at them.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontDatabase, QImage, QLinearGradient, QPainter
from PySide6.QtWidgets import QApplication

from app.core.errors import Problem, ProblemKind
from app.core.events import Event, Failed, FellBack, Stopped, StopReason
from app.core.ids import CallId
from app.core.messages import (
    Ending,
    ImagePart,
    Origin,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from app.ui.style import put_on
from app.ui.theme import DARK, LIGHT
from app.ui.transcript.selection import Caret, Selection
from app.ui.transcript.view import TranscriptView
from tests.ui.small_pictures import save_small
from tests.ui.transcript.conversation import (
    HERE,
    TURN,
    asked,
    ended,
    message,
    opened,
    said,
    started,
    thought,
    tool_output,
    tool_started,
)
from tests.ui.transcript.samples import BLOCKS, CJK, CODE, MOCK, SCRIPTS, WIDE


def mock() -> list[Event]:
    """The conversation of the mock pictures."""
    question = (
        "How do I keep scrolling fast in a chat with thousands of messages of different height?"
    )
    return [
        opened(
            asked("u1", question),
            message("a1", MOCK, parent="u1"),
            asked("u2", "Show me the code.", parent="a1"),
        ),
        started(),
        said(CODE, "a2"),
    ]


def tools() -> list[Event]:
    """Reasoning and tool calls, stored and running."""
    call = ToolCallPart(
        call_id=CallId("k1"), name="web_search", arguments='{"query": "fenwick tree", "limit": 5}'
    )
    result = ToolResultPart(
        call_id=CallId("k1"), name="web_search", content="1. A paper\n2. A talk"
    )
    return [
        opened(
            asked("u1", "Look it up."),
            message(
                "a1",
                "",
                parent="u1",
                parts=(ReasoningPart(text="They want sources."), TextPart(text="Looking."), call),
            ),
            message("r1", "", role=Role.TOOL, parent="a1", parts=(result,)),
            message("a2", "Found **two** sources.", parent="r1"),
            asked("u2", "And now run it.", parent="a2"),
        ),
        started(),
        FellBack(
            conversation_id=HERE,
            turn_id=TURN,
            from_model="big-model",
            to_model="small-model",
            problem=Problem(
                kind=ProblemKind.SERVER_FAULT, params={"provider": "Example", "times": "3"}
            ),
        ),
        thought("Which file?", "a3"),
        said("Running the benchmark:", "a3"),
        tool_started("k2", "run_command", '{"command": "python bench.py --all"}'),
        tool_output("1k  1.8 ms\n10k 2.5 ms\n", "k2"),
    ]


def thinking() -> list[Event]:
    """Nothing but thoughts so far."""
    return [
        opened(asked("u1", "How many primes are below 100?")),
        started(),
        thought("I could count them, or use a sieve."),
    ]


def endings() -> list[Event]:
    """Endings, branches, a spoken question, a problem."""
    return [
        opened(
            message(
                "u1",
                "",
                role=Role.USER,
                parts=(
                    ImagePart(path="tree.png", media_type="image/png"),
                    TextPart(text="What is this?"),
                ),
                origin=Origin.SPOKEN,
            ),
            message("a0", "Older.", parent="u1", at=1),
            message("a1", "It is a tree, seen fr", parent="u1", at=2, ending=Ending.STOPPED),
            asked("u2", "And the other one?\nOn a second line.", parent="a1"),
            message("a2", "Another", parent="u2", ending=Ending.CONNECTION_LOST),
            message("a3", "tree.", parent="a2", continues=True),
            asked("u3", "Thanks. One more question.", parent="a3"),
        ),
        started(),
        ended(
            Failed(
                problem=Problem(
                    kind=ProblemKind.KEY_REJECTED,
                    params={"provider": "Example"},
                    detail="HTTP 401: invalid_api_key",
                )
            )
        ),
    ]


def stopped() -> list[Event]:
    """A turn stopped before a word, and one that broke off."""
    return [
        opened(asked("u1", "Tell me a story.")),
        started(),
        said("Once upon a ti"),
        ended(Failed(problem=Problem(kind=ProblemKind.BROKEN_OFF))),
    ]


def no_answer() -> list[Event]:
    """A turn stopped before a word."""
    return [
        opened(asked("u1", "Tell me a story.")),
        started(),
        ended(Stopped(reason=StopReason.PERSON)),
    ]


def scripts(view: TranscriptView) -> None:
    """Add what only some machines have letters for."""
    has_cjk = QFontDatabase.families(QFontDatabase.WritingSystem.Japanese)
    for event in one(SCRIPTS + (f"\n{CJK}" if has_cjk else "")):
        view.apply(event)


def one(text: str) -> list[Event]:
    """One question and its answer."""
    return [opened(asked("u1", "Show me."), message("a1", text, parent="u1"))]


Pose = Callable[[TranscriptView], None]


def still(view: TranscriptView) -> None:
    """Do nothing more."""


def selected(view: TranscriptView) -> None:
    """Select across messages."""
    view.pointer.set_selection(Selection(Caret(0, 0, 4), Caret(1, 4, 30)))
    view.scroll_to_start()


def found(view: TranscriptView) -> None:
    """Look for a word, with the pointer on a link."""
    view.scroll_to_start()
    view.open_find()
    view.finder.bar.box.setText("row")
    view._hint.show_target("https://example.org/fenwick", view.page.stage.look, view.window_area())


def edited(view: TranscriptView) -> None:
    """Change the first question, with the way back in sight."""
    view.scroll_to_start()
    view.editing.begin(0)


def unfolded(view: TranscriptView) -> None:
    """Unfold thoughts, cards and details."""
    for item in range(len(view.page.items)):
        for part in range(len(view.page.items[item].entry.parts)):
            view.page.toggle(item, part)
        view.page.toggle_details(item)
    view.relay()


def landscape() -> QImage:
    """A picture that somebody might attach."""
    picture = QImage(1200, 675, QImage.Format.Format_RGB32)
    sky = QLinearGradient(0, 0, 0, 675)
    for at, colour in ((0.0, "#7fb2e6"), (0.6, "#f6d9b0"), (0.61, "#5d7a4a"), (1.0, "#33482b")):
        sky.setColorAt(at, QColor(colour))
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(picture.rect(), sky)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor("#4a3524"))
    painter.drawRect(580, 330, 40, 220)
    painter.setBrush(QColor("#3f6b35"))
    for x, y, size in ((600, 250, 260), (500, 320, 180), (700, 320, 180)):
        painter.drawEllipse(x - size // 2, y - size // 2, size, size)
    painter.end()
    return picture


def attached(view: TranscriptView) -> None:
    """Bring the picture."""
    view.show_picture("tree.png", landscape())
    view.scroll_to_start()


def large(view: TranscriptView) -> None:
    """Very large text."""
    view.set_theme(view.page.stage.look.theme.scaled(24))
    view.scroll_to_start()


def narrow(view: TranscriptView) -> None:
    """As narrow as the window gets."""
    view.resize(420, view.height())
    view.scroll_to_start()


def hovered(view: TranscriptView) -> None:
    """Point at the last question."""
    view.scroll_to_start()
    view._hover("u1")
    view._pool.shown[1].setFocus()


SCENES: dict[str, tuple[list[Event], int, Pose]] = {
    "mock": (mock(), 900, still),
    "blocks": (one(BLOCKS), 1310, still),
    "scripts": (one(SCRIPTS), 440, scripts),
    "wide": (one(WIDE), 300, still),
    "thinking": (thinking(), 300, still),
    "tools": (tools(), 620, still),
    "unfolded": (tools(), 1200, unfolded),
    "endings": (endings(), 780, still),
    "picture": (endings(), 460, attached),
    "details": (endings(), 880, unfolded),
    "broken": (stopped(), 420, still),
    "no_answer": (no_answer(), 300, still),
    "selected": (mock(), 600, selected),
    "found": (mock(), 600, found),
    "edited": (mock(), 500, edited),
    "hovered": (mock(), 300, hovered),
    "large": (mock(), 800, large),
    "narrow": (mock(), 800, narrow),
}


def paint(app: QApplication, folder: Path, names: Sequence[str] = ()) -> None:
    """Paint all scenes, or those that are named, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for theme in (LIGHT, DARK):
        put_on(app, theme)
        for name, (events, height, pose) in SCENES.items():
            if names and name not in names:
                continue
            view = TranscriptView(theme)
            view.resize(860, height)
            view.show()
            view.setFocus()
            for event in events:
                view.apply(event)
            view.flush()
            pose(view)
            for _ in range(3):
                app.processEvents()
            save_small(view.grab().toImage(), folder / f"{name}-{theme.name}.png")
            view.close()


if __name__ == "__main__":
    paint(QApplication([]), Path(sys.argv[1]), sys.argv[2:])
