"""Attached pictures: read behind the window's back, whatever they turn out to be."""

import struct
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.bridge.pictures import MAX_BYTES, MAX_PIXELS, SHOWN, PictureReader, read_picture

PATIENCE_MS = 60_000


def save(path: Path, width: int = 40, height: int = 30, kind: str = "PNG") -> None:
    picture = QImage(width, height, QImage.Format.Format_RGB32)
    picture.fill(QColor("teal"))
    assert picture.save(str(path), kind)  # type: ignore[call-overload]


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int, height: int, pixels: bytes) -> bytes:
    """A PNG in shades of grey that says it is so large."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def bomb(side: int) -> bytes:
    """A picture of some kilobytes that unpacks to `side` times `side` bytes."""
    packer = zlib.compressobj(1)
    row = bytes(side + 1)
    packed = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    return png(side, side, packed)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[PictureReader]:
    made = PictureReader(tmp_path)
    yield made
    made.close(timeout_s=60)


def test_picture_arrives_without_the_window_waiting(
    reader: PictureReader, tmp_path: Path, qtbot: QtBot
) -> None:
    save(tmp_path / "tree.png")
    threads: list[threading.Thread] = []
    reader.ready.connect(
        lambda *_: threads.append(threading.current_thread()), Qt.ConnectionType.DirectConnection
    )
    with qtbot.waitSignal(reader.ready, timeout=PATIENCE_MS) as arrived:
        reader.read("tree.png")
    name, picture = arrived.args
    assert (name, picture.width(), picture.height()) == ("tree.png", 40, 30)
    assert threads != [threading.main_thread()]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_common_formats_are_read_whatever_they_are_called(tmp_path: Path, kind: str) -> None:
    save(tmp_path / "picture.xyz", kind=kind)
    assert read_picture(tmp_path, "picture.xyz").width() == 40


def test_large_picture_is_made_smaller_and_keeps_its_shape(tmp_path: Path) -> None:
    save(tmp_path / "wide.png", 4000, 1000)
    picture = read_picture(tmp_path, "wide.png")
    assert (picture.width(), picture.height()) == (SHOWN.width(), SHOWN.width() // 4)


def test_picture_that_unpacks_to_more_than_the_limit_is_refused(tmp_path: Path) -> None:
    side = 7500
    assert side * side > MAX_PIXELS
    data = bomb(side)
    assert len(data) < 1_000_000
    (tmp_path / "bomb.png").write_bytes(data)
    assert read_picture(tmp_path, "bomb.png").isNull()


@pytest.mark.parametrize(("width", "height"), [(2**31 - 1, 1), (1, 2**31 - 1), (60_000, 60_000)])
def test_picture_that_claims_to_be_endless_is_refused(
    tmp_path: Path, width: int, height: int
) -> None:
    (tmp_path / "huge.png").write_bytes(png(width, height, zlib.compress(b"\0")))
    assert read_picture(tmp_path, "huge.png").isNull()


def test_file_larger_than_the_limit_is_not_read(tmp_path: Path) -> None:
    save(tmp_path / "fat.png")
    with (tmp_path / "fat.png").open("ab") as file:
        file.truncate(MAX_BYTES + 1)
    assert read_picture(tmp_path, "fat.png").isNull()


SVG = b"""<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="/x"/></svg>"""


@pytest.mark.qt_log_ignore("JPEG")  # Qt says why
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not a picture",
        SVG,
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0" + bytes(100),
        b"GIF89a" + b"\xff" * 50,
        b"RIFF\xff\xff\xff\xffWEBPVP8 " + bytes(40),
        b"P6 9 9 255\n" + bytes(300),
        b"BM" + bytes(100),
    ],
    ids=["empty", "text", "svg", "png", "jpeg", "gif", "webp", "ppm", "bmp"],
)
def test_what_is_no_picture_is_not_shown(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "odd.png").write_bytes(data)
    assert read_picture(tmp_path, "odd.png").isNull()


@pytest.mark.parametrize("cut", [20, 60, 100])
def test_broken_picture_breaks_nothing(tmp_path: Path, cut: int) -> None:
    save(tmp_path / "whole.png")
    (tmp_path / "half.png").write_bytes((tmp_path / "whole.png").read_bytes()[:cut])
    assert read_picture(tmp_path, "half.png").width() in (0, 40)


def test_only_the_attachments_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "attachments"
    (folder / "sub").mkdir(parents=True)
    save(tmp_path / "outside.png")
    save(folder / "sub" / "inner.png")
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    names = ("../outside.png", str(tmp_path / "outside.png"), "sub/inner.png", "link.png", "sub")
    for name in (*names, "", ".", "..", "a\0b", "x" * 5000, "missing.png"):
        assert read_picture(folder, name).isNull(), name


def test_one_bad_picture_does_not_keep_the_next_from_coming(
    reader: PictureReader, tmp_path: Path, qtbot: QtBot
) -> None:
    save(tmp_path / "good.png")
    seen: dict[str, bool] = {}
    reader.ready.connect(lambda name, picture: seen.update({name: picture.isNull()}))
    for name in ("missing.png", "a\0b", "good.png"):
        reader.read(name)
    qtbot.waitUntil(lambda: len(seen) == 3, timeout=PATIENCE_MS)
    assert seen == {"missing.png": True, "a\0b": True, "good.png": False}
