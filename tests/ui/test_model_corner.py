"""The model chip, the context meter, and what is left out: one conversation each."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.choices import ordered
from app.core.commands import Submit
from app.core.errors import Problem, ProblemKind
from app.core.events import Failed, Retrying, UsageReported
from app.core.ids import ConversationId, MessageId
from app.core.messages import Message, OrderKind, Role, text_parts
from app.core.models import AskNow, LeaveOut, ListModels, ModelCommand, ModelInfo, ModelsListed
from app.core.settings import BUILT_IN, BUILT_IN_URL, Endpoint, Settings
from app.ui.composer.context_use import Use, exchanges, suggestion
from app.ui.composer.model_picker import ModelPicker
from tests.ui import canned
from tests.ui.conftest import Hand

BOX = Endpoint(base_url="http://127.0.0.1:8080/v1", model="local-7b", context_window=4096)
CLOUD = Endpoint(base_url="https://api.example/v1", model="big")
OTHER = ConversationId("c2")


@pytest.fixture
def asked(talk: Hand) -> list[ModelCommand]:
    """Set two models up, and list what is asked about models."""
    found: list[ModelCommand] = []
    talk.window.preferences.model_command_issued.connect(found.append)
    talk.window.show_settings(Settings(endpoints=(BOX, CLOUD)))
    return found


def opened(hand: Hand) -> ModelPicker:
    hand.click(hand.composer.model_chip)
    picker = hand.composer.model_chip.picker
    assert picker.isVisible()
    return picker


def names(picker: ModelPicker) -> list[str]:
    return [
        picker.list.item(row).data(Qt.ItemDataRole.UserRole).name
        for row in range(picker.list.count())
    ]


@pytest.mark.usefixtures("asked")
def test_a_model_is_found_by_typing_and_chosen_for_this_conversation_only(talk: Hand) -> None:
    picker = opened(talk)
    assert names(picker) == ["local-7b", "big", BUILT_IN]
    QTest.keyClicks(picker.search, "API.example")
    assert names(picker) == ["big"]
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert not picker.isVisible()
    assert talk.composer.model_chip.text() == "big ▾"
    settings = talk.window.preferences.settings
    assert settings.endpoints == (BOX, CLOUD)
    assert ordered(settings.endpoints, settings, canned.HERE) == (CLOUD, BOX)
    talk.window.navigation.open(OTHER)
    assert talk.composer.model_chip.text() == "local-7b ▾"
    talk.window.navigation.open(canned.HERE)
    assert talk.composer.model_chip.text() == "big ▾"


@pytest.mark.usefixtures("asked")
def test_escape_closes_the_list_and_changes_nothing(talk: Hand) -> None:
    picker = opened(talk)
    QTest.keyClick(picker.search, Qt.Key.Key_Down)
    QTest.keyClick(picker.search, Qt.Key.Key_Escape)
    assert not picker.isVisible()
    assert talk.window.preferences.settings.choices == ()


def test_opening_the_list_asks_the_servers_and_shows_what_their_models_can(
    talk: Hand, asked: list[ModelCommand]
) -> None:
    picker = opened(talk)
    urls = {command.base_url for command in asked if isinstance(command, ListModels)}
    assert urls == {BOX.base_url, CLOUD.base_url}
    models = (
        ModelInfo(id="local-7b"),
        ModelInfo(id="eyes", context_window=32_000, sees=True, uses_tools=False),
    )
    talk.window.preferences.apply(ModelsListed(base_url=BOX.base_url, models=models))
    assert names(picker) == ["local-7b", "big", "eyes", BUILT_IN]
    QTest.keyClicks(picker.search, "sees 127.0")
    (row,) = (picker.list.item(0).data(Qt.ItemDataRole.UserRole),)
    assert row.about == "127.0.0.1:8080 · reads 32k tokens · sees pictures · no tools"
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert talk.composer.model_chip.text() == "eyes ▾"


def test_the_list_leads_to_the_models_page(hand: Hand) -> None:
    opened(hand).setup.click()
    dialog = hand.window.preferences.dialog
    assert dialog.isVisible()
    assert dialog.names.currentItem().text() == "Models"


def test_a_model_from_the_environment_can_be_left_and_chosen_again(hand: Hand) -> None:
    chip = hand.composer.model_chip
    chip.set_unset((CLOUD,))
    assert chip.text() == "big ▾"
    for typed, shown in (("built-in", f"{BUILT_IN} ▾"), ("big", "big ▾")):
        picker = opened(hand)
        assert names(picker) == ["big", BUILT_IN]
        QTest.keyClicks(picker.search, typed)
        QTest.keyClick(picker.search, Qt.Key.Key_Return)
        assert chip.text() == shown


def counted(prompt: int) -> UsageReported:
    return UsageReported(
        conversation_id=canned.HERE, turn_id=canned.TURN, prompt_tokens=prompt, completion_tokens=9
    )


@pytest.mark.usefixtures("asked")
def test_the_meter_says_how_much_is_used_of_how_much(talk: Hand) -> None:
    meter = talk.composer.context
    assert meter.text().endswith(" of 4k")
    talk.hear(canned.started(8), counted(3900))
    assert meter.text() == "3.9k of 4k"
    assert "3,900 of 4,096 tokens, 95%" in meter.toolTip()
    assert meter.property("tight") is True


def test_a_model_that_nobody_knows_shows_what_is_used(talk: Hand) -> None:
    talk.window.show_settings(Settings(endpoints=(CLOUD,)))
    talk.hear(canned.started(8), counted(700))
    assert talk.composer.context.text() == "700 tokens"
    assert "not known" in talk.composer.context.toolTip()


def test_the_server_that_answered_is_asked_once_what_its_model_reads(
    talk: Hand, asked: list[ModelCommand]
) -> None:
    talk.window.show_settings(Settings(endpoints=(CLOUD,)))
    talk.hear(canned.started(8), counted(700), counted(800))
    assert asked == [ListModels(base_url=CLOUD.base_url)]
    models = (ModelInfo(id="big", context_window=16_000),)
    talk.window.preferences.apply(ModelsListed(base_url=CLOUD.base_url, models=models))
    assert talk.composer.context.text() == "800 of 16k"


def test_an_empty_conversation_has_no_meter(hand: Hand) -> None:
    assert not hand.composer.context.isVisible()


def failed(kind: ProblemKind, **params: int) -> Failed:
    return Failed(problem=Problem(kind=kind, params={"model": "local-7b", **params}))


def test_what_does_not_fit_is_asked_for_and_sent_without_it(
    talk: Hand, asked: list[ModelCommand]
) -> None:
    talk.window.show_settings(Settings(endpoints=(replace(BOX, context_window=100),)))
    talk.hear(canned.started(8), canned.ended(failed(ProblemKind.TOO_LONG, used=500, limit=100), 8))
    talk.commands.clear()
    talk.window.pane.transcript.problem_action_requested.emit("too_long")
    dialog = talk.window.models.dialog
    assert dialog.isVisible()
    assert dialog.ticked, "the oldest are proposed"
    out = dialog.ticked
    dialog.done_button.click()
    (told,) = (command for command in asked if isinstance(command, LeaveOut))
    assert told.message_ids == frozenset().union(*(each.ids for each in out))
    assert told.conversation_id == canned.HERE
    assert talk.last(Submit).order.kind is OrderKind.RETRY
    assert "left out" in talk.composer.context.toolTip()


def test_cancelling_leaves_everything_in(talk: Hand, asked: list[ModelCommand]) -> None:
    talk.click(talk.composer.context)
    talk.window.models.dialog.cancel.click()
    assert not [command for command in asked if isinstance(command, LeaveOut)]


@pytest.mark.usefixtures("asked")
def test_without_a_network_the_built_in_model_is_one_click_away(talk: Hand) -> None:
    talk.hear(canned.started(8), canned.ended(failed(ProblemKind.NO_NETWORK), 8))
    talk.commands.clear()
    talk.click(talk.window.pane.status_line.built_in)
    assert talk.composer.model_chip.text() == f"{BUILT_IN} ▾"
    settings = talk.window.preferences.settings
    assert ordered(settings.endpoints, settings, canned.HERE) == (Endpoint(base_url=BUILT_IN_URL),)
    assert talk.last(Submit).order.kind is OrderKind.RETRY


@pytest.mark.usefixtures("asked")
def test_another_failure_offers_no_other_model_by_itself(talk: Hand) -> None:
    talk.hear(canned.started(8), canned.ended(failed(ProblemKind.SERVER_FAULT), 8))
    assert not talk.window.pane.status_line.built_in.isVisible()


def test_a_wait_for_the_next_attempt_can_be_ended(talk: Hand, asked: list[ModelCommand]) -> None:
    problem = Problem(kind=ProblemKind.SERVER_FAULT, params={"provider": "It", "times": 1})
    retrying = Retrying(
        conversation_id=canned.HERE,
        turn_id=canned.TURN,
        problem=problem,
        attempt=2,
        attempts=4,
        wait_s=4.0,
    )
    talk.hear(canned.started(8), retrying)
    assert "Again in 4 s (2 of 4)" in talk.status
    talk.click(talk.window.pane.status_line.now)
    assert asked[-1] == AskNow(conversation_id=canned.HERE)
    talk.clock.pass_s(5)
    assert "Asking again" in talk.status
    assert not talk.window.pane.status_line.now.isVisible()


def said(number: int, role: Role, text: str, *, steered: bool = False) -> Message:
    return Message(
        id=MessageId(str(number)),
        conversation_id=canned.HERE,
        parent_id=None,
        role=role,
        parts=text_parts(text),
        created_at=0.0,
        steered=steered,
    )


def test_exchanges_go_together_and_the_newest_is_never_proposed() -> None:
    path = (
        said(1, Role.USER, "a" * 400),
        said(2, Role.ASSISTANT, "b" * 400),
        said(3, Role.USER, "steer", steered=True),
        said(4, Role.USER, "c" * 400),
        said(5, Role.ASSISTANT, "d" * 400),
        said(6, Role.USER, "e" * 4000),
    )
    found = exchanges(path)
    assert [each.ids for each in found] == [{"1", "2", "3"}, {"4", "5"}, {"6"}]
    assert suggestion(found, 2000, 1400) == frozenset()
    assert suggestion(found, 1600, 1400) == {0}
    assert suggestion(found, 100, 1400) == {0, 1}
    assert suggestion(found, None, 1400) == frozenset()


def test_a_use_says_itself_in_words() -> None:
    assert Use().short == ""
    assert Use(tokens=1500, window=8192).short == "1.5k of 8k"
    assert Use(tokens=1500, window=8192).shortest == "18%"
    assert Use(tokens=1500).shortest == "1.5k"
    assert not Use(tokens=1500, window=8192).is_tight
    assert "1 exchange is left out" in Use(tokens=5, window=10, left_out=1).sentence
