"""Addresses: what is one, and what may be said about it."""

import pytest

from app.agent.providers.address import parse_address
from app.core.errors import ProblemError, ProblemKind


@pytest.mark.parametrize(
    ("written", "base_url"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        (" http://localhost:8080/v1/ ", "http://localhost:8080/v1"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("https://host/v1/chat/completions", "https://host/v1"),
    ],
)
def test_an_address_is_normalised(written: str, base_url: str) -> None:
    assert parse_address(written).base_url == base_url


@pytest.mark.parametrize(
    "written",
    [
        "",
        "localhost:8080",
        "api.openai.com/v1",
        "ftp://host/v1",
        "http://",
        "http://host:notaport/v1",
        "http://host:99999/v1",
        "http://[::1/v1",
        "http://a b/v1",
        "http://host/v1?key=1",
        "http://host/v1#x",
        "http://me:word@host/v1",
    ],
)
def test_what_is_no_address_is_a_problem(written: str) -> None:
    with pytest.raises(ProblemError) as caught:
        parse_address(written)
    assert caught.value.problem.kind is ProblemKind.BAD_ADDRESS


@pytest.mark.parametrize(
    ("host", "loopback", "local"),
    [
        ("localhost", True, True),
        ("LOCALHOST", True, True),
        ("api.localhost", True, True),
        ("127.0.0.1", True, True),
        ("127.8.8.8", True, True),
        ("[::1]", True, True),
        ("192.168.1.20", False, True),
        ("10.0.0.3", False, True),
        ("[fe80::1]", False, True),
        ("nas", False, True),
        ("studio.local", False, True),
        ("8.8.8.8", False, False),
        ("api.openai.com", False, False),
        ("localhost.example.com", False, False),
    ],
)
def test_which_servers_are_near(host: str, loopback: bool, local: bool) -> None:
    address = parse_address(f"http://{host}:8080/v1")
    assert (address.is_loopback, address.is_local) == (loopback, local)


@pytest.mark.parametrize(
    ("written", "provider"),
    [
        ("https://api.openai.com/v1", "OpenAI"),
        ("http://localhost:11434/v1", "localhost:11434"),
        ("https://model.example/v1", "model.example"),
        ("http://[::1]:8080/v1", "[::1]:8080"),
    ],
)
def test_a_server_is_named_as_people_know_it(written: str, provider: str) -> None:
    assert parse_address(written).provider == provider
