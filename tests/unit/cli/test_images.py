"""Attached pictures: known by what they are, copied once, refused with a reason."""

from pathlib import Path

import pytest

from app.cli.images import MAX_BYTES, BadImageError, attach

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 16


@pytest.fixture
def attachments(tmp_path: Path) -> Path:
    folder = tmp_path / "attachments"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("data", "media_type", "suffix"),
    [
        (PNG, "image/png", ".png"),
        (b"\xff\xd8\xff\xe0rest", "image/jpeg", ".jpg"),
        (b"GIF89a....", "image/gif", ".gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp", ".webp"),
    ],
)
def test_a_picture_is_known_by_its_first_bytes(
    data: bytes, media_type: str, suffix: str, attachments: Path, tmp_path: Path
) -> None:
    source = tmp_path / "picture.txt"
    source.write_bytes(data)
    part = attach(str(source), attachments)
    assert part.media_type == media_type
    assert part.path.endswith(suffix)
    assert (attachments / part.path).read_bytes() == data


def test_the_same_picture_is_kept_once_and_outlives_its_original(
    attachments: Path, tmp_path: Path
) -> None:
    names = set()
    for name in ("a.png", "b.png"):
        source = tmp_path / name
        source.write_bytes(PNG)
        names.add(attach(str(source), attachments).path)
        source.unlink()
    assert {path.name for path in attachments.iterdir()} == names
    assert len(names) == 1


def test_what_is_no_picture_is_refused_with_a_reason(attachments: Path, tmp_path: Path) -> None:
    text, large = tmp_path / "fake.png", tmp_path / "large.png"
    text.write_text("I am not a picture")
    with large.open("wb") as file:
        file.write(PNG)
        file.truncate(MAX_BYTES + 1)
    reasons = []
    for source in (text, large, tmp_path, tmp_path / "missing.png"):
        with pytest.raises(BadImageError) as caught:
            attach(str(source), attachments)
        reasons.append(caught.value.sentence.removeprefix(f"{source} "))
    assert reasons == [
        "is not a PNG, JPEG, GIF or WebP picture.",
        "is larger than 20 MB. Make it smaller.",
        "is not a file.",
        "does not exist.",
    ]
    assert not list(attachments.iterdir())
