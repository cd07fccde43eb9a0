"""When another model is asked, and when not."""

import pytest

from app.agent.provider import FallbackAnnounced, TextChunk
from app.agent.providers.build import build_provider
from app.agent.providers.fake import ScriptedProvider, Step
from app.agent.providers.fallback import FallbackProvider
from app.agent.providers.policy import Remedy, remedy
from app.core.errors import Problem, ProblemKind
from app.core.settings import Endpoint
from tests.fakes.script import failing, saying
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import Asking, ask, problem_with

K = ProblemKind
HELPS = [kind for kind in K if remedy(kind) is not Remedy.SAY]
DOES_NOT_HELP = [kind for kind in K if remedy(kind) is Remedy.SAY]
CREDIT = Problem(kind=K.NO_CREDIT)


@pytest.mark.parametrize("kind", HELPS)
def test_the_next_model_is_asked_and_announced(kind: ProblemKind) -> None:
    failed = Problem(kind=kind)
    first = ScriptedProvider([failed], model="a")
    second = ScriptedProvider([TextChunk(text="Two")], model="b")

    async def act() -> None:
        asking = Asking(FallbackProvider([first, second]))
        reply = await asking.reply()
        assert (reply.text, reply.model) == ("Two", "b")
        expected = FallbackAnnounced(from_model="a", to_model="b", problem=failed)
        assert asking.ear.all(FallbackAnnounced) == [expected]

    play(act())


@pytest.mark.parametrize("kind", DOES_NOT_HELP)
def test_what_the_person_has_to_fix_is_said(kind: ProblemKind) -> None:
    first, second = ScriptedProvider([Problem(kind=kind)]), ScriptedProvider()

    async def act() -> None:
        assert (await problem_with(FallbackProvider([first, second]))).kind is kind
        assert second.requests == []

    play(act())


def test_no_other_model_is_asked_once_a_word_was_shown() -> None:
    broken: list[Step] = [TextChunk(text="One"), Problem(kind=K.BROKEN_OFF)]
    first, second = ScriptedProvider(broken), ScriptedProvider()

    async def act() -> None:
        asking = Asking(FallbackProvider([first, second]))
        assert (await asking.problem()).kind is K.BROKEN_OFF
        assert asking.ear.all(FallbackAnnounced) == []
        assert second.requests == []

    play(act())


def test_the_last_models_problem_is_the_one_that_is_said() -> None:
    asked = [
        ScriptedProvider([Problem(kind=kind)]) for kind in (K.NO_CREDIT, K.SILENT, K.SERVER_FAULT)
    ]

    async def act() -> None:
        assert (await problem_with(FallbackProvider(asked))).kind is K.SERVER_FAULT

    play(act())


def test_the_first_model_is_asked_first_again_after_a_fallback() -> None:
    first = ScriptedProvider([CREDIT], [TextChunk(text="One")], model="a")
    second = ScriptedProvider([TextChunk(text="Two")], model="b")
    provider = FallbackProvider([first, second])

    async def act() -> None:
        assert (await ask(provider)).model == "b"
        assert (await ask(provider)).model == "a"
        assert provider.model == "a"

    play(act())


def test_closing_closes_every_provider() -> None:
    asked = [ScriptedProvider(), ScriptedProvider()]
    play(FallbackProvider(asked).aclose())
    assert all(provider.is_closed for provider in asked)


def test_nothing_configured_says_so() -> None:
    async def act() -> None:
        provider = build_provider([], lambda _: None)
        assert (await problem_with(provider)).kind is K.NOT_CONFIGURED
        await provider.aclose()

    play(act())


def test_a_built_provider_falls_back_between_real_servers(server: FakeServer) -> None:
    async def act() -> None:
        server.script(failing(402), saying("Two"), saying("One"))
        endpoints = [Endpoint(base_url=server.url, model=name) for name in ("a", "b")]
        provider = build_provider(endpoints, lambda _: None)
        assert (await ask(provider)).model == "b"
        assert (await ask(provider)).model == "a"
        assert [chat.body["model"] for chat in server.log.chats] == ["a", "b", "a"]
        await provider.aclose()

    play(act())
