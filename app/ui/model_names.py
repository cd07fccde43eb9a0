"""What models, servers and counts of tokens are called; pure, and ready at the first picture."""

from urllib.parse import unquote, urlsplit

from app.core.presets import preset_of
from app.core.settings import BUILT_IN, BUILT_IN_URL, Endpoint, is_file


def server_name(endpoint: Endpoint) -> str:
    """Name where a model is, as a person knows it."""
    if is_file(endpoint):
        return "a file on this computer"
    if endpoint.base_url == BUILT_IN_URL:
        return "this computer"
    preset = preset_of(endpoint.base_url)
    if preset is not None:
        return preset.name
    try:
        return urlsplit(endpoint.base_url).netloc or endpoint.base_url
    except ValueError:
        return endpoint.base_url


def model_name(endpoint: Endpoint) -> str:
    """Name a model; the server chooses where none is named."""
    if endpoint.base_url == BUILT_IN_URL:
        return BUILT_IN
    if endpoint.model:
        return endpoint.model
    if is_file(endpoint):
        return unquote(endpoint.base_url.rpartition("/")[2])
    return "First that it lists"


def short_count(number: int) -> str:
    """Write a count shortly: 8k, 128k, 1M."""
    if number >= 1_000_000:
        return f"{number / 1_000_000:.1f}".removesuffix(".0") + "M"
    if number >= 1000:
        by = 1000 if number % 1000 == 0 or number % 1024 else 1024
        return f"{number // by}k"
    return str(number)
