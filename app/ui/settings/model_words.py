"""The words for models, servers and keys on the page; pure."""

from app.core.models import EndpointChecked, KeyPlace, ModelInfo
from app.core.wording import sentence
from app.ui.model_names import short_count

_PLACES = {
    KeyPlace.NOWHERE: "",
    KeyPlace.KEYCHAIN: "The key is in the system's keychain.",
    KeyPlace.FILE: "The key is in a file that only you can read.",
    KeyPlace.SESSION: "There is no keychain here. The key is kept until Belay closes.",
    KeyPlace.ENVIRONMENT: "The key comes from the environment.",
}
FILE_WARNING = "The file would hold the key as plain text, readable by you only."


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


def key_words(place: KeyPlace) -> str:
    """Say where a key is kept."""
    return _PLACES[place]


def checked_words(checked: EndpointChecked) -> str:
    """Say how a test went."""
    if checked.problem is not None:
        return sentence(checked.problem)
    return f"Works: {checked.model} answered in {checked.seconds:.1f} s."
