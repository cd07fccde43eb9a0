"""What is asked and told about models: servers, their lists, whether one works, where keys are.

Wishes and facts of their own, beside those of conversations: nobody but the settings and the
model chip wants them. They cross threads as `Command` and `Event` do.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from app.core.errors import Problem
from app.core.ids import ConversationId, MessageId
from app.core.settings import Endpoint


class KeyPlace(StrEnum):
    """Where the key for an address is kept."""

    NOWHERE = "nowhere"
    KEYCHAIN = "keychain"
    FILE = "file"
    SESSION = "session"  # until Belay closes
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """A model that a server offers, and what the server says about it; None: it does not say."""

    id: str
    context_window: int | None = None
    size_bytes: int | None = None
    sees: bool | None = None
    uses_tools: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundServer:
    """A server that answers on this machine."""

    name: str
    base_url: str
    models: tuple[ModelInfo, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FindServers:
    """Look for servers on this machine; nothing is used before it is chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListModels:
    """Ask a server which models it has."""

    base_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEndpoint:
    """Ask a model for a word, and tell how it went."""

    endpoint: Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class LocateKey:
    """Find out where the key for an address is kept, without showing it."""

    base_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepKey:
    """Keep a key for an address: in the keychain, or until Belay closes if there is none."""

    base_url: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepKeyInFile:
    """Keep the key that is in use for an address in a file: the person agreed to it in words."""

    base_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetKey:
    """Forget the key for an address, wherever it is kept."""

    base_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFile:
    """Look at a model file of the person's own: can it be served here?"""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOut:
    """Send these messages of a conversation no more; they stay where they are to be read."""

    conversation_id: ConversationId
    message_ids: frozenset[MessageId]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskNow:
    """Wait no longer for the next attempt in a conversation."""

    conversation_id: ConversationId


ModelQuestion = (
    FindServers
    | ListModels
    | CheckEndpoint
    | CheckFile
    | LocateKey
    | KeepKey
    | KeepKeyInFile
    | ForgetKey
)
ModelCommand = ModelQuestion | LeaveOut | AskNow


@dataclass(frozen=True, slots=True, kw_only=True)
class ServersFound:
    """What answers on this machine."""

    servers: tuple[FoundServer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsListed:
    """What a server offers, or why that is not known."""

    base_url: str
    models: tuple[ModelInfo, ...] = ()
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointChecked:
    """A model answered after so many seconds, or did not."""

    endpoint: Endpoint
    model: str = ""
    seconds: float = 0.0
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyLocated:
    """Where the key for an address is kept."""

    base_url: str
    place: KeyPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChecked:
    """What a model file is, or why it cannot be served."""

    path: str
    name: str = ""
    context_window: int | None = None
    size_bytes: int = 0
    problem: Problem | None = None


ModelEvent = ServersFound | ModelsListed | EndpointChecked | KeyLocated | FileChecked
