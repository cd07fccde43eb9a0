"""Where keys and requests may go: to the server they belong to, and nowhere else."""

import logging
from pathlib import Path

import pytest

from app.agent.providers.address import parse_address
from app.agent.providers.build import build_provider
from app.agent.providers.proxies import proxy_for
from app.core.errors import ProblemKind
from app.core.settings import Endpoint
from tests.fakes.script import Answer, failing
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import ask, problem_with, provider_at, question

SECRETS = {
    "OPENAI_API_KEY": "env-key",
    "OPENAI_ADMIN_KEY": "env-admin",
    "OPENAI_ORG_ID": "env-org",
    "OPENAI_PROJECT_ID": "env-project",
    "OPENAI_CUSTOM_HEADERS": "X-Env: env-header\nAuthorization: Bearer env-custom",
    "OPENAI_WEBHOOK_SECRET": "env-webhook",
}
SENT = {
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "user-agent",
}


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password env-netrc\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")


@pytest.mark.usefixtures("secrets")
@pytest.mark.parametrize("key", [None, "own-key"])
def test_nothing_of_the_environment_reaches_a_server(server: FakeServer, key: str | None) -> None:
    async def act() -> None:
        provider = provider_at(server.url, model="", key=key)
        await ask(provider)
        await ask(provider, question(streaming=False))
        await provider.aclose()

    play(act())
    expected = SENT | ({"authorization"} if key else set())
    assert len(server.log.requests) == 3
    for request in server.log.requests:
        assert set(request.headers) <= expected
        assert request.headers.get("authorization") == (f"Bearer {key}" if key else None)
        assert not any("env-" in value for value in request.headers.values())


def test_each_server_gets_its_own_key_only(server: FakeServer) -> None:
    async def act(other: FakeServer) -> None:
        keys = {server.url: "first-key", other.url: "second-key"}
        endpoints = [Endpoint(base_url=url, model="m") for url in keys]
        server.script(failing(402))
        provider = build_provider(endpoints, keys.get)
        assert (await ask(provider)).text.startswith("You wrote")
        await provider.aclose()
        assert [r.headers["authorization"] for r in server.log.requests] == ["Bearer first-key"]
        assert [r.headers["authorization"] for r in other.log.requests] == ["Bearer second-key"]

    with FakeServer() as other:
        play(act(other))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_problem_and_nobody_follows_it(server: FakeServer, status: int) -> None:
    async def act(other: FakeServer) -> None:
        server.script(Answer(status=status, headers={"Location": other.url}, body=""))
        provider = provider_at(server.url, key="own-key")
        found = await problem_with(provider)
        assert found.kind is ProblemKind.BAD_REPLY
        assert other.url in found.detail
        assert other.log.connections == []
        await provider.aclose()

    with FakeServer() as other:
        play(act(other))


def test_no_proxy_catches_a_request_to_this_machine(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act(proxy: FakeServer) -> None:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://{proxy.host}")
        provider = provider_at(server.url, key="own-key")
        await ask(provider)
        assert proxy.log.connections == []
        await provider.aclose()

    with FakeServer() as proxy:
        play(act(proxy))


def test_a_proxy_leads_to_a_server_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(proxy: FakeServer) -> None:
        monkeypatch.setenv("http_proxy", proxy.host)
        provider = provider_at("http://model.example/v1")
        await problem_with(provider)
        (request,) = proxy.log.requests
        assert request.path == "http://model.example/v1/chat/completions"
        await provider.aclose()

    with FakeServer() as proxy:
        play(act(proxy))


@pytest.mark.parametrize(
    ("base_url", "proxy"),
    [
        ("http://localhost:8080/v1", None),
        ("http://127.0.0.1:8080/v1", None),
        ("http://[::1]:8080/v1", None),
        ("https://skipped.example/v1", None),
        ("https://model.example/v1", "http://proxy.example:3128"),
    ],
)
def test_the_proxy_for_an_address(
    base_url: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "skipped.example")
    assert proxy_for(parse_address(base_url)) == proxy


def test_a_proxy_of_an_unknown_kind_makes_the_server_unreachable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:9")

    async def act() -> None:
        found = await problem_with(provider_at("http://model.example/v1"))
        assert found.kind is ProblemKind.UNREACHABLE
        assert "socks5" in found.detail

    play(act())


def test_the_key_is_in_no_log_and_no_problem(
    server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    async def act() -> None:
        server.script(failing(400, "Your key own-key-123456 is bad, Bearer own-key-123456."))
        provider = provider_at(server.url, key="own-key-123456")
        found = await problem_with(provider)
        assert "own-key" not in f"{found}"
        await ask(provider)
        await provider.aclose()

    caplog.set_level(logging.DEBUG)
    play(act())
    assert "own-key" not in caplog.text


def test_an_address_with_a_password_is_refused_without_telling_it() -> None:
    async def act() -> None:
        found = await problem_with(provider_at("http://me:hidden@model.example/v1"))
        assert found.kind is ProblemKind.BAD_ADDRESS
        assert "hidden" not in f"{found}"

    play(act())
