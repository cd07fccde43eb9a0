"""Which proxy leads to a server, by the environment or the system's settings; never to loopback.

Blocks (the system is asked, names may be looked up): call it on a thread.
"""

import urllib.request

from app.agent.providers.address import Address


def proxy_for(address: Address) -> str | None:
    """Give the proxy's URL, or None to go straight."""
    if address.is_loopback or urllib.request.proxy_bypass(address.host):
        return None
    proxies = urllib.request.getproxies()
    found = proxies.get(address.scheme) or proxies.get("all")
    if not found:
        return None
    return found if "://" in found else f"http://{found}"
