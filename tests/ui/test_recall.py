"""Walking back through what was said."""

from app.ui.composer.recall import Recall

SAID = ("first", "second", "third")


def test_up_walks_back_and_down_returns_to_an_empty_box() -> None:
    recall = Recall()
    assert recall.back(SAID, "") == "third"
    assert recall.back(SAID, "third") == "second"
    assert recall.forward(SAID, "second") == "third"
    assert recall.forward(SAID, "third") == ""
    assert recall.forward(SAID, "") is None


def test_up_stops_at_the_first() -> None:
    recall = Recall()
    for expected, current in (("third", ""), ("second", "third"), ("first", "second")):
        assert recall.back(SAID, current) == expected
    assert recall.back(SAID, "first") is None


def test_words_of_the_persons_own_are_never_replaced() -> None:
    recall = Recall()
    assert recall.back(SAID, "my draft") is None
    assert recall.back(SAID, "") == "third"
    assert recall.back(SAID, "third, changed") is None
    assert recall.forward(SAID, "third, changed") is None
