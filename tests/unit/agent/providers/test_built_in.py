"""What a model in a child of our own is asked with, on a server that writes it down."""

from app.agent.providers.built_in import CALM, BuiltInProvider, plainly
from app.core.ports import ModelAddress
from app.core.settings import Endpoint
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import ask


class Served:
    """A model that already runs, where the fake server listens."""

    is_ready = True

    def __init__(self, base_url: str) -> None:
        self._address = ModelAddress(base_url=base_url, key="child-key", model="m")

    async def address(self) -> ModelAddress:
        """Give the server's address."""
        return self._address


def asked_with(server: FakeServer, provider: BuiltInProvider) -> dict[str, object]:
    """Ask once; give what the server was sent."""

    async def act() -> None:
        await ask(provider)
        await provider.aclose()

    play(act())
    (chat,) = server.log.chats
    return dict(chat.body)


def test_the_built_in_model_is_kept_from_repeating_itself_without_end(server: FakeServer) -> None:
    sent = asked_with(server, BuiltInProvider(Served(server.url)))
    assert {name: sent[name] for name in CALM} == CALM
    assert isinstance(sent["max_tokens"], int)
    assert sent["max_tokens"] <= 512


def test_what_the_person_set_wins(server: FakeServer) -> None:
    own = Endpoint(base_url="", temperature=1.5, max_tokens=9)
    sent = asked_with(server, BuiltInProvider(Served(server.url), settings=own))
    assert (sent["temperature"], sent["max_tokens"]) == (1.5, 9)


def test_a_file_of_the_persons_own_speaks_as_it_likes(server: FakeServer) -> None:
    own = Endpoint(base_url="file:///model.gguf", model="mine")
    sent = asked_with(server, BuiltInProvider(Served(server.url), plainly, settings=own))
    assert not {"temperature", "max_tokens", "dry_multiplier"} & sent.keys()
    assert sent["return_progress"] is True  # else Stop waits for the server's next look
