"""Settings survive their file being absent, edited by hand, damaged or from another version."""

import json
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import ProblemError, ProblemKind
from app.core.messages import Intent
from app.core.settings import Endpoint, Settings, ThemeChoice
from app.storage.settings_file import load, save

CHOSEN = Settings(
    theme=ThemeChoice.DARK,
    base_size_px=18,
    enter_intent=Intent.QUEUE,
    send_with_ctrl_enter=True,
    endpoints=(
        Endpoint(base_url="http://127.0.0.1:8080/v1", model="small", user_after_tool=False),
        Endpoint(base_url="https://example.org/v1"),
    ),
    system_prompt="Antworte höflich.\n😀",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def copies(path: Path) -> list[bytes]:
    return [file.read_bytes() for file in path.parent.iterdir() if "broken" in file.name]


def test_without_a_file_everything_has_its_default(path: Path) -> None:
    assert load(path) == (Settings(), None)
    assert not path.parent.exists()


def test_saved_settings_come_back(path: Path) -> None:
    save(path, CHOSEN)
    assert load(path) == (CHOSEN, None)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@given(settings=st.builds(Settings, base_size_px=st.integers(8, 48)))
def test_whatever_can_be_set_comes_back(
    settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / "settings.json"
    save(path, settings)
    assert load(path) == (settings, None)


def test_keys_of_another_version_are_kept(path: Path) -> None:
    server = {"base_url": "http://127.0.0.1:1/v1", "model": "m", "colour": "red"}
    write(path, {"theme": "dark", "voice": {"key": "F9"}, "endpoints": [server]})
    settings, problem = load(path)
    assert problem is None
    save(path, settings)
    written = json.loads(path.read_text())
    assert written["voice"] == {"key": "F9"}
    assert written["endpoints"][0]["colour"] == "red"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"null", b"[]", b"\xff\xfe", b'{"theme": NaN', b"[" * 100_000, b"9" * 5000],
)
def test_a_broken_file_gives_defaults_and_is_never_lost(path: Path, content: bytes) -> None:
    write(path, content)
    settings, problem = load(path)
    assert settings == Settings()
    assert problem is not None
    assert problem.kind is ProblemKind.BAD_SETTINGS
    assert Path(str(problem.params["path"])).read_bytes() == content
    assert path.read_bytes() == content
    load(path)
    save(path, CHOSEN)
    assert copies(path) == [content]
    assert load(path) == (CHOSEN, None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("theme", "pink"),
        ("theme", ["dark"]),
        ("base_size_px", True),
        ("base_size_px", 4000),
        ("base_size_px", "15"),
        ("enter_intent", None),
        ("send_with_ctrl_enter", 1),
        ("endpoints", {"base_url": "x"}),
        ("system_prompt", 5),
    ],
)
def test_one_bad_field_falls_back_alone(path: Path, field: str, value: object) -> None:
    save(path, CHOSEN)
    edited = {**json.loads(path.read_text()), field: value}
    write(path, edited)
    settings, problem = load(path)
    assert problem is not None
    assert field in problem.detail
    for each in fields(Settings):
        expected = Settings() if each.name == field else CHOSEN
        assert getattr(settings, each.name) == getattr(expected, each.name)
    save(path, settings)
    assert copies(path) == [json.dumps(edited).encode()]


def test_a_bad_server_is_left_out_and_the_others_stay(path: Path) -> None:
    good = {"base_url": "http://127.0.0.1:1/v1", "model": 5}
    write(path, {"endpoints": [{"model": "nowhere"}, "x", good]})
    settings, problem = load(path)
    assert settings.endpoints == (Endpoint(base_url="http://127.0.0.1:1/v1"),)
    assert problem is not None


def test_a_mark_that_an_editor_put_in_front_is_no_damage(path: Path) -> None:
    write(path, b"\xef\xbb\xbf" + json.dumps({"theme": "dark"}).encode())
    assert load(path) == (Settings(theme=ThemeChoice.DARK), None)


def test_half_a_character_can_be_saved(path: Path) -> None:
    save(path, Settings(system_prompt="half \ud83d"))
    assert load(path)[0].system_prompt == "half \ufffd"


def test_a_folder_in_the_way_is_told_and_stays(path: Path) -> None:
    path.mkdir(parents=True)
    settings, problem = load(path)
    assert settings == Settings()
    assert problem is not None
    with pytest.raises(ProblemError):
        save(path, CHOSEN)
    assert path.is_dir()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
names = st.sampled_from([f.name for f in fields(Settings)]) | st.text()


@given(content=st.binary() | st.dictionaries(names, values).map(lambda d: json.dumps(d).encode()))
def test_any_content_loads_and_nothing_of_it_is_lost_by_saving(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "settings.json"
    write(path, content)
    settings, problem = load(path)
    save(path, settings)
    assert load(path) == (settings, None)
    if problem is not None:
        assert copies(path) == [content]
