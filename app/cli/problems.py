"""Problems in the terminal: the shared sentence, and where its remedy is a setting, how to set it.

What a server said can be part of a sentence, so all of it is made harmless.
"""

from app.cli.sanitise import harmless
from app.core.errors import Problem, ProblemKind
from app.core.wording import sentence

_SET_UP = "Here: set OPENAI_BASE_URL, OPENAI_API_KEY and BELAY_MODEL, or open the window."

_HERE: dict[ProblemKind, str] = {
    ProblemKind.NOT_CONFIGURED: _SET_UP,
    ProblemKind.BUILT_IN_MISSING: _SET_UP,
    ProblemKind.KEY_REJECTED: "Here: set OPENAI_API_KEY, or open the window.",
    ProblemKind.NO_SUCH_MODEL: "Here: use --model NAME, or set BELAY_MODEL.",
    ProblemKind.BAD_ADDRESS: "Here: set OPENAI_BASE_URL, or open the window.",
}


def explained(problem: Problem) -> str:
    """Say a problem and what to do about it from a terminal."""
    here = _HERE.get(problem.kind)
    said = sentence(problem)
    return harmless(f"{said} {here}" if here else said)
