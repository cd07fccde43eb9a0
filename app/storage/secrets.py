"""Keys in the system's keychain, each under the address that it belongs to.

Every function blocks, and the system may ask the person to unlock the keychain meanwhile: call
them on a daemon thread. `keyring` is slow to load and is loaded here on first use. Where there is
no keychain a key is kept in a file only if the person agreed to that in words; the file is
readable by its owner alone. Backends that write plain files of their own are not used.
"""

import json
import logging
import threading
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

from app.core.models import KeyPlace
from app.system.files import write_atomically
from app.system.paths import make_folder
from app.system.redaction import register_secret

log = logging.getLogger(__name__)

SERVICE: Final = "Belay"
_UNSAFE: Final = ("keyrings.alt", "keyring.backends.fail", "keyring.backends.null")


class NoKeychainError(Exception):
    """There is no keychain, or it would not open."""


class Keychain(Protocol):
    """Where a system keeps passwords."""

    def get_password(self, service: str, username: str) -> str | None:
        """Read one; None if there is none."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep one."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Forget one."""
        ...


def system_keychain() -> Keychain:
    """Find the system's keychain; raises NoKeychainError."""
    try:
        backend: Any = import_module("keyring").get_keyring()
    except Exception as exc:  # backends look at the system in their own ways
        raise NoKeychainError(str(exc)) from exc
    for each in getattr(backend, "backends", [backend]):
        if not type(each).__module__.startswith(_UNSAFE):
            found: Keychain = each
            return found
    raise NoKeychainError(f"only {type(backend).__module__}")


class SecretStore:
    """Keys on this machine, in the keychain or in a file; safe from any thread."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()

    def find(self, name: str) -> tuple[str, KeyPlace] | None:
        """Find a key and where it is kept."""
        found = self._in_keychain(name)
        place = KeyPlace.KEYCHAIN
        if not found:
            found, place = self._in_file().get(name), KeyPlace.FILE
        if not found:
            return None
        register_secret(found)
        return found, place

    def keep(self, name: str, key: str, *, in_file: bool) -> KeyPlace:
        """Keep a key in the keychain, else in the file if that is allowed; say where it is now."""
        register_secret(key)
        try:
            system_keychain().set_password(SERVICE, name, key)
        except Exception as exc:  # noqa: BLE001 - whatever a keychain raises, it has not got the key
            log.info("no keychain took the key: %s", type(exc).__name__)
            if not in_file:
                return KeyPlace.SESSION
            self._write({name: key})
            return KeyPlace.FILE
        self._write({name: None})
        return KeyPlace.KEYCHAIN

    def forget(self, name: str) -> None:
        """Take a key out of wherever it is."""
        try:
            system_keychain().delete_password(SERVICE, name)
        except Exception as exc:  # noqa: BLE001 - most often it was not there
            log.debug("nothing taken from the keychain: %s", type(exc).__name__)
        self._write({name: None})

    def _in_keychain(self, name: str) -> str | None:
        try:
            return system_keychain().get_password(SERVICE, name)
        except Exception as exc:  # noqa: BLE001 - locked, refused or absent: no key from there
            log.debug("nothing read from the keychain: %s", type(exc).__name__)
            return None

    def _in_file(self) -> dict[str, str]:
        try:
            plain = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return plain if isinstance(plain, dict) else {}

    def _write(self, changes: dict[str, str | None]) -> None:
        """Change the file; it is not made for nothing, and goes with its last key."""
        with self._lock:
            before = self._in_file()
            after = {name: key for name, key in {**before, **changes}.items() if key}
            if after == before:
                return
            if not after:
                self._file.unlink()
                return
            make_folder(self._file.parent)
            write_atomically(self._file, json.dumps(after, indent=2))


def keychain_name() -> str | None:
    """Name the keychain for a person; None if there is none."""
    try:
        backend = system_keychain()
    except NoKeychainError:
        return None
    module = type(backend).__module__.rpartition(".")[2]
    names = {"macOS": "the macOS keychain", "Windows": "the Windows Credential Manager"}
    return names.get(module, "the system's keychain")
