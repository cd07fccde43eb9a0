"""Certificates: one that nobody vouches for is said, not accepted and not asked again."""

import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.agent.providers.retry import RetryingProvider
from app.core.errors import ProblemKind
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import ask, problem_with, provider_at

OPENSSL = shutil.which("openssl")
pytestmark = pytest.mark.skipif(OPENSSL is None, reason="needs openssl to make a certificate")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a certificate for this machine that signs itself, with its key in one file."""
    folder = tmp_path_factory.mktemp("tls")
    made = folder / "both.pem"
    options = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    command = [str(OPENSSL), *options.split(), "-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(command, check=True, capture_output=True)
    made.write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    return made


@pytest.fixture
def secure(certificate: Path) -> Iterator[FakeServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with FakeServer(tls=context) as server:
        yield server


def test_a_certificate_that_nobody_vouches_for_is_said_once(secure: FakeServer) -> None:
    async def act() -> None:
        provider = RetryingProvider(provider_at(secure.url, key="own-key"))
        found = await problem_with(provider)
        assert found.kind is ProblemKind.TLS
        assert found.params["host"] == secure.host
        assert secure.log.requests == []
        await provider.aclose()

    play(act())


def test_a_certificate_that_the_person_trusts_is_accepted(
    secure: FakeServer, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    async def act() -> None:
        provider = provider_at(secure.url)
        assert (await ask(provider)).text.startswith("You wrote")
        await provider.aclose()

    play(act())


def test_a_plain_server_behind_a_secure_address_cannot_be_reached(server: FakeServer) -> None:
    # It answers the handshake with an error page, as web servers do.
    async def act() -> None:
        server.greeting = b"HTTP/1.1 400 Bad Request\r\n\r\n"
        provider = provider_at(server.url.replace("http:", "https:"))
        assert (await problem_with(provider)).kind is ProblemKind.UNREACHABLE
        await provider.aclose()

    play(act())
