"""The words for models, servers and keys on the page; pure."""

from urllib.parse import unquote, urlsplit

from app.core.models import EndpointChecked, KeyPlace, ModelInfo
from app.core.presets import preset_of
from app.core.settings import BUILT_IN, BUILT_IN_URL, Endpoint, is_file
from app.core.wording import sentence

_PLACES = {
    KeyPlace.NOWHERE: "",
    KeyPlace.KEYCHAIN: "The key is in the system's keychain.",
    KeyPlace.FILE: "The key is in a file that only you can read.",
    KeyPlace.SESSION: "There is no keychain here. The key is kept until Belay closes.",
    KeyPlace.ENVIRONMENT: "The key comes from the environment.",
}
FILE_WARNING = "The file would hold the key as plain text, readable by you only."


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


def rank(index: int) -> str:
    """Say when a model is asked."""
    return "asked first" if index == 0 else "if the one above fails"


def capabilities(model: ModelInfo) -> str:
    """Say what a server tells about a model."""
    said = []
    if model.context_window:
        said.append(f"reads {short_count(model.context_window)} tokens")
    if model.sees is not None:
        said.append("sees pictures" if model.sees else "no pictures")
    if model.uses_tools is not None:
        said.append("uses tools" if model.uses_tools else "no tools")
    if model.size_bytes:
        said.append(f"{model.size_bytes / 1e9:.1f} GB")
    return " · ".join(said)


def short_count(number: int) -> str:
    """Write a count shortly: 8k, 128k, 1M."""
    if number >= 1_000_000:
        return f"{number / 1_000_000:.1f}".removesuffix(".0") + "M"
    if number >= 1000:
        by = 1000 if number % 1000 == 0 or number % 1024 else 1024
        return f"{number // by}k"
    return str(number)


def key_words(place: KeyPlace) -> str:
    """Say where a key is kept."""
    return _PLACES[place]


def checked_words(checked: EndpointChecked) -> str:
    """Say how a test went."""
    if checked.problem is not None:
        return sentence(checked.problem)
    return f"Works: {checked.model} answered in {checked.seconds:.1f} s."
