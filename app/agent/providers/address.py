"""A server's address: checked, normalised, and what may be said about it."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from app.core.errors import ProblemKind, problem

_KNOWN = {
    "api.openai.com": "OpenAI",
    "api.anthropic.com": "Anthropic",
    "api.deepseek.com": "DeepSeek",
    "api.groq.com": "Groq",
    "api.mistral.ai": "Mistral",
    "api.together.xyz": "Together",
    "api.x.ai": "xAI",
    "generativelanguage.googleapis.com": "Google",
    "openrouter.ai": "OpenRouter",
}
_LOCAL_SUFFIXES = (".local", ".lan", ".home.arpa", ".internal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a server is; the path is the part before `/chat/completions`."""

    base_url: str
    scheme: str
    host: str
    port: int | None

    @property
    def shown(self) -> str:
        """Host, with the port where it says something."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port is None else f"{name}:{self.port}"

    @property
    def provider(self) -> str:
        """The name that a person knows the server by."""
        return _KNOWN.get(self.host, self.shown)

    @property
    def is_loopback(self) -> bool:
        """Say whether it is this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        ip = _ip(self.host)
        return ip is not None and ip.is_loopback

    @property
    def is_local(self) -> bool:
        """Say whether it is this machine or stands in the same house."""
        ip = _ip(self.host)
        if ip is not None:
            return ip.is_loopback or ip.is_private or ip.is_link_local
        return self.is_loopback or "." not in self.host or self.host.endswith(_LOCAL_SUFFIXES)


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


def parse_address(base_url: str) -> Address:
    """Read a base URL; raises ProblemError (BAD_ADDRESS) when it is none."""
    cleaned = base_url.strip().rstrip("/").removesuffix("/chat/completions")
    try:
        parts = urlsplit(cleaned)
        port = parts.port
    except ValueError as exc:
        raise _bad(base_url, str(exc)) from exc
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise _bad(base_url, "no http or https address")
    if parts.username is not None or parts.password is not None:
        raise _bad(parts.hostname, "an address must not carry a password")
    if any(sign.isspace() for sign in cleaned) or parts.query or parts.fragment:
        raise _bad(base_url, "spaces, a query or a fragment in the address")
    host = parts.hostname.rstrip(".").lower()
    return Address(base_url=cleaned, scheme=parts.scheme, host=host, port=port)


def _bad(address: str, why: str) -> Exception:
    return problem(ProblemKind.BAD_ADDRESS, why, address=address.strip())
