"""Instructions reach the model in whichever role its server takes."""

import pytest

from app.agent.provider import ChatRequest
from app.agent.providers.http import HttpProvider
from app.agent.providers.refusals import Refusals
from app.core.messages import Role
from app.core.settings import Endpoint
from tests.fakes.script import Answer, error_body, saying
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import ask, message

ASKED = ChatRequest(
    messages=(message(Role.SYSTEM, text="Be short."), message(Role.USER, text="Hello"))
)
REFUSED = (
    "Unsupported value: 'messages[0].role' does not support '{}' with this model.",
    "Unknown role: {}",
    "{} messages are not supported",
)


def roles(server: FakeServer) -> list[str]:
    return [chat.body["messages"][0]["role"] for chat in server.log.chats]


@pytest.mark.parametrize("said", REFUSED)
def test_a_refused_role_is_replaced_once_and_remembered(server: FakeServer, said: str) -> None:
    async def act() -> None:
        provider = HttpProvider(Endpoint(base_url=server.url, model="m"), None, refusals=Refusals())
        server.script(Answer(status=400, body=error_body(said.format("system"))), saying("Yes"))
        await ask(provider, ASKED)
        await ask(provider, ASKED)
        await provider.aclose()

    play(act())
    assert roles(server) == ["system", "developer", "developer"]


def test_where_no_role_instructs_the_person_does(server: FakeServer) -> None:
    async def act() -> None:
        provider = HttpProvider(Endpoint(base_url=server.url, model="m"), None)
        for name in ("system", "developer"):
            server.script(Answer(status=400, body=error_body(REFUSED[1].format(name))))
        server.script(saying("Yes"))
        await ask(provider, ASKED)
        await provider.aclose()

    play(act())
    assert roles(server) == ["system", "developer", "user"]
    (only,) = server.log.chats[-1].body["messages"]
    assert only["content"] == "Be short.\n\nHello"
