"""Keys: in the keychain where there is one, in a file only by consent, else nowhere."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError

from app.core.models import KeyPlace
from app.storage.secrets import SERVICE, SecretStore, keychain_name, system_keychain

NAME, KEY = "https://api.example/v1", "sk-planted-0123456789"


class MemoryKeychain(KeyringBackend):
    """A real backend of keyring's, with nothing behind it but this process."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError(username)


class LockedKeychain(MemoryKeychain):
    """The person would not unlock it."""

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("locked")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked("locked")


@pytest.fixture
def keychain() -> Iterator[MemoryKeychain]:
    before = keyring.get_keyring()
    backend = MemoryKeychain()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


@pytest.fixture
def store(tmp_path: Path) -> SecretStore:
    return SecretStore(tmp_path / "config" / "keys.json")


def test_a_key_goes_to_the_keychain_and_comes_back(
    store: SecretStore, keychain: MemoryKeychain, tmp_path: Path
) -> None:
    assert store.keep(NAME, KEY, in_file=True) is KeyPlace.KEYCHAIN
    assert keychain.kept == {(SERVICE, NAME): KEY}
    assert store.find(NAME) == (KEY, KeyPlace.KEYCHAIN)
    assert list(tmp_path.rglob("*")) == []
    store.forget(NAME)
    assert store.find(NAME) is None


def test_without_a_keychain_and_consent_nothing_is_written(
    store: SecretStore, tmp_path: Path
) -> None:
    assert keychain_name() is None
    assert store.keep(NAME, KEY, in_file=False) is KeyPlace.SESSION
    assert store.find(NAME) is None
    assert list(tmp_path.rglob("*")) == []


def test_with_consent_the_file_is_its_owners_alone_and_goes_with_its_last_key(
    store: SecretStore, tmp_path: Path
) -> None:
    assert store.keep(NAME, KEY, in_file=True) is KeyPlace.FILE
    file = tmp_path / "config" / "keys.json"
    assert json.loads(file.read_text()) == {NAME: KEY}
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.parent.stat().st_mode & 0o777 == 0o700
    assert store.find(NAME) == (KEY, KeyPlace.FILE)
    store.forget(NAME)
    assert not file.exists()


def test_a_keychain_that_came_later_takes_the_key_out_of_the_file(
    store: SecretStore, tmp_path: Path
) -> None:
    store.keep(NAME, KEY, in_file=True)
    before = keyring.get_keyring()
    keyring.set_keyring(MemoryKeychain())
    try:
        assert store.keep(NAME, KEY, in_file=False) is KeyPlace.KEYCHAIN
        assert not (tmp_path / "config" / "keys.json").exists()
    finally:
        keyring.set_keyring(before)


def test_a_locked_keychain_is_no_key_and_no_error(store: SecretStore) -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(LockedKeychain())
    try:
        assert store.find(NAME) is None
        assert store.keep(NAME, KEY, in_file=False) is KeyPlace.SESSION
    finally:
        keyring.set_keyring(before)


def test_a_backend_that_writes_plain_files_is_not_used(keychain: MemoryKeychain) -> None:
    assert system_keychain() is keychain
    unsafe = type("Plain", (MemoryKeychain,), {"__module__": "keyrings.alt.file", "priority": 1})()
    keyring.set_keyring(unsafe)
    assert keychain_name() is None


def test_a_broken_file_is_no_key(store: SecretStore, tmp_path: Path) -> None:
    file = tmp_path / "config" / "keys.json"
    file.parent.mkdir()
    file.write_text("{")
    assert store.find(NAME) is None
