"""A key goes to the address it was given for, and to no other."""

from pathlib import Path

import pytest

from app.core.models import KeyPlace
from app.core.presets import canonical
from app.main.keys import Keys
from app.storage.secrets import SecretStore

KEY = "sk-planted-0123456789"
HOME = "https://api.example/v1"


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys({}, SecretStore(tmp_path / "keys.json"))


@pytest.mark.parametrize(
    "same",
    [
        "https://api.example/v1",
        " https://API.example/v1/ ",
        "https://api.example:443/v1",
        "https://api.example/v1/chat/completions",
    ],
)
def test_the_same_address_spelt_otherwise_has_the_key(keys: Keys, same: str) -> None:
    keys.hold(HOME, KEY)
    assert keys.key_for(same) == KEY


@pytest.mark.parametrize(
    "other",
    [
        "http://api.example/v1",
        "https://api.example/v2",
        "https://api.example.evil/v1",
        "https://api.example:8443/v1",
        "https://sub.api.example/v1",
        "https://api.example",
        "https://api.example/V1",
        "",
    ],
)
def test_another_address_has_not(keys: Keys, other: str) -> None:
    keys.hold(HOME, KEY)
    assert keys.key_for(other) is None
    assert keys.place_of(other) is KeyPlace.NOWHERE


def test_the_environments_key_is_for_its_base_url_alone() -> None:
    keys = Keys({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": HOME})
    assert keys.key_for(HOME) == KEY
    assert keys.place_of(HOME) is KeyPlace.ENVIRONMENT
    assert keys.key_for("https://api.openai.com/v1") is None
    assert Keys({"OPENAI_API_KEY": KEY}).key_for("https://api.openai.com/v1") == KEY


def test_a_typed_key_comes_before_the_environments(tmp_path: Path) -> None:
    environ = {"OPENAI_API_KEY": "sk-from-outside", "OPENAI_BASE_URL": HOME}
    keys = Keys(environ, SecretStore(tmp_path / "keys.json"))
    keys.hold(HOME, KEY)
    assert keys.key_for(HOME) == KEY
    keys.forget(HOME)
    assert keys.key_for(HOME) == "sk-from-outside"


def test_without_a_keychain_a_key_lasts_until_the_end_and_with_consent_beyond(
    keys: Keys, tmp_path: Path
) -> None:
    keys.hold(HOME, KEY)
    assert keys.keep(HOME) is KeyPlace.SESSION
    assert Keys({}, SecretStore(tmp_path / "keys.json")).key_for(HOME) is None
    assert keys.keep(HOME, in_file=True) is KeyPlace.FILE
    assert Keys({}, SecretStore(tmp_path / "keys.json")).key_for(HOME) == KEY


def test_spelling_an_address_again_changes_nothing() -> None:
    assert canonical(canonical("HTTPS://API.Example:443/v1/")) == canonical(HOME)
