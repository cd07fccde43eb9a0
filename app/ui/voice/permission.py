"""Where a system keeps who may use the microphone."""

_PLACES = {
    "darwin": "x-apple.systempreferences:com.apple.preference.security?Privacy_Microphone",
    "win32": "ms-settings:privacy-microphone",
}


def permission_address(platform: str) -> str:
    """Give an address that opens that place; empty where a system has no such address."""
    return _PLACES.get(platform, "")


def refuses_silently(platform: str) -> bool:
    """Say whether the system gives silence to those who may not listen."""
    return platform == "darwin"
