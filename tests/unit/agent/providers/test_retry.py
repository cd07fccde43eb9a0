"""What is asked again, how often, after how long, and what is not."""

import pytest

from app.agent.provider import ReasoningChunk, RetryAnnounced, TextChunk
from app.agent.providers.failure import RequestFailed
from app.agent.providers.fake import ScriptedProvider, Step
from app.agent.providers.policy import REMEDIES, Remedy, remedy
from app.agent.providers.retry import ATTEMPTS, LONGEST_WAIT_S, RetryingProvider
from app.core.errors import Problem, ProblemKind
from app.core.ids import CallId
from app.core.messages import ToolCallPart
from app.core.tokens import Cancelled
from tests.fakes.script import Answer, Fin, Reset, Text, failing, saying
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import Asking, ask, provider_at

K = ProblemKind
FAULT = Problem(kind=K.SERVER_FAULT, params={"times": 1})
RETRIED = [kind for kind, remedied in REMEDIES.items() if remedied is Remedy.RETRY]
NOT_RETRIED = [kind for kind in K if kind not in RETRIED]


def at_once(*scripts: list[Step]) -> tuple[ScriptedProvider, RetryingProvider]:
    """Make a provider that follows scripts, and one around it that waits for nothing."""
    inner = ScriptedProvider(*scripts)
    return inner, RetryingProvider(inner, jitter=lambda: 0.5, first_wait_s=0.0)


@pytest.mark.parametrize("kind", RETRIED)
def test_a_passing_problem_is_tried_again_and_announced(kind: ProblemKind) -> None:
    failed = Problem(kind=kind, params={"times": 1})
    inner, provider = at_once([failed], [failed], [TextChunk(text="One")])

    async def act() -> None:
        asking = Asking(provider)
        assert (await asking.reply()).text == "One"
        announced = asking.ear.all(RetryAnnounced)
        assert [(a.attempt, a.attempts) for a in announced] == [(2, ATTEMPTS), (3, ATTEMPTS)]
        assert [a.problem.kind for a in announced] == [kind, kind]
        assert len(inner.requests) == 3

    play(act())


@pytest.mark.parametrize("kind", NOT_RETRIED)
def test_what_will_not_pass_by_itself_is_asked_once(kind: ProblemKind) -> None:
    inner, provider = at_once([Problem(kind=kind)])

    async def act() -> None:
        asking = Asking(provider)
        assert (await asking.problem()).kind is kind
        assert asking.ear.all(RetryAnnounced) == []
        assert len(inner.requests) == 1

    play(act())


def test_four_attempts_are_all() -> None:
    failing_always: list[list[Step]] = [[FAULT] for _ in range(ATTEMPTS + 1)]
    inner, provider = at_once(*failing_always)

    async def act() -> None:
        asking = Asking(provider)
        found = await asking.problem()
        assert found.params["times"] == ATTEMPTS == 4
        assert len(asking.ear.all(RetryAnnounced)) == ATTEMPTS - 1
        assert len(inner.requests) == ATTEMPTS

    play(act())


SHOWN: dict[str, Step] = {
    "a word": TextChunk(text="One"),
    "a thought": ReasoningChunk(text="Hm"),
    "a tool call": ToolCallPart(call_id=CallId("a"), name="look", arguments="{}"),
}


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN.keys())
def test_nothing_is_asked_again_once_a_piece_was_shown(shown: Step) -> None:
    inner, provider = at_once([shown, Problem(kind=K.BROKEN_OFF)])

    async def act() -> None:
        asking = Asking(provider)
        assert (await asking.problem()).kind is K.BROKEN_OFF
        assert asking.ear.all(RetryAnnounced) == []
        assert len(inner.requests) == 1

    play(act())


def failure(
    kind: ProblemKind = K.SERVER_FAULT,
    *,
    retry_after_s: float | None = None,
    unanswered: bool = False,
) -> RequestFailed:
    return RequestFailed(Problem(kind=kind), retry_after_s=retry_after_s, unanswered=unanswered)


async def announced_wait(failed: RequestFailed, *, jitter: float, before: int = 0) -> float:
    """Let a provider fail until a wait is announced that takes time, and stop it there."""
    scripts: list[list[Step]] = [[failed] for _ in range(before + 1)]
    provider = RetryingProvider(ScriptedProvider(*scripts), jitter=lambda: jitter)
    asking = Asking(provider)
    await asking.ear.until(lambda ear: len(ear.all(RetryAnnounced)) > before)
    asking.stop()
    with pytest.raises(Cancelled):
        await asking.reply()
    return asking.ear.all(RetryAnnounced)[before].wait_s


@pytest.mark.parametrize(("jitter", "wait_s"), [(0.0, 0.5), (0.5, 1.0), (0.999, 1.499)])
def test_the_first_wait_is_a_second_more_or_less(jitter: float, wait_s: float) -> None:
    assert play(announced_wait(failure(), jitter=jitter)) == pytest.approx(wait_s)


def test_the_wait_that_the_server_asks_for_is_kept() -> None:
    asked = failure(K.RATE_LIMITED, retry_after_s=20.0)
    assert play(announced_wait(asked, jitter=0.25)) == pytest.approx(20.25)


def test_a_server_that_asks_for_too_long_a_wait_is_not_waited_for() -> None:
    asked = failure(K.RATE_LIMITED, retry_after_s=LONGEST_WAIT_S + 1)
    inner, provider = at_once([asked])

    async def act() -> None:
        assert (await Asking(provider).problem()).kind is K.RATE_LIMITED
        assert len(inner.requests) == 1

    play(act())


def test_a_request_dropped_without_a_byte_is_repeated_at_once_but_only_once() -> None:
    dropped = failure(K.BROKEN_OFF, unanswered=True)

    async def act() -> None:
        assert await announced_wait(dropped, jitter=0.5) == 0.0
        assert await announced_wait(dropped, jitter=0.5, before=1) == pytest.approx(2.0)

    play(act())


def test_every_kind_that_a_server_can_cause_has_a_remedy() -> None:
    said = [kind for kind in K if remedy(kind) is Remedy.SAY]
    assert set(said) | set(REMEDIES) == set(K)
    assert K.KEY_REJECTED in said
    assert K.BAD_REQUEST in said


def real(server: FakeServer) -> RetryingProvider:
    return RetryingProvider(provider_at(server.url), jitter=lambda: 0.5, first_wait_s=0.0)


@pytest.mark.parametrize(
    "failing_first",
    [
        Answer(before=(Reset(),)),
        Answer(before=(Fin(),)),
        Answer(steps=(Fin(mid_chunk=True),)),
        failing(503),
        failing(429, "Slow down.", retry_after="0"),
    ],
    ids=["reset", "closed", "cut", "503", "429"],
)
def test_a_real_network_error_before_the_first_word_is_repeated(
    server: FakeServer, failing_first: Answer
) -> None:
    async def act() -> None:
        server.script(failing_first, saying("One"))
        provider = real(server)
        asking = Asking(provider)
        assert (await asking.reply()).text == "One"
        assert len(asking.ear.all(RetryAnnounced)) == 1
        assert len(server.log.chats) == 2
        await provider.aclose()

    if failing_first.status == 429:
        server.default = saying("One")
    play(act())


def test_a_real_network_error_after_a_word_surfaces(server: FakeServer) -> None:
    async def act() -> None:
        server.script(Answer(steps=(Text("One"), Reset())))
        provider = real(server)
        asking = Asking(provider)
        assert (await asking.problem()).kind is K.BROKEN_OFF
        assert asking.ear.text == "One"
        assert len(server.log.chats) == 1
        await provider.aclose()

    play(act())


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_real_refusal_is_one_request(server: FakeServer, status: int) -> None:
    async def act() -> None:
        server.script(failing(status))
        provider = real(server)
        await Asking(provider).problem()
        assert len(server.log.chats) == 1
        await provider.aclose()

    play(act())


def test_an_idle_connection_that_the_server_closed_costs_nothing(server: FakeServer) -> None:
    async def act() -> None:
        provider = real(server)
        await ask(provider)
        server.close_idle()
        asking = Asking(provider)
        assert (await asking.reply()).text.startswith("You wrote")
        assert all(announced.wait_s == 0.0 for announced in asking.ear.all(RetryAnnounced))
        await provider.aclose()

    play(act())
