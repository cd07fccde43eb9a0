"""What each status, header and body of a server means to a person."""

from typing import Any

import pytest

from app.agent.providers.address import parse_address
from app.agent.providers.classify import Asked, of_error_inside, of_status, of_web_page
from app.agent.providers.reasons import MAX_REASON_CHARS, message_of, sentence_of
from app.agent.providers.waiting import asked_wait_s
from app.core.errors import ProblemKind
from app.core.wording import sentence

K = ProblemKind
ASKED = Asked(address=parse_address("https://api.openai.com/v1"), model="m", key="k-123456")


def error(message: str, **members: Any) -> dict[str, Any]:
    return {"message": message, **members}


STATUSES: list[tuple[int, Any, ProblemKind]] = [
    (301, "", K.BAD_REPLY),
    (400, error("messages must alternate"), K.BAD_REQUEST),
    (400, error("This model's maximum context length is 8192 tokens."), K.TOO_LONG),
    (400, error("x", code="context_length_exceeded"), K.TOO_LONG),
    (400, error("x", type="exceed_context_size_error"), K.TOO_LONG),
    (400, error("prompt is too long: 300000 tokens > 200000 maximum"), K.TOO_LONG),
    (400, error("foo/bar is not a valid model ID"), K.NO_SUCH_MODEL),
    (400, error("API key not valid. Please pass a valid API key."), K.KEY_REJECTED),
    (401, error("Incorrect API key provided"), K.KEY_REJECTED),
    (401, "", K.KEY_REJECTED),
    (402, error("Insufficient credits"), K.NO_CREDIT),
    (403, error("Country not supported"), K.KEY_REJECTED),
    (403, error("Your input was flagged by moderation"), K.BAD_REQUEST),
    (404, error("The model `x` does not exist", code="model_not_found"), K.NO_SUCH_MODEL),
    (404, error('model "llama9" not found, try pulling it first'), K.NO_SUCH_MODEL),
    (404, {"detail": "Not Found"}, K.BAD_REPLY),
    (404, "<html><title>404</title></html>", K.BAD_REPLY),
    (405, "", K.BAD_REPLY),
    (407, "", K.PROXY),
    (408, "", K.SERVER_FAULT),
    (409, "", K.SERVER_FAULT),
    (413, "", K.TOO_LONG),
    (418, error("teapot"), K.BAD_REQUEST),
    (422, {"detail": [{"msg": "extra fields"}]}, K.BAD_REQUEST),
    (429, error("Rate limit reached"), K.RATE_LIMITED),
    (429, error("You exceeded your current quota", code="insufficient_quota"), K.NO_CREDIT),
    (500, "", K.SERVER_FAULT),
    (500, error("the request exceeds the available context size"), K.TOO_LONG),
    (502, "<html>Bad gateway</html>", K.SERVER_FAULT),
    (503, error("Loading model"), K.SERVER_FAULT),
    (529, error("Overloaded"), K.SERVER_FAULT),
]


@pytest.mark.parametrize(("status", "body", "kind"), STATUSES)
def test_a_status_is_a_problem_of_its_kind(status: int, body: Any, kind: ProblemKind) -> None:
    found = of_status(ASKED, status, {}, body).problem
    assert found.kind is kind
    assert found.params["provider"] == "OpenAI"
    assert not set("{?") & set(sentence(found))
    assert str(status) in found.detail


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("Boom", K.SERVER_FAULT),
        ({"message": "Boom"}, K.SERVER_FAULT),
        ({"message": "Boom", "code": 429}, K.RATE_LIMITED),
        ({"message": "Boom", "code": "odd"}, K.SERVER_FAULT),
        ({"message": "Too many tokens: context length is 5", "code": 400}, K.TOO_LONG),
        (None, K.SERVER_FAULT),
        ([], K.SERVER_FAULT),
    ],
)
def test_an_error_inside_an_answer_is_a_problem_of_its_kind(body: Any, kind: ProblemKind) -> None:
    assert of_error_inside(ASKED, body).problem.kind is kind


def test_sizes_are_told_where_the_server_tells_them() -> None:
    said = "maximum context length is 8,192 tokens. However, you requested 9000 tokens"
    found = of_status(ASKED, 400, {}, error(said)).problem
    assert (found.params["limit"], found.params["used"]) == (8192, 9000)


def test_a_limit_tells_how_long_to_wait_if_the_server_does() -> None:
    told = of_status(ASKED, 429, {"retry-after": "7"}, error("Slow down"))
    assert told.retry_after_s == 7
    assert told.problem.params["seconds"] == 7
    untold = of_status(ASKED, 429, {}, error("Slow down"))
    assert untold.retry_after_s is None
    assert "seconds" not in untold.problem.params


@pytest.mark.parametrize(
    ("headers", "said", "wait_s"),
    [
        ({}, "", None),
        ({"retry-after": "2"}, "", 2.0),
        ({"retry-after": "1.5"}, "", 1.5),
        ({"retry-after": "-1"}, "", None),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "inf"}, "", None),
        ({"retry-after": "nan"}, "", None),
        ({"retry-after-ms": "250", "retry-after": "9"}, "", 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, "", 40.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:10 GMT"}, "", 0.0),
        ({}, "Please try again in 1.2s.", 1.2),
        ({}, "Please retry after 20 seconds", 20.0),
        ({}, "try again in 120ms", 0.12),
        ({}, "try again in 2 min", 120.0),
    ],
)
def test_the_wait_a_server_asks_for(
    headers: dict[str, str], said: str, wait_s: float | None
) -> None:
    assert asked_wait_s(headers, said, now=60.0) == (
        None if wait_s is None else pytest.approx(wait_s)
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("Boom", "Boom"),
        ("<!DOCTYPE html><html>no</html>", ""),
        ({"error": {"message": "Boom"}}, "Boom"),
        ({"error": "Boom"}, "Boom"),
        ({"message": "Boom"}, "Boom"),
        ({"detail": [{"msg": "Boom"}]}, "Boom"),
        ({"detail": {"message": "Boom"}}, "Boom"),
        ([{"error": {"message": "Boom"}}], "Boom"),
        (None, ""),
        (7, ""),
    ],
)
def test_the_servers_words_are_found_in_any_body(body: Any, message: str) -> None:
    assert message_of(body) == message


def test_a_reason_is_one_clean_line_without_a_key() -> None:
    said = "bad\x00 key:\n k-123456\x1b[31m and sk-abcdefgh12345678 in Bearer abc.def"
    assert sentence_of(said, "k-123456") == "bad key: … [31m and … in …"


def test_a_long_reason_is_cut_at_a_word() -> None:
    cut = sentence_of("word " * 100, None)
    assert len(cut) <= MAX_REASON_CHARS
    assert cut.endswith("word…")


def test_no_reason_is_said_to_be_none() -> None:
    assert sentence_of(" \n", None) == "it gave no reason."


@pytest.mark.parametrize(
    ("address", "status", "location", "kind"),
    [
        ("http://models.example/v1", 302, "http://login.hotel.example/", K.LOGIN_NEEDED),
        ("http://models.example/v1", 307, "https://models.example/v1/x", K.BAD_REPLY),
        ("http://models.example/v1", 302, "/login", K.BAD_REPLY),
        ("https://models.example/v1", 301, "https://www.models.example/v1", K.BAD_REPLY),
        ("http://127.0.0.1:8080/v1", 302, "http://elsewhere.example/", K.BAD_REPLY),
        ("http://127.0.0.1:8080/v1", 511, "", K.LOGIN_NEEDED),
    ],
)
def test_a_network_that_wants_a_login_is_told_from_a_wrong_address(
    address: str, status: int, location: str, kind: ProblemKind
) -> None:
    asked = Asked(address=parse_address(address), model="m")
    failure = of_status(asked, status, {"location": location}, "")
    assert failure.problem.kind is kind


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("http://api.openai.com/v1", K.LOGIN_NEEDED),
        ("https://api.openai.com/v1", K.BAD_REPLY),
        ("https://www.example.org/v1", K.BAD_REPLY),
    ],
)
def test_a_web_page_from_a_known_provider_is_the_networks(address: str, kind: ProblemKind) -> None:
    asked = Asked(address=parse_address(address), model="m")
    assert of_web_page(asked, "a web page came").problem.kind is kind
