"""Every problem has words: short, calm, and about what to do."""

import inspect
import re
import string

import pytest

from app.core.errors import Param, Problem, ProblemKind, problem
from app.core.messages import Ending
from app.core.wording import _SENTENCES, caption, sentence

SAMPLES: dict[str, Param] = {
    "address": "htp:/x",
    "host": "Example.org",
    "megabytes": 12,
    "model": "Model-1",
    "path": "/data/belay",
    "provider": "OpenAI",
    "reason": "no such option.",
    "seconds": 20,
    "steps": 25,
    "times": 4,
}
#: What each kind carries is written beside it: `NAME = "name"  # param, param: remark`.
_DECLARED = re.compile(r'^    [A-Z_]+ = "(\w+)"(?:  # ([a-z, ]+))?', re.MULTILINE)
PARAMS = {
    ProblemKind(kind): {name: SAMPLES.get(name, "Something") for name in listed.split(", ") if name}
    for kind, listed in _DECLARED.findall(inspect.getsource(ProblemKind))
}
UNWANTED = re.compile(r"!|oops|sorry|please", re.IGNORECASE)


def words(kind: ProblemKind) -> str:
    return sentence(Problem(kind=kind, params=PARAMS[kind]))


@pytest.mark.parametrize("kind", list(ProblemKind))
def test_every_problem_has_sentences_of_at_most_twelve_words(kind: ProblemKind) -> None:
    for part in re.split(r"(?<=[.?:]) ", words(kind)):
        assert 0 < len(part.split()) <= 12, part


@pytest.mark.parametrize("kind", list(ProblemKind))
def test_every_problem_is_said_calmly(kind: ProblemKind) -> None:
    said = words(kind)
    assert not UNWANTED.search(said), said
    assert not said[0].islower() or said.startswith(str(SAMPLES["address"]))
    assert said.endswith((".", "?"))


@pytest.mark.parametrize("kind", list(ProblemKind))
def test_a_sentence_uses_only_what_its_kind_carries(kind: ProblemKind) -> None:
    used = {name for _, name, _, _ in string.Formatter().parse(_SENTENCES[kind]) if name}
    assert used <= set(PARAMS[kind])


@pytest.mark.parametrize("kind", list(ProblemKind))
def test_a_missing_parameter_never_raises(kind: ProblemKind) -> None:
    said = sentence(Problem(kind=kind))
    assert "{" not in said


def test_an_unnamed_server_is_called_the_server() -> None:
    assert sentence(Problem(kind=ProblemKind.KEY_REJECTED)).startswith("The server did not accept")


def test_braces_in_a_parameter_are_only_text() -> None:
    odd = Problem(kind=ProblemKind.UNREACHABLE, params={"host": "{host.__class__}"})
    assert sentence(odd).startswith("{host.__class__} cannot be reached")


def test_the_detail_is_not_in_the_sentence() -> None:
    hidden = Problem(kind=ProblemKind.INTERNAL, detail="Traceback of something")
    assert "Traceback" not in sentence(hidden)


def test_a_problem_raised_carries_its_parameters_and_detail() -> None:
    error = problem(ProblemKind.UNREACHABLE, "connect refused", host="example.org")
    assert error.problem.params == {"host": "example.org"}
    assert "connect refused" in str(error)


@pytest.mark.parametrize("ending", list(Ending))
def test_an_answer_that_broke_off_says_how(ending: Ending) -> None:
    assert bool(caption(ending)) is ending.is_interrupted
