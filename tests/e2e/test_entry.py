"""The console script: what each way of starting it does before anything heavy is loaded."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app import __version__
from tests.conftest import BelayStarter
from tests.e2e.terminal import TerminalProcess
from tests.fakes.server import FakeServer
from tests.harness import environment
from tests.harness.process import LIMIT_S, BelayProcess, belay_argv

HEAVY = ("PySide6", "openai", "prompt_toolkit", "apsw", "mcp", "asyncio", "httpx2")
# Runs the console script and tells which modules it had loaded when it ended the process.
SPY = """
import json, os, sys
leave = os._exit
def spied(code):
    sys.stdout.flush()
    os.write(int(os.environ["SPY_FD"]), json.dumps(sorted(sys.modules)).encode())
    leave(code)
os._exit = spied
from app.main.entry import run
run()
"""


def ended(process: BelayProcess) -> tuple[int, str, str]:
    process.close_stdin()
    return process.wait(), process.stdout.read_to_end(), process.stderr.read_to_end()


def modules_at_the_end(*args: str, **env: str) -> set[str]:
    read_end, write_end = os.pipe()
    clean = {k: v for k, v in os.environ.items() if not environment.is_foreign(k)}
    subprocess.run(
        [sys.executable, "-P", "-c", SPY, *args],
        env={**clean, "BELAY_HOME": os.environ["BELAY_HOME"], **env, "SPY_FD": str(write_end)},
        cwd=Path(__file__).parents[2],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[write_end],
        timeout=LIMIT_S,
        check=False,
    )
    os.close(write_end)
    with os.fdopen(read_end) as told:
        return set(json.loads(told.read()))


def test_version_is_told_without_loading_anything_heavy(start_belay: BelayStarter) -> None:
    assert ended(start_belay("--version")) == (0, f"belay {__version__}\n", "")
    assert not modules_at_the_end("--version") & set(HEAVY)


@pytest.mark.parametrize("args", [("ask", "Hi"), ("chat",), ("doctor",)])
def test_the_terminal_never_loads_qt(args: tuple[str, ...], server: FakeServer) -> None:
    loaded = modules_at_the_end(*args, OPENAI_BASE_URL=server.url)
    assert "asyncio" in loaded
    assert not {"PySide6", "shiboken6"} & loaded


def test_help_names_the_commands(start_belay: BelayStarter) -> None:
    code, out, err = ended(start_belay("--help"))
    assert (code, err) == (0, "")
    assert all(f"belay {name}" in out for name in ("chat", "ask", "doctor"))


def test_an_unknown_option_is_named_with_the_usage(start_belay: BelayStarter) -> None:
    code, out, err = ended(start_belay("--frobnicate"))
    assert (code, out) == (2, "")
    assert err.startswith("belay: There is no option --frobnicate.\nUsage: belay")


def test_without_a_display_and_a_terminal_it_says_so_and_fails(start_belay: BelayStarter) -> None:
    code, out, err = ended(start_belay())
    assert (code, out) == (1, "")
    assert err == "There is no display here. In a terminal, `belay chat` works.\n"


def test_a_dead_display_is_named_instead_of_aborting(start_belay: BelayStarter) -> None:
    code, _, err = ended(start_belay(env={"DISPLAY": ":98765"}))
    assert code == 1
    assert err.startswith("The display :98765 does not answer.")


def test_without_a_display_a_terminal_gets_the_chat_with_the_words_ready(
    server: FakeServer, belay_home: Path, tmp_path: Path
) -> None:
    clean = {k: v for k, v in os.environ.items() if not environment.is_foreign(k)}
    env = {**clean, "BELAY_HOME": str(belay_home), "OPENAI_BASE_URL": server.url, "TERM": "xterm"}
    terminal = TerminalProcess(belay_argv("Hello", "you"), env, tmp_path, size=(80, 24))
    try:
        terminal.wait_for("There is no display here. This is `belay chat`.")
        terminal.wait_for("> Hello you")
        assert not server.log.requests
        terminal.type("\r")
        terminal.wait_for("You wrote: **Hello you**")
        terminal.type("\x04")
        assert terminal.wait() == 0
    finally:
        terminal.kill()


def test_a_script_can_ask_whether_a_window_could_open(
    start_belay: BelayStarter, display: str
) -> None:
    assert ended(start_belay("_display"))[0] == 1
    assert ended(start_belay("_display", env={"DISPLAY": display}))[0] == 0


def test_a_worker_answers_before_anything_else_is_loaded(start_belay: BelayStarter) -> None:
    assert ended(start_belay("_worker", "nobody"))[0] == 2
    assert ended(start_belay("_worker", "guard"))[0] == 0
    assert not modules_at_the_end("_worker", "guard") & set(HEAVY)


def test_doctor_finds_that_everything_needed_works(
    start_belay: BelayStarter, server: FakeServer
) -> None:
    code, out, err = ended(start_belay("doctor", env={"OPENAI_BASE_URL": server.url}))
    assert (code, err) == (0, "")
    assert "[--] Display: There is no display here." in out
    assert "[ok] Conversations: 0 kept" in out
    assert f"[ok] Model: fake-model at {server.host}" in out
    assert out.endswith("Belay can answer and remember.\n")


def test_doctor_names_what_is_broken_and_its_remedy(
    start_belay: BelayStarter, server: FakeServer, belay_home: Path
) -> None:
    server.key = "right-key-12345"
    (belay_home / "data").mkdir(parents=True, mode=0o700)
    (belay_home / "data" / "belay.db").write_bytes(b"this is no database" * 100)
    env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "wrong-key-12345"}
    code, out, _ = ended(start_belay("doctor", env=env))
    assert code == 1
    assert "[!!] Conversations: The conversations file is damaged. It is untouched" in out
    assert "did not accept the key. Enter it again. Here: set OPENAI_API_KEY" in out
    assert out.endswith("To be mended: conversations, model.\n")


def test_doctor_notices_a_model_that_the_server_does_not_have(
    start_belay: BelayStarter, server: FakeServer
) -> None:
    env = {"OPENAI_BASE_URL": server.url, "BELAY_MODEL": "nonesuch"}
    code, out, _ = ended(start_belay("doctor", env=env))
    assert code == 0
    assert "[--] Model:" in out
    assert "does not list nonesuch. It has fake-model, other-model." in out


def test_a_log_that_cannot_be_opened_is_named(start_belay: BelayStarter, belay_home: Path) -> None:
    (belay_home / "logs" / "crash.log").mkdir(parents=True)  # where a file is to be opened
    code, out, err = ended(start_belay("ask", "Hi"))
    assert (code, out) == (1, "")
    assert err == f"Belay may not write to {belay_home / 'logs'}. Check its permissions.\n"


def test_what_nobody_caught_is_one_sentence_and_no_traceback(
    start_belay: BelayStarter, belay_home: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "apsw.py").write_text("raise RuntimeError('half installed')\n")
    code, out, err = ended(start_belay("ask", "Hi", env={"PYTHONPATH": str(broken)}))
    assert (code, out) == (1, "")
    assert err == "Something in Belay failed. Nothing you wrote is lost. See the log.\n"
    assert "half installed" in (belay_home / "logs" / "belay.log").read_text()


def test_crash_before_anything_is_open_leaves_its_stacks_on_stderr(
    start_belay: BelayStarter, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import signal, sys\n"
        "sys.addaudithook(lambda event, args: event == 'import' and args[0] == 'app.cli.usage'"
        " and signal.raise_signal(signal.SIGSEGV))\n"
    )
    crashing = start_belay("--help", env={"PYTHONPATH": str(tmp_path)})
    assert crashing.wait() == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in crashing.stderr.read_to_end()
