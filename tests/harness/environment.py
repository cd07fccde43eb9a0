"""The environment that tests see: nothing of the developer's keys, proxies, display or Belay."""

import os
import signal

_OFF = ("OPENAI_", "BELAY_", "QT_", "PYTEST_QT", "DBUS_SESSION_", "WAYLAND_", "DISPLAY")
_KEPT = frozenset({"BELAY_PROVE"})  # how `make prove` reaches the tests


def is_foreign(name: str) -> bool:
    """Say whether a variable could change what a test sees."""
    upper = name.upper()
    return name not in _KEPT and (upper.startswith(_OFF) or upper.endswith("_PROXY"))


def scrub() -> None:
    """Take every such variable out of this process, and let Qt draw off screen."""
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # `nohup` would hand its deafness on to Belay
    for name in [name for name in os.environ if is_foreign(name)]:
        del os.environ[name]
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"  # never the real one


def is_proving() -> bool:
    """Say whether the long suites were asked for."""
    return os.environ.get("BELAY_PROVE") == "1"
