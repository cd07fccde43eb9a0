"""The fake server itself: what it checks, what it logs, and that it can be told by JSON."""

import json
import subprocess
import sys
import urllib.request
from typing import Any

import pytest

from tests.fakes.history import violations
from tests.fakes.script import (
    Answer,
    Delta,
    Done,
    Finish,
    Gate,
    Raw,
    Reset,
    Text,
    ToolCall,
    answer_from_json,
    answer_to_json,
    gated,
)
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import Asking, provider_at

LIMIT_S = 20


def post(url: str, body: Any) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=LIMIT_S) as response:
        return json.load(response)


def user(content: Any = "Hi") -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: str | None = "Hello", *ids: str) -> dict[str, Any]:
    function = {"name": "look", "arguments": "{}"}
    calls = [{"id": id_, "type": "function", "function": function} for id_ in ids]
    return {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {})}


def tool(id_: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": "seen"}


SYSTEM = {"role": "system", "content": "Be brief."}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}

VALID = {
    "a question": [user()],
    "with a system prompt": [SYSTEM, user()],
    "a conversation": [user(), assistant(), user()],
    "a tool's result": [user(), assistant(None, "a", "b"), tool("b"), tool("a")],
    "user after tool": [user(), assistant("Hm", "a"), tool("a"), user()],
    "a picture": [user([{"type": "text", "text": "See"}, PICTURE])],
}
INVALID = {
    "nothing": [],
    "no list": "Hi",
    "two users in a row": [user(), user()],
    "two answers in a row": [user(), assistant(), assistant(), user()],
    "an answer first": [assistant(), user()],
    "an answer last": [user(), assistant()],
    "an empty answer": [user(), assistant(""), user()],
    "a blank answer": [user(), assistant(" \n"), user()],
    "null without calls": [user(), assistant(None), user()],
    "an empty question": [user("")],
    "a call without a result": [user(), assistant(None, "a"), user()],
    "a call without a result at the end": [user(), assistant(None, "a")],
    "one result of two": [user(), assistant(None, "a", "b"), tool("a"), assistant(), user()],
    "a result nobody asked for": [user(), assistant(), tool("a")],
    "a result twice": [user(), assistant(None, "a"), tool("a"), tool("a")],
    "one id for two calls": [user(), assistant(None, "a", "a"), tool("a"), tool("a")],
    "a system prompt inside": [user(), assistant(), SYSTEM, user()],
    "an unknown role": [{"role": "robot", "content": "Hi"}],
    "thoughts sent back": [user(), {**assistant(), "reasoning_content": "Hm"}, user()],
}


@pytest.mark.parametrize("messages", VALID.values(), ids=VALID.keys())
def test_a_valid_history_is_accepted(messages: Any) -> None:
    assert violations(messages, user_after_tool=True, prefill=False) == []


@pytest.mark.parametrize("messages", INVALID.values(), ids=INVALID.keys())
def test_an_invalid_history_is_refused(messages: Any) -> None:
    assert violations(messages, user_after_tool=True, prefill=False)


def test_strict_servers_refuse_a_user_after_a_tool() -> None:
    assert violations(VALID["user after tool"], user_after_tool=False, prefill=False)


def test_a_refused_history_gets_a_400_and_stays_in_the_log() -> None:
    body = {"model": "m", "messages": [user(), user()]}
    with FakeServer() as server:
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(f"{server.url}/chat/completions", body)
        assert caught.value.code == 400
        caught.value.close()
        assert server.log.violations == ["message 1: user after user"]


def test_the_echo_repeats_the_question_in_the_same_words_every_time() -> None:
    body = {"model": "m", "messages": [user("Where is the rope?")]}
    with FakeServer() as server:
        said = [post(f"{server.url}/chat/completions", body) for _ in range(2)]
    texts = {answer["choices"][0]["message"]["content"] for answer in said}
    (text,) = texts
    assert "Where is the rope?" in text
    assert "```python" in text


def test_an_answer_can_be_kept_for_one_question(server: FakeServer) -> None:
    server.script(Answer(steps=(Text("Two"), Finish()), when="second"))
    server.script(Answer(steps=(Text("One"), Finish()), when="first"))
    said = []
    for asked in ("the first", "the second"):
        body = {"model": "m", "messages": [user(asked)]}
        answer = post(f"{server.url}/chat/completions", body)
        said.append(answer["choices"][0]["message"]["content"])
    assert said == ["One", "Two"]


def test_a_gated_answer_waits_for_its_release(server: FakeServer) -> None:
    async def act() -> None:
        server.script(gated("One", " two"))
        provider = provider_at(server.url)
        asking = Asking(provider)
        await asking.ear.until(lambda ear: ear.text == "One")
        await server.log.until(lambda log: log.gates_reached == ["gate"])
        server.release()
        assert (await asking.reply()).text == "One two"
        await provider.aclose()

    play(act())


def test_every_answer_survives_the_way_through_json() -> None:
    steps = (Text("a"), ToolCall("b", pieces=2), Delta({"x": 1}), Raw("\xff"), Gate("g"), Done())
    answer = Answer(steps=steps, before=(Reset(mid_chunk=True),), status=418, rate=2.0, when="x")
    assert answer_from_json(json.loads(json.dumps(answer_to_json(answer)))) == answer


def test_it_runs_as_a_process_and_is_told_by_json() -> None:
    command = [sys.executable, "-P", "-m", "tests.fakes.server", "--rate", "0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        root = url.removesuffix("/v1")
        post(f"{root}/_script", [answer_to_json(Answer(steps=(Text("One"), Finish())))])
        post(f"{root}/_options", {"models": ["mine"]})
        answer = post(f"{url}/chat/completions", {"model": "m", "messages": [user()]})
        assert answer["choices"][0]["message"]["content"] == "One"
        with urllib.request.urlopen(f"{url}/models", timeout=LIMIT_S) as response:
            assert json.load(response)["data"][0]["id"] == "mine"
        with urllib.request.urlopen(f"{root}/_log", timeout=LIMIT_S) as response:
            seen = json.load(response)["requests"]
        assert [request["path"] for request in seen] == ["/v1/chat/completions", "/v1/models"]
        process.stdin.close()
        assert process.wait(LIMIT_S) == 0
