"""Which key goes to which address: to the one that it was given for, and to no other.

Reading and keeping may block on the system's keychain: they are called on daemon threads. A key
that was typed counts at once, and for as long as the process lives. The environment's key is for
`OPENAI_BASE_URL` (or api.openai.com) alone.
"""

import threading
from collections.abc import Mapping
from typing import Final

from app.core.models import KeyPlace
from app.core.presets import canonical
from app.main.configuration import OPENAI
from app.storage.secrets import SecretStore
from app.system.paths import Paths
from app.system.redaction import register_secret

KEYS_NAME: Final = "keys.json"
_Held = tuple[str, KeyPlace]


def open_keys(paths: Paths, environ: Mapping[str, str]) -> "Keys":
    """Give the keys of this machine and this environment; nothing is read yet."""
    return Keys(environ, SecretStore(paths.config / KEYS_NAME))


class Keys:
    """The keys that this process can find."""

    def __init__(self, environ: Mapping[str, str], store: SecretStore | None = None) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}
        self._environment: dict[str, str] = {}
        key = environ.get("OPENAI_API_KEY", "").strip()
        if key:
            register_secret(key)
            address = environ.get("OPENAI_BASE_URL", "").strip() or OPENAI
            self._environment[canonical(address)] = key

    def key_for(self, base_url: str) -> str | None:
        """Find the key that belongs to an address; may block."""
        found = self._find(canonical(base_url))
        return found[0] if found else None

    def place_of(self, base_url: str) -> KeyPlace:
        """Say where the key for an address is; may block."""
        found = self._find(canonical(base_url))
        return found[1] if found else KeyPlace.NOWHERE

    def hold(self, base_url: str, key: str) -> None:
        """Use a key from now on, until Belay closes."""
        register_secret(key)
        with self._lock:
            self._held[canonical(base_url)] = (key, KeyPlace.SESSION)

    def keep(self, base_url: str, *, in_file: bool = False) -> KeyPlace:
        """Keep the key in use beyond the end of Belay, if there is a place for it; may block."""
        name, key = canonical(base_url), self.key_for(base_url)
        if self._store is None or key is None:
            return self.place_of(base_url)
        place = self._store.keep(name, key, in_file=in_file)
        with self._lock:
            if self._held.get(name, ("",))[0] == key:  # no other was typed meanwhile
                self._held[name] = (key, place)
        return place

    def forget(self, base_url: str) -> None:
        """Forget a key wherever it is kept; may block."""
        name = canonical(base_url)
        with self._lock:
            self._held.pop(name, None)
        if self._store is not None:
            self._store.forget(name)

    def _find(self, name: str) -> _Held | None:
        with self._lock:
            held = self._held.get(name)
        if held is None and self._store is not None:
            held = self._store.find(name)
            if held is not None:
                with self._lock:
                    held = self._held.setdefault(name, held)
        if held is None and name in self._environment:
            return self._environment[name], KeyPlace.ENVIRONMENT
        return held
