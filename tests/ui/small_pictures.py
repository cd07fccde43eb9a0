"""Saves a picture of the window small: 256 colours are enough for flat grounds and letters."""

from collections import Counter
from pathlib import Path

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage, QImageWriter

_COLOURS = 256
_EXACT = 150
_SHADE = 0x00E0E0E0  # the bits that tell one shade from another
_MOST_COMPRESSED = 100


def save_small(picture: QImage, path: Path) -> None:
    """Write a PNG with the colours that the picture has most of."""
    picture = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = memoryview(picture.constBits()).cast("I")
    flat = picture.convertToFormat(QImage.Format.Format_Indexed8, _palette(Counter(pixels)))
    writer = QImageWriter(str(path), QByteArray(b"png"))
    writer.setCompression(_MOST_COMPRESSED)
    if not writer.write(flat):
        raise OSError(writer.errorString())


def _palette(counts: "Counter[int]") -> list[int]:
    """Choose the most common colours, then one of each shade that is missing among them."""
    ordered = [colour for colour, _ in counts.most_common()]
    chosen = ordered[:_EXACT]
    shades = {colour & _SHADE for colour in chosen}
    for colour in ordered[_EXACT:]:
        if colour & _SHADE not in shades and len(chosen) < _COLOURS:
            shades.add(colour & _SHADE)
            chosen.append(colour)
    return chosen
