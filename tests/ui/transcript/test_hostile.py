"""Whatever the model writes: nothing is loaded, nothing opens, nothing breaks, nothing piles up."""

import itertools
import socket
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.theme import DARK, LIGHT
from app.ui.transcript.look import Look
from app.ui.transcript.paper import Paper
from app.ui.transcript.view import TranscriptView
from tests.ui.transcript.conftest import Shown, clipboard
from tests.ui.transcript.conversation import (
    asked,
    ended,
    message,
    opened,
    said,
    started,
    thought,
    tool_finished,
    tool_started,
)
from tests.unit.ui_transcript.markdown import wild_code, wild_documents, wild_inline, wild_tables

LURES = """![a](http://127.0.0.1:{port}/a.png) ![b][ref]

<img src="http://127.0.0.1:{port}/b.png"><script src="http://127.0.0.1:{port}/c.js"></script>

<style>@import url(http://127.0.0.1:{port}/d.css);</style>

[link](http://127.0.0.1:{port}/e) <http://127.0.0.1:{port}/f> http://127.0.0.1:{port}/g

[file](file://{file}) ![file](file://{file}) <img src="{file}">

<svg><image href="http://127.0.0.1:{port}/h"/></svg>

<iframe src="http://127.0.0.1:{port}/i"></iframe>

| ![j](http://127.0.0.1:{port}/j.png) |
|---|
| <img src="http://127.0.0.1:{port}/k.png"> |

[ref]: http://127.0.0.1:{port}/l.png
"""


@pytest.fixture
def trap() -> Iterator[socket.socket]:
    """A server that must never be called."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        yield server


def calls(trap: socket.socket) -> int:
    try:
        trap.accept()
    except (BlockingIOError, TimeoutError):
        return 0
    return 1


def test_nothing_the_model_writes_is_fetched_or_opened(
    shown: Shown, trap: socket.socket, tmp_path: Path, qtbot: QtBot
) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"not for anybody")
    text = LURES.format(port=trap.getsockname()[1], file=secret)
    with qtbot.assertNotEmitted(shown.view.link_activated):
        shown.hear(opened(asked("u1", text)), started(), thought(text), said(text))
        shown.hear(tool_started(arguments=text), tool_finished(text), said(text), ended())
        for button in shown.buttons():
            if button.accessibleName().startswith(("Thoughts", "search")):
                button.click()
        for one in shown.view.seen:
            shown.hover(one.area.center())
        shown.view.scroll_to_start()
        shown.view.set_theme(DARK)
        for _ in range(20):
            QApplication.processEvents()
    assert calls(trap) == 0


def test_paper_loads_nothing() -> None:
    paper = Paper(Look(LIGHT).option(wraps=True))
    kind = QTextDocument.ResourceType.ImageResource.value
    assert paper.loadResource(kind, QUrl("file:///etc/hostname")) is None
    assert paper.resource(kind, QUrl("file:///etc/hostname")) is None


def test_tags_are_shown_as_they_are_written(shown: Shown) -> None:
    shown.answer("<b>bold</b> <script>alert(1)</script> &lt;i&gt;\n\n<table><tr><td>x</table>")
    assert shown.words[1:] == [
        "<b>bold</b> <script>alert(1)</script> <i>",
        "<table><tr><td>x</table>",
    ]


def test_code_shows_and_copies_what_it_would_hide(shown: Shown) -> None:
    shown.answer("```py\nif ok:\u202e # \u200b\x1b[31m\n```")
    assert shown.words[1] == "if ok:⟨U+202E⟩ # ⟨U+200B⟩"
    next(b for b in shown.buttons() if b.accessibleName() == "Copy py code").click()
    assert clipboard() == "if ok:⟨U+202E⟩ # ⟨U+200B⟩"


def test_names_of_tools_and_problems_are_no_markup(shown: Shown) -> None:
    shown.hear(opened(asked("u1", "<h1>x</h1>")), started(), said("a"))
    shown.hear(tool_started(name="<img src=x>\u202e", arguments='{"<b>": "<i>\\u202e"}'))
    texts = [one.row.text for one in shown.view.seen]
    assert "<h1>x</h1>" in texts
    assert any("<img src=x>" in text and "\u202e" not in text for text in texts)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "word " * 200_000,
        "```\n" + "x" * 1_000_000,
        "```\n" + "x\n" * 100_000,
        "> " * 10_000 + "deep",
        "- " * 10_000 + "deep",
        "[" * 100_000,
        "*" * 100_000,
        "`" * 100_000,
        "|" * 100_000 + "\n" + "|-" * 50_000,
        "| a " * 5_000 + "|\n" + "|---" * 5_000 + "|\n" + "| b " * 5_000 + "|",
        "# " * 50_000,
        "\u0301" * 100_000,
        "👩\u200d" * 50_000,
        "\u202e" * 100_000,
        "\n" * 300_000,
        "1. a\n" * 20_000,
        "|a|b|\n|-|-|\n" + "|1|2|\n" * 100_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_monstrous_texts_are_shown_a_window_at_a_time(shown: Shown, text: str) -> None:
    shown.hear(opened(asked("u1", "Go."), message("a1", text, parent="u1")))
    assert len(shown.view.page.stage.papers) < 120
    shown.view.scroll_to_start()
    for _ in range(3):
        shown.view.scroll_by(2000)
    shown.view.scroll_to_end()
    assert shown.view.seen[-1].placed.item == 1


def test_monstrous_question_is_shown_a_window_at_a_time(shown: Shown) -> None:
    shown.hear(opened(asked("u1", "word " * 200_000)))
    assert len(shown.view.page.stage.papers) < 30


@pytest.fixture(scope="module")
def lasting(qapp: QApplication) -> Iterator[TranscriptView]:
    view = TranscriptView(LIGHT)
    view.resize(400, 300)
    view.show()
    yield view
    view.close()
    view.deleteLater()


SHARE = settings(
    # Four tests share the number of examples that the profile asks for.
    max_examples=max(30, hypothesis.settings().max_examples // 4),
    suppress_health_check=[HealthCheck.too_slow],
)
cuts = st.lists(st.integers(0, 5000), max_size=4)


@SHARE
@given(wild_documents, cuts)
def test_any_text_in_any_chunks_ends_as_it_would_be_stored(
    lasting: TranscriptView, text: str, cuts: list[int]
) -> None:
    assert streamed(lasting, text, cuts) == stored(lasting, text)


@SHARE
@given(wild_inline, cuts)
def test_any_markers_in_any_chunks_end_as_they_would_be_stored(
    lasting: TranscriptView, text: str, cuts: list[int]
) -> None:
    assert streamed(lasting, text, cuts) == stored(lasting, text)


@SHARE
@given(wild_tables, cuts)
def test_any_table_in_any_chunks_ends_as_it_would_be_stored(
    lasting: TranscriptView, text: str, cuts: list[int]
) -> None:
    assert streamed(lasting, text, cuts) == stored(lasting, text)


@SHARE
@given(wild_code, cuts)
def test_any_code_in_any_chunks_ends_as_it_would_be_stored(
    lasting: TranscriptView, text: str, cuts: list[int]
) -> None:
    assert streamed(lasting, text, cuts) == stored(lasting, text)


def streamed(view: TranscriptView, text: str, cuts: list[int]) -> list[str]:
    view.apply(opened(asked("u1", text[:100])))
    view.apply(started())
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    for start, end in itertools.pairwise(edges):
        view.apply(said(text[start:end]))
        view.flush()
    view.viewport().grab()
    view.apply(ended())
    return _texts(view)


def stored(view: TranscriptView, text: str) -> list[str]:
    view.apply(opened(asked("u1", text[:100]), message("a1", text, parent="u1")))
    return _texts(view)


def _texts(view: TranscriptView) -> list[str]:
    return [
        item.row(number).text
        for item in view.page.items[1:]
        for number in range(item.count)
        if item.row(number).can_select
    ]
