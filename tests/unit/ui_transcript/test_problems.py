"""Every problem has a button that does something about it."""

import pytest

from app.core.errors import ProblemKind
from app.ui.transcript.problems import Wish, remedy
from app.ui.transcript.throttle import FASTEST_S, Throttle


@pytest.mark.parametrize("kind", ProblemKind)
def test_every_problem_has_a_button(kind: ProblemKind) -> None:
    for has_words in (True, False):
        assert remedy(kind, has_words=has_words).label


def test_only_an_answer_with_words_can_be_continued() -> None:
    assert remedy(ProblemKind.BROKEN_OFF, has_words=True).wish is Wish.CONTINUE
    assert remedy(ProblemKind.BROKEN_OFF, has_words=False).wish is Wish.RETRY


def test_cheap_flushes_come_thirty_times_a_second_and_dear_ones_a_fourth_of_the_time() -> None:
    throttle = Throttle()
    assert throttle.wait_s(100.0) == 0
    throttle.spent(100.0, 0.002)
    assert throttle.wait_s(100.0) == pytest.approx(FASTEST_S)
    throttle.spent(101.0, 0.1)
    assert throttle.wait_s(101.1) == pytest.approx(0.3)
    assert throttle.wait_s(200.0) == 0
