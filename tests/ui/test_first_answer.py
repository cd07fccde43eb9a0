"""The built-in model's first answer comes with a word of warning, once."""

from dataclasses import replace

from app.core.errors import Problem, ProblemKind
from app.core.events import Completed, Failed, Outcome, TurnEnded
from app.core.settings import BUILT_IN, Settings
from tests.ui import canned
from tests.ui.conftest import Hand


def answer(hand: Hand, model: str = BUILT_IN, outcome: Outcome | None = None) -> None:
    """Let a whole turn go by."""
    hand.hear(replace(canned.started(8), model=model), canned.said("Hello"))
    ending = TurnEnded(
        conversation_id=canned.HERE, turn_id=canned.TURN, epoch=8, outcome=outcome or Completed()
    )
    hand.hear(ending)


def test_first_built_in_answer_says_that_it_is_often_wrong_and_leads_to_better_ones(
    talk: Hand,
) -> None:
    told: list[Settings] = []
    talk.window.settings_changed.connect(told.append)
    answer(talk)
    notice = talk.window.pane.notice
    assert notice.accessibleName() == "The built-in model is small and often wrong."
    assert told == [Settings(knows_built_in=True)]
    talk.click(notice.action)
    assert talk.window.preferences.dialog.names.currentItem().text() == "Models"


def test_it_is_said_once(talk: Hand) -> None:
    talk.window.show_settings(Settings(knows_built_in=True))
    answer(talk)
    assert not talk.window.pane.notice.isVisible()


def test_other_models_and_failures_say_nothing(talk: Hand) -> None:
    answer(talk, model="big")
    answer(talk, outcome=Failed(problem=Problem(kind=ProblemKind.INTERNAL)))
    assert not talk.window.pane.notice.isVisible()
