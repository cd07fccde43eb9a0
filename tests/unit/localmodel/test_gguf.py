"""A model file of the person's own: understood by its head, refused in words."""

import struct
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import ProblemError, ProblemKind
from app.localmodel import gguf
from app.localmodel.gguf import examine
from app.localmodel.weights import bundled_weights


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key: str, value: str | int) -> bytes:
    if isinstance(value, int):
        return text(key) + struct.pack("<II", 4, value)
    return text(key) + struct.pack("<I", 8) + text(value)


def head(*entries: bytes, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(entries)) + b"".join(entries)


def kind_of(path: Path) -> ProblemKind:
    with pytest.raises(ProblemError) as caught:
        examine(str(path))
    return caught.value.problem.kind


def test_the_bundled_model_is_understood() -> None:
    bundled = bundled_weights()
    assert bundled is not None
    found = examine(str(bundled.path))
    assert "SmolLM2" in found.name.replace(" ", "").replace("Smollm2", "SmolLM2")
    assert found.context_window == 8192
    assert found.size_bytes == bundled.path.stat().st_size


def test_name_and_window_come_from_the_head(tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    array = text("general.tags") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b")
    file.write_bytes(
        head(
            entry("general.architecture", "llama"),
            array,
            entry("general.name", "Mine"),
            entry("llama.context_length", 4096),
        )
    )
    found = examine(str(file))
    assert (found.name, found.context_window) == ("Mine", 4096)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GGUF",
        b"PK\x03\x04 a zip file",
        head(entry("general.architecture", "llama"), version=99),
        head(entry("general.architecture", "clip")),
        head(entry("general.name", "no architecture")),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 60),
    ],
    ids=["empty", "magic", "zip", "version", "projector", "nameless", "huge"],
)
def test_what_cannot_chat_is_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(data)
    assert kind_of(file) is ProblemKind.NOT_A_MODEL


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert kind_of(tmp_path / "none.gguf") is ProblemKind.NO_SUCH_FILE


def test_a_model_larger_than_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(head(entry("general.architecture", "llama")))
    monkeypatch.setattr(gguf, "available_bytes", lambda: 10)
    assert kind_of(file) is ProblemKind.MODEL_TOO_LARGE


@given(st.binary(max_size=400))
def test_any_bytes_are_a_model_or_a_sentence(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".gguf") as opened:
        opened.write(b"GGUF\x03\x00\x00\x00" + data)
        opened.flush()
        try:
            examine(opened.name)
        except ProblemError:
            return
