"""Settings → Models: who is asked, in which order, with which key, and whether it works."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.errors import Problem, ProblemKind
from app.core.models import (
    CheckEndpoint,
    CheckFile,
    EndpointChecked,
    FileChecked,
    FindServers,
    ForgetKey,
    FoundServer,
    KeepKey,
    KeepKeyInFile,
    KeyLocated,
    KeyPlace,
    ListModels,
    LocateKey,
    ModelCommand,
    ModelEvent,
    ModelInfo,
    ModelsListed,
    ServersFound,
)
from app.core.presets import PRESETS
from app.core.settings import Endpoint, Settings
from app.ui.model_names import short_count
from app.ui.settings.endpoint_form import is_address
from app.ui.settings.model_words import capabilities
from app.ui.settings.models import ModelsPage
from tests.ui.conftest import Hand

BOX = Endpoint(base_url="http://127.0.0.1:8080/v1", model="local-7b")
CLOUD = Endpoint(base_url="https://api.example/v1", model="big")
ALT = Qt.KeyboardModifier.AltModifier


class Desk:
    """The page in its dialog, what it told and what it asked."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.told: list[Settings] = []
        self.asked: list[ModelCommand] = []
        hand.window.settings_changed.connect(self.told.append)
        hand.window.preferences.model_command_issued.connect(self.asked.append)
        hand.window.preferences.open_models()
        page = hand.window.preferences.dialog.findChild(ModelsPage)
        assert isinstance(page, ModelsPage)
        self.page = page

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        return self.hand.window.preferences.settings.endpoints

    def use(self, *endpoints: Endpoint) -> None:
        self.hand.window.show_settings(Settings(endpoints=endpoints))

    def hear(self, event: ModelEvent) -> None:
        self.hand.window.preferences.apply(event)


@pytest.fixture
def desk(hand: Hand) -> Desk:
    return Desk(hand)


def test_with_nothing_set_up_the_page_says_who_answers_and_looks_round(desk: Desk) -> None:
    assert "built-in model answers" in desk.page.nothing.text()
    assert desk.page.nothing.isVisible()
    assert desk.asked == [FindServers()]


def test_every_preset_can_be_added_and_puts_the_cursor_where_the_key_goes(desk: Desk) -> None:
    for preset, action in zip(PRESETS, desk.page.menu.actions(), strict=False):
        action.trigger()
        assert desk.endpoints[-1] == preset.endpoint()
    assert desk.page.form.key.line.hasFocus()
    assert desk.page.form.key.get.isVisible()
    last = PRESETS[-1].base_url
    assert desk.asked[-2:] == [LocateKey(base_url=last), ListModels(base_url=last)]


def test_an_address_counts_once_it_is_one(desk: Desk) -> None:
    desk.page.menu.address.trigger()
    assert desk.told == []
    form = desk.page.form
    form.address.setText("my server")
    QTest.keyClick(form.address, Qt.Key.Key_Return)
    assert desk.told == []
    assert form.error.text().startswith("my server is not a server address.")
    form.address.setText(BOX.base_url)
    QTest.keyClick(form.address, Qt.Key.Key_Return)
    assert not form.error.isVisible()
    assert desk.endpoints == (replace(BOX, model=""),)
    form.model._line.setText(BOX.model)
    QTest.keyClick(form.model._line, Qt.Key.Key_Return)
    assert desk.endpoints == (BOX,)
    assert desk.hand.composer.model_chip.text() == "local-7b ▾"
    assert desk.hand.window.preferences.dialog.isVisible()


def test_a_field_that_quit_interrupts_counts_as_filled_in(desk: Desk) -> None:
    desk.use(BOX)
    desk.page.form.model._line.setFocus()
    desk.page.form.model._line.setText("larger")
    desk.hand.window.quit()
    assert desk.told[-1].endpoints == (replace(BOX, model="larger"),)


def test_order_changes_by_button_and_by_keyboard(desk: Desk) -> None:
    desk.use(BOX, CLOUD)
    desk.hand.click(desk.page.list.down)
    assert desk.endpoints == (CLOUD, BOX)
    assert desk.page.list.row == 1
    QTest.keyClick(desk.page.list.rows, Qt.Key.Key_Up, ALT)
    assert desk.endpoints == (BOX, CLOUD)
    QTest.keyClick(desk.page.list.rows, Qt.Key.Key_Up, ALT)
    assert desk.endpoints == (BOX, CLOUD)


def test_what_was_removed_comes_back(desk: Desk) -> None:
    desk.use(BOX, CLOUD)
    desk.hand.click(desk.page.list.remove)
    assert list(desk.endpoints) == [CLOUD]
    assert desk.page.form.address.text() == CLOUD.base_url
    desk.hand.click(desk.page.list.undo_bar.undo)
    assert list(desk.endpoints) == [BOX, CLOUD]


def test_key_goes_its_own_way_and_leaves_no_trace(desk: Desk) -> None:
    desk.use(BOX)
    line = desk.page.form.key.line
    line.setText("sk-secret")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert KeepKey(base_url=BOX.base_url, key="sk-secret") in desk.asked
    assert line.text() == ""
    assert line.echoMode() == line.EchoMode.Password
    assert "sk-secret" not in repr((desk.told, desk.asked))


def test_key_typed_for_one_address_is_gone_with_another(desk: Desk) -> None:
    desk.use(BOX, CLOUD)
    desk.hear(KeyLocated(base_url=BOX.base_url, place=KeyPlace.KEYCHAIN))
    assert desk.page.form.key.words.text() == "The key is in the system's keychain."
    desk.page.form.key.line.setText("sk-half-typed")
    desk.page.list.rows.setCurrentRow(1)
    assert desk.page.form.key.line.text() == ""
    assert not desk.page.form.key.words.isVisible()
    assert not [each for each in desk.asked if isinstance(each, KeepKey)]
    assert LocateKey(base_url=CLOUD.base_url) in desk.asked


def test_a_file_for_the_key_is_made_only_after_consent(desk: Desk) -> None:
    desk.use(BOX)
    desk.hear(KeyLocated(base_url=BOX.base_url, place=KeyPlace.SESSION))
    field = desk.page.form.key
    assert "until Belay closes" in field.words.text()
    desk.hand.click(field.file)
    assert "plain text" in field.words.text()
    assert KeepKeyInFile(base_url=BOX.base_url) not in desk.asked
    desk.hand.click(field.agree)
    assert KeepKeyInFile(base_url=BOX.base_url) in desk.asked
    desk.hear(KeyLocated(base_url=BOX.base_url, place=KeyPlace.FILE))
    desk.hand.click(field.forget)
    assert desk.asked[-1] == ForgetKey(base_url=BOX.base_url)


def test_models_are_offered_and_a_choice_brings_its_window(desk: Desk) -> None:
    desk.use(BOX)
    large = ModelInfo(id="large-vision", context_window=131072, sees=True, uses_tools=True)
    desk.hear(ModelsListed(base_url=BOX.base_url, models=(ModelInfo(id="local-7b"), large)))
    box = desk.page.form.model
    assert [box.itemText(index) for index in range(box.count())] == ["local-7b", "large-vision"]
    completer = box.completer()
    assert completer is not None
    completer.setCompletionPrefix("vision")
    assert completer.currentCompletion() == "large-vision"
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert desk.endpoints == (replace(BOX, model="large-vision", context_window=131072),)
    assert desk.page.form.about.text() == "reads 128k tokens · sees pictures · uses tools"


def test_a_list_for_another_address_is_not_shown(desk: Desk) -> None:
    desk.use(BOX)
    desk.hear(ModelsListed(base_url=CLOUD.base_url, models=(ModelInfo(id="big"),)))
    assert desk.page.form.model.count() == 0


def test_test_says_that_it_works_or_what_is_wrong(desk: Desk) -> None:
    desk.use(BOX)
    form = desk.page.form
    desk.hand.click(form.test)
    assert desk.asked[-1] == CheckEndpoint(endpoint=BOX)
    assert not form.test.isEnabled()
    desk.hear(EndpointChecked(endpoint=BOX, model="local-7b", seconds=0.42))
    assert form.result.text() == "Works: local-7b answered in 0.4 s."
    assert form.test.isEnabled()
    desk.hand.click(form.test)
    wrong = Problem(kind=ProblemKind.KEY_REJECTED, params={"provider": "Box"})
    desk.hear(EndpointChecked(endpoint=BOX, problem=wrong))
    assert form.result.text() == "Box did not accept the key. Enter it again."
    assert form.result.objectName() == "error"


def test_servers_on_this_machine_are_offered_and_used_only_when_chosen(desk: Desk) -> None:
    models = (ModelInfo(id="qwen3:8b", context_window=40960), ModelInfo(id="gemma3"))
    found = FoundServer(name="Ollama", base_url="http://127.0.0.1:11434/v1", models=models)
    desk.hear(ServersFound(servers=(found,)))
    assert desk.told == []
    (row,) = desk.page.found.rows
    desk.hand.click(row.use)
    used = Endpoint(base_url=found.base_url, model="qwen3:8b", context_window=40960)
    assert desk.endpoints == (used,)
    assert not desk.page.found.isVisible()


def test_more_settings_are_kept_with_the_model_and_nonsense_is_put_back(desk: Desk) -> None:
    desk.use(BOX)
    form = desk.page.form
    desk.hand.click(form.more_button)
    for line, text in (
        (form.more.temperature, "0,7"),
        (form.more.max_tokens, "500"),
        (form.more.context, "8k"),
    ):
        line.setText(text)
        QTest.keyClick(line, Qt.Key.Key_Return)
    (now,) = desk.endpoints
    assert (now.temperature, now.max_tokens, now.context_window) == (0.7, 500, 8192)
    form.more.temperature.setText("hot")
    QTest.keyClick(form.more.temperature, Qt.Key.Key_Return)
    assert form.more.temperature.text() == "0.7"
    form.more.prompt.setFocus()
    QTest.keyClicks(form.more.prompt, "Rhyme.")
    form.more.effort.setFocus()
    assert desk.endpoints[0].system_prompt == "Rhyme."
    QTest.keyClicks(form.more.effort, "High")
    assert desk.endpoints[0].reasoning_effort == "high"


def test_model_file_is_checked_before_it_is_used(desk: Desk, tmp_path: Path) -> None:
    file = str(tmp_path / "my model.gguf")
    desk.page._on_file_selected(file)
    assert desk.asked[-1] == CheckFile(path=file)
    wrong = Problem(kind=ProblemKind.NOT_A_MODEL, params={"path": "my model.gguf"})
    desk.hear(FileChecked(path=file, problem=wrong))
    assert desk.page.problem.text() == "my model.gguf is not a chat model in GGUF form."
    assert desk.told == []
    desk.hear(FileChecked(path=file, name="Mine", size_bytes=5))
    assert desk.endpoints == (Endpoint(base_url=Path(file).as_uri(), model="Mine"),)
    assert not desk.page.form.key.isVisible()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://localhost:8080/v1", True),
        ("https://api.example", True),
        ("file:///models/model.gguf", True),
        ("file:///", False),
        ("ftp://api.example", False),
        ("api.example", False),
        ("http://", False),
        ("http://[::1", False),
        ("", False),
    ],
)
def test_address_is_http_with_a_host_or_a_file(text: str, expected: bool) -> None:
    assert is_address(text) is expected


@pytest.mark.parametrize(
    ("number", "words"),
    [(900, "900"), (8192, "8k"), (128000, "128k"), (131072, "128k"), (1_000_000, "1M")],
)
def test_counts_are_short(number: int, words: str) -> None:
    assert short_count(number) == words


def test_what_a_server_does_not_say_is_not_claimed() -> None:
    assert capabilities(ModelInfo(id="m")) == ""
    assert capabilities(ModelInfo(id="m", uses_tools=False)) == "no tools"
