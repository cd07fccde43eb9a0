"""No secret survives redaction, whatever it is wrapped in; ordinary words do."""

import pytest

from app.system.redaction import HIDDEN, redact, register_secret

SECRET = "sk-proj-Abcdefghijklmnop1234567890"


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        f"Authorization: Bearer {SECRET}",
        f'{{"api_key": "{SECRET}"}}',
        f"https://user:{SECRET}@host/v1",
        f"https://host/v1?key={SECRET}&alt=sse",
        f"OPENAI_API_KEY={SECRET}",
        f"headers={{'x-api-key': '{SECRET}', 'a': 'b'}}",
    ],
)
def test_shape_of_a_key_is_hidden_everywhere(text: str) -> None:
    assert SECRET not in redact(text)
    assert HIDDEN in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer plainwordtoken",
        "authorization=Basic plainwordtoken",
        '"Authorization": "plainwordtoken"',
        "api_key=plainwordtoken",
        "'password': 'plainwordtoken'",
        "http://me:plainwordtoken@proxy:3128/",
        "GET /models?key=plainwordtoken HTTP/1.1",
    ],
)
def test_place_of_a_key_is_hidden_whatever_its_shape(text: str) -> None:
    assert "plainwordtoken" not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_def",
        "AIzaSyA1234567890abcdefghijklmnopqrs",
        "hf_abcdefghijklmnop",
        "ghp_abcdefghijklmnop",
    ],
)
def test_tokens_of_other_providers_are_hidden(text: str) -> None:
    assert redact(f"got {text}!") == f"got {HIDDEN}!"


def test_registered_secret_is_hidden_in_all_its_spellings() -> None:
    register_secret('odd/key "42"')
    for spelling in ('odd/key "42"', "odd%2Fkey%20%2242%22", 'odd/key \\"42\\"'):
        assert redact(f"<{spelling}>") == f"<{HIDDEN}>"


def test_short_secret_does_not_shred_the_log() -> None:
    register_secret("the")
    assert redact("the answer") == "the answer"


@pytest.mark.parametrize(
    "text",
    ["task-based asking", "the bearer of news", "connected to 127.0.0.1:8080 in 3 ms", "risk-free"],
)
def test_ordinary_words_stay(text: str) -> None:
    assert redact(text) == text


def test_redacting_twice_changes_nothing() -> None:
    once = redact(f"Authorization: Bearer {SECRET}, api_key={SECRET}")
    assert redact(once) == once
