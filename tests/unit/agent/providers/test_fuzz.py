"""Random streams over a real socket: whatever comes, it is a reply, a problem or a cancellation."""

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.agent.provider import Reply
from app.agent.providers.http import HttpProvider
from app.core.errors import ProblemError, ProblemKind
from app.core.tokens import Cancelled
from tests.fakes.script import Answer, Done, Fin, Finish, Raw, Reset, Step, Text, ToolCall, Usage
from tests.fakes.server import FakeServer
from tests.harness.environment import is_proving
from tests.harness.loops import pass_ticks
from tests.unit.agent.providers.asking import Asking, provider_at, question

BYTES = st.binary(max_size=40).map(lambda data: data.decode("latin-1"))
SCRAPS = st.sampled_from(
    [
        "data: ",
        "\n",
        "\n\n",
        "\r",
        "\r\n\r\n",
        ": ping\n\n",
        "event: error\n",
        "data: [DONE]\n\n",
        "data: null\n\n",
        'data: {"choices": [{"delta": {"content": "a"}}]}\n\n',
        'data: {"choices": [{"delta": {"content": "\\ud83d"}}]}\n\n',
        'data: {"choices": [{"delta": {"tool_calls": [{}]}}]}\n\n',
        'data: {"choices": [{"delta": {"tool_calls": [null]}}]}\n\n',
        'data: {"choices": [{"delta": 7, "finish_reason": 7}]}\n\n',
        'data: {"choices": {"0": 1}, "usage": []}\n\n',
        'data: {"error": {"message": "no", "code": 400}}\n\n',
        'data: {"choi',
    ]
)
STEPS: st.SearchStrategy[Step] = st.one_of(
    BYTES.map(Raw),
    SCRAPS.map(Raw),
    SCRAPS.map(Raw),
    st.just(Text("One two")),
    st.just(ToolCall("look", '{"a": 1}', pieces=3)),
    st.sampled_from([Finish(), Usage(), Done(), Fin(), Reset(), Fin(mid_chunk=True)]),
)
KINDS = st.sampled_from(
    ["text/event-stream", "application/json", "text/html", "text/plain", "", "nonsense; ;="]
)
ANSWERS = st.builds(
    Answer,
    steps=st.lists(STEPS, max_size=8).map(tuple),
    content_type=KINDS,
    status=st.sampled_from([200, 200, 200, 200, 201, 204, 299, 304, 400, 500]),
)
PROVIDER_KINDS = set(ProblemKind) - {ProblemKind.INTERNAL}


class Rig:
    """One loop, one server and one provider for all examples: making them is slow."""

    def __init__(self, server: FakeServer) -> None:
        self.server = server
        self.loop = asyncio.new_event_loop()
        self.provider: HttpProvider = provider_at(server.url)

    def outcome(self, answer: Answer, *, stop_after: int | None, streaming: bool) -> object:
        return self.loop.run_until_complete(self._outcome(answer, stop_after, streaming))

    async def _outcome(self, answer: Answer, stop_after: int | None, streaming: bool) -> object:
        self.server.default = answer
        asking = Asking(self.provider, question(streaming=streaming))
        if stop_after is not None:
            await pass_ticks(stop_after)
            asking.stop()
        try:
            return await asking.reply()
        except (ProblemError, Cancelled) as ended:
            return ended

    def close(self) -> None:
        self.loop.run_until_complete(self.provider.aclose())
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    with FakeServer() as server:
        made = Rig(server)
        yield made
        made.close()


EXAMPLES = 5000 if is_proving() else 150
MANY = settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])


@MANY
@given(answer=ANSWERS, streaming=st.booleans())
def test_any_stream_is_a_reply_or_a_problem(rig: Rig, answer: Answer, streaming: bool) -> None:
    outcome = rig.outcome(answer, stop_after=None, streaming=streaming)
    if isinstance(outcome, ProblemError):
        assert outcome.problem.kind in PROVIDER_KINDS, outcome.problem
    else:
        assert isinstance(outcome, Reply)


@MANY
@given(answer=ANSWERS, streaming=st.booleans(), stop_after=st.integers(0, 60))
def test_any_stream_stopped_anywhere_is_one_of_three(
    rig: Rig, answer: Answer, streaming: bool, stop_after: int
) -> None:
    outcome = rig.outcome(answer, stop_after=stop_after, streaming=streaming)
    assert isinstance(outcome, Reply | ProblemError | Cancelled)
    if isinstance(outcome, ProblemError):
        assert outcome.problem.kind in PROVIDER_KINDS, outcome.problem


def test_nothing_of_all_that_is_left_open(rig: Rig) -> None:
    rig.server.log.wait_for(lambda log: len(log.open_connections) <= 4)
