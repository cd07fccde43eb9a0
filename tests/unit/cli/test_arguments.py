"""The command line as a value: every word has one meaning, and nonsense is refused by name."""

import pytest

from app.cli.arguments import (
    Ask,
    Chat,
    CheckDisplay,
    Doctor,
    Invocation,
    OpenWindow,
    RunWorker,
    ShowHelp,
    ShowVersion,
    UsageError,
    parse,
)
from app.cli.usage import complaint, help_text


@pytest.mark.parametrize(
    ("argv", "meant"),
    [
        ([], OpenWindow()),
        (["hello", "there"], OpenWindow(text="hello there")),
        (["--", "--version"], OpenWindow(text="--version")),
        (["--version"], ShowVersion()),
        (["-V"], ShowVersion()),
        (["--help"], ShowHelp()),
        (["chat"], Chat()),
        (["chat", "--model", "m"], Chat(model="m")),
        (["chat", "-h"], ShowHelp(topic="chat")),
        (["doctor"], Doctor()),
        (["doctor", "--help"], ShowHelp(topic="doctor")),
        (["_display"], CheckDisplay()),
        (["_worker", "speech", "--odd"], RunWorker(arguments=("speech", "--odd"))),
        (["ask"], Ask()),
        (["ask", "why", "so"], Ask(text="why so")),
        (["ask", "-"], Ask(text="-")),
        (["ask", "--json", "why"], Ask(text="why", as_json=True)),
        (["ask", "--model", "m", "why"], Ask(text="why", model="m")),
        (["ask", "--model=m", "why"], Ask(text="why", model="m")),
        (["ask", "why", "-m", "m"], Ask(text="why", model="m")),
        (
            ["ask", "--image", "a.png", "--image=b.png", "x"],
            Ask(text="x", images=("a.png", "b.png")),
        ),
        (["ask", "--", "--json"], Ask(text="--json")),
        (["ask", "--help"], ShowHelp(topic="ask")),
    ],
)
def test_each_command_line_has_one_meaning(argv: list[str], meant: Invocation) -> None:
    assert parse(argv) == meant


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--frobnicate"], "There is no option --frobnicate."),
        (["hello", "-x"], "There is no option -x."),
        (["ask", "--jsno"], "There is no option --jsno."),
        (["ask", "--model"], "--model needs a value."),
        (["ask", "--model", " "], "--model needs the name of a model."),
        (["ask", "--json=yes"], "--json takes no value."),
        (["chat", "hello"], "`belay chat` takes no text. Type it once it runs."),
        (["doctor", "who"], "`belay doctor` takes no arguments."),
    ],
)
def test_nonsense_is_refused_with_a_sentence_and_the_usage(argv: list[str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(argv)
    assert caught.value.sentence == said
    shown = complaint(caught.value)
    assert said in shown
    assert "Usage: belay" in shown


def test_help_names_every_command_that_exists() -> None:
    assert all(f"belay {name}" in help_text("belay") for name in ("chat", "ask", "doctor"))
