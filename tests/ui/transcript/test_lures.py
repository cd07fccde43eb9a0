"""Two hundred ways to make a window call home, open something or lie: none of them works."""

import itertools
import socket
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.transcript.copying import markdown, plain
from app.ui.transcript.rows.table import TableRow
from app.ui.transcript.rows.text import TextRow
from app.ui.transcript.runs import Run
from tests.ui.transcript.conftest import Shown
from tests.ui.transcript.conversation import asked, ended, message, opened, said, started

CARRIERS = {
    "image": "![a]({})",
    "titled image": '![a](<{}> "title")',
    "referenced image": "![a][r]\n\n[r]: {}",
    "collapsed image": "![r][]\n\n[r]: <{}>",
    "linked image": "[![a]({0})]({0})",
    "link": "[a]({})",
    "referenced link": "[a][r] [r]\n\n[r]: {} 'title'",
    "autolink": "<{}>",
    "bare": "See {} now.",
    "img": '<img src="{0}" srcset="{0} 2x" onerror="fetch(\'{0}\')">',
    "inline img": 'Text <img src="{}"> text.',
    "svg": '<svg xmlns="http://www.w3.org/2000/svg"><image href="{0}"/><use href="{0}"/></svg>',
    "style": "<style>@import url({0}); * {{ background: url('{0}') }}</style>",
    "styled": "<div style=\"background-image:url('{}')\">words</div>",
    "sheet": '<link rel="stylesheet" href="{0}"><base href="{0}">',
    "frame": '<iframe src="{0}"></iframe><object data="{0}"></object><embed src="{0}">',
    "media": '<video poster="{0}" src="{0}" autoplay></video><audio src="{0}">',
    "page": '<meta http-equiv="refresh" content="0;url={0}"><script src="{0}"></script>',
    "anchor": '<a href="{0}" ping="{0}">click</a><form action="{0}"><button>x</button></form>',
    "table": "| ![a]({0}) | <img src='{0}'> |\n|---|---|\n| [a]({0}) | <{0}> |",
    "item": "- [ ] ![a]({0})\n  > <img src={0}>",
    "code": "```html\n<img src='{0}'>\n```\n\n`<img src='{0}'>` $$<img src='{0}'>$$",
}
TARGETS = (
    "http://127.0.0.1:{port}/a.png",
    "HTTP://127.0.0.1:{port}/%61",
    "http://user:pw@127.0.0.1:{port}/",
    "//127.0.0.1:{port}/a.png",
    "ftp://127.0.0.1:{port}/a",
    "ws://127.0.0.1:{port}/",
    "file://{file}",
    "file:////127.0.0.1/share/a.png",
    "{file}",
    "\\\\127.0.0.1\\share\\a.png",
    "smb://127.0.0.1/share",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "javascript&colon;alert(1)",
    "java&#x0A;script:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:image/svg+xml;base64,PHN2Zy8+",
    "vbscript:x",
    "ms-msdt:/id",
    "search-ms:query=x",
    "vscode://file/etc/passwd",
    "intent://x#Intent;end",
    "qrc:/a.png",
    ":/a.png",
)
TRICKS = {
    "override": "safe\u202egnp.exe",
    "isolates": "\u2066a\u2067b\u2068c\u2069d",
    "embedding": "\u202aa\u202bb\u202cc\u202dd",
    "zero width": "pay\u200bpal.com and \u2060joined\ufeff",
    "tags": "see\U000e0041\U000e0042 this",
    "soft": "a\u180eb\u00adc",
    "colours": "\x1b[31mred\x1b[0m \x1b[1;5;7mblink",
    "title": "\x1b]0;owned\x07text",
    "osc 8": "\x1b]8;;http://evil.example/\x1b\\click\x1b]8;;\x1b\\",
    "osc 52": "\x1b]52;c;cm0gLXJmIH4=\x07done",
    "osc open": "\x1b]52;c;" + "A" * 2000,
    "csi": "\x9b31mred \x1b[2J\x1b[H",
    "dcs": "\x1bPq#0;2;0;0;0\x1b\\after",
    "controls": "a\x00b\x07c\x08d\x0be\x7ff\x85g",
    "separators": "one\u2028two\u2029three",
    "layout": "a\ufdd0b\ufdd1c\ufffcd\uffffe",
    "half": "a\ud800b\udfffc",
    "marks": "Z" + "\u0301\u0302\u0303" * 60 + "algo",
    "entities": "&#x202e;abc &#8238; &#x200b; &#0; &#x1b;[31m",
    "annotations": "\ufff9a\ufffab\ufffbc",
}
WRAPS = (
    "{}",
    "**{}**",
    "`{}`",
    "```\n{}\n```",
    "# {}",
    "> {}",
    "| {} |\n|---|\n| {} |",
    "[{}](x:y)",
)
ALLOWED = {"\n", "\t", "\u200c", "\u200d", "\u00ad"}


@pytest.fixture
def trap() -> Iterator[socket.socket]:
    """A server that must never be called."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        yield server


def test_there_are_two_hundred_of_them() -> None:
    assert len(CARRIERS) * len(TARGETS) + len(TRICKS) * len(WRAPS) >= 200


def runs_of(shown: Shown) -> Iterator[Run]:
    for row in shown.rows:
        if isinstance(row, TableRow):
            yield from (run for cells in row.cells() for cell in cells for run in cell)
        elif isinstance(row, TextRow):
            yield from row.runs()


def look_everywhere(shown: Shown) -> None:
    for one in shown.view.seen:
        for x in range(one.area.left(), one.area.right(), 220):
            shown.hover(QPoint(x, one.area.center().y()))
    shown.painted()


@pytest.mark.parametrize("carrier", CARRIERS)
def test_nothing_is_fetched_or_followed(
    show: Callable[..., Shown], trap: socket.socket, tmp_path: Path, qtbot: QtBot, carrier: str
) -> None:
    shown = show(500, 300)
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"not for anybody")
    opened_at = secret.stat().st_atime_ns
    with qtbot.assertNotEmitted(shown.view.link_activated):
        for target in TARGETS:
            address = target.format(port=trap.getsockname()[1], file=secret)
            text = CARRIERS[carrier].format(address)
            shown.hear(opened(asked("u1", text)), started(), said(text), ended())
            look_everywhere(shown)
            for run in runs_of(shown):
                assert run.href.partition(":")[0].lower() in ("", "http", "https", "mailto"), text
    QApplication.processEvents()
    with pytest.raises(BlockingIOError):
        trap.accept()
    assert secret.stat().st_atime_ns == opened_at
    assert "PySide6.QtNetwork" not in sys.modules


@pytest.mark.parametrize("trick", TRICKS)
def test_what_is_shown_and_copied_hides_nothing(shown: Shown, trick: str) -> None:
    for wrap in WRAPS:
        text = wrap.format(*itertools.repeat(TRICKS[trick], wrap.count("{}")))
        shown.hear(opened(asked("u1", text), message("a1", text, parent="u1")))
        shown.painted()
        shown.view._doer.select_all()
        selection = shown.view.marked()
        assert selection is not None
        copied = plain(shown.view.page.items, selection)
        for char in set("".join(shown.words) + copied) - ALLOWED:
            assert unicodedata.category(char) not in ("Cc", "Cs"), (wrap, char)
            assert char not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", wrap
            assert char not in "\u200b\u2060\ufeff\u180e\ufdd0\ufdd1\ufffc", wrap
        assert markdown(shown.view.page.items, selection)
