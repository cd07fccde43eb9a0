"""Which proxy leads to a server, by the environment or the system's settings; never to loopback.

Blocks (the system is asked, names may be looked up): call it on a thread.
"""

import urllib.request
from urllib.parse import urlsplit

from app.agent.providers.address import Address
from app.core.errors import ProblemKind, problem


def proxy_for(address: Address) -> str | None:
    """Give the proxy's URL, or None to go straight."""
    if address.is_loopback or urllib.request.proxy_bypass(address.host):
        return None
    proxies = urllib.request.getproxies()
    found = proxies.get(address.scheme) or proxies.get("all")
    if not found:
        return None
    return _usable(found if "://" in found else f"http://{found}")


def _usable(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        detail = f"a {parts.scheme} proxy is set, and only http and https proxies are known"
        raise problem(ProblemKind.UNREACHABLE, detail, host=parts.hostname or "The proxy")
    return url
