"""A disk that fails: nothing is dropped, the person is told once, and it goes on by itself."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.events import Completed
from app.core.ids import MessageId
from app.core.messages import Draft, Intent
from app.storage.jobs import Acceptance
from app.storage.side_file import Saved, SideFile, read_lines
from app.storage.store import SqliteStore
from tests.fakes.stores import BOUND_S, open_store
from tests.unit.storage.disks import FailingDisk
from tests.unit.storage.test_store import loaded
from tests.unit.storage.waiting import wait_until
from tests.unit.storage.words import CHAT, answer, asked, opening, order


class Desk:
    """A store on a disk that fails on demand, and what it complained about."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "a.db"
        self.disk = FailingDisk()
        self.told: list[ProblemKind] = []

    def hear(self, problem: Problem) -> None:
        self.told.append(problem.kind)

    @property
    def side_files(self) -> list[Path]:
        return list(self.path.parent.glob("*.unsaved-*"))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def store(desk: Desk) -> Iterator[SqliteStore]:
    with open_store(desk.path, vfs=desk.disk.name, on_trouble=desk.hear) as store:
        yield store


def refused_again(disk: FailingDisk) -> None:
    """Wait for two more attempts."""
    before = disk.refusals
    wait_until(lambda: disk.refusals >= before + 2, "the next attempt")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (apsw.FullError, ProblemKind.STORAGE_FULL),
        (apsw.IOError, ProblemKind.STORAGE_FAILING),
        (apsw.ReadOnlyError, ProblemKind.STORAGE_READ_ONLY),
    ],
)
def test_what_could_not_be_written_is_written_once_the_disk_works(
    store: SqliteStore, desk: Desk, error: type[Exception], kind: ProblemKind
) -> None:
    question = asked(order("Hello"))
    said = answer(question)
    with desk.disk.failing(error):
        store.begin_turn(opening(question))
        store.open_message(said)
        store.append_text(said.id, "one ", reasoning=False)
        store.save_draft(CHAT, Draft(text="later"))
        refused_again(desk.disk)
        store.append_text(said.id, "two", reasoning=False)
        refused_again(desk.disk)
    store.flush().wait(BOUND_S)
    found = loaded(store)
    assert found.tree.messages[said.id].text == "one two"
    assert found.draft.text == "later"
    assert desk.told == [kind], "once, however often it was tried"


def test_trouble_that_comes_back_is_told_again(store: SqliteStore, desk: Desk) -> None:
    for _ in range(2):
        with desk.disk.failing(apsw.FullError):
            store.save_draft(CHAT, Draft(text="x"))
            refused_again(desk.disk)
        store.flush().wait(BOUND_S)
    assert desk.told == [ProblemKind.STORAGE_FULL] * 2


def test_conversations_can_be_read_while_nothing_can_be_written(
    store: SqliteStore, desk: Desk
) -> None:
    store.accept(order("before"), Intent.QUEUE).wait(BOUND_S)
    with desk.disk.failing(apsw.FullError):
        store.save_draft(CHAT, Draft(text="x"))
        assert loaded(store).waiting[0][0].text == "before"
    store.flush().wait(BOUND_S)


def test_an_order_goes_to_the_side_file_and_into_the_database_later(
    store: SqliteStore, desk: Desk
) -> None:
    first, second = order("first"), order("second")
    with desk.disk.failing(apsw.FullError):
        store.accept(first, Intent.REDIRECT).wait(BOUND_S)
        store.accept(second, Intent.QUEUE).wait(BOUND_S)
        (side,) = desk.side_files
        assert side.stat().st_mode & 0o777 == 0o600
        lines = [line for line in side.read_text().splitlines() if line]
        assert [first.id in line for line in lines] == [True, False]
    store.flush().wait(BOUND_S)
    assert loaded(store).waiting == ((first, Intent.REDIRECT), (second, Intent.QUEUE))
    assert not desk.side_files


def test_an_order_in_the_side_file_is_there_after_a_restart(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    sent = order("kept", at=5.0)
    store = SqliteStore(desk.path, lease="first", live_leases=set, vfs=desk.disk.name)
    store.start().wait(BOUND_S)
    store.save_draft(CHAT, Draft(text="kept"))
    store.flush().wait(BOUND_S)
    with desk.disk.failing(apsw.FullError):
        store.accept(sent, Intent.STEER).wait(BOUND_S)
        assert not store.close(BOUND_S), "not everything is in the database"
    for _ in range(2):
        with open_store(desk.path) as store:
            assert loaded(store).waiting == ((sent, Intent.STEER),)
            assert loaded(store).draft == Draft()
    assert not desk.side_files


@pytest.mark.parametrize("failure", [apsw.BusyError, apsw.FullError])
def test_what_stands_unsent_is_saved_aside_when_the_database_fails_to_the_end(
    tmp_path: Path, failure: type[apsw.Error]
) -> None:
    desk, edited = Desk(tmp_path), MessageId("m1")
    store = SqliteStore(desk.path, lease="first", live_leases=set, vfs=desk.disk.name)
    store.start().wait(BOUND_S)
    with desk.disk.failing(failure):
        store.save_draft(CHAT, Draft(text="ha", cursor=2))
        store.save_edit(CHAT, edited, "changed")
        store.save_draft(CHAT, Draft(text="half a \ud83d thought", cursor=3))
        assert not store.close(BOUND_S), "not everything is in the database"
    for _ in range(2):
        with open_store(desk.path) as store:
            assert loaded(store).draft == Draft(text="half a \ufffd thought", cursor=3)
            assert loaded(store).edits == {edited: "changed"}
    assert not desk.side_files


def test_words_that_were_sent_do_not_come_back_as_a_draft(tmp_path: Path) -> None:
    desk, edited = Desk(tmp_path), MessageId("m1")
    store = SqliteStore(desk.path, lease="first", live_leases=set, vfs=desk.disk.name)
    store.start().wait(BOUND_S)
    sent = order("hello there")
    with desk.disk.failing(apsw.BusyError):
        store.save_draft(CHAT, Draft(text="hello there", cursor=11))
        store.save_edit(CHAT, edited, "changed")
        store.accept(sent, Intent.REDIRECT)
        store.close(BOUND_S)
    with open_store(desk.path) as store:
        assert [each for each, _ in loaded(store).waiting] == [sent]
        assert loaded(store).draft == Draft()
        assert loaded(store).edits == {edited: "changed"}


def test_words_saved_aside_do_not_replace_newer_ones(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    store = SqliteStore(desk.path, lease="first", live_leases=set, vfs=desk.disk.name)
    store.start().wait(BOUND_S)
    with desk.disk.failing(apsw.FullError):
        store.save_draft(CHAT, Draft(text="old"))
        store.close(BOUND_S)
    (side,) = desk.side_files
    aside = side.read_bytes()
    with open_store(desk.path) as store:
        store.save_draft(CHAT, Draft(text="new"))
    side.write_bytes(aside)
    with open_store(desk.path) as store:
        assert loaded(store).draft.text == "new"


def test_an_order_the_disk_hangs_on_goes_to_the_side_file(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    sent = order("patience")
    with open_store(desk.path, vfs=desk.disk.name, patience_s=0.05) as store:
        with desk.disk.hanging():
            store.accept(sent, Intent.QUEUE).wait(BOUND_S)
            assert desk.side_files
        store.flush().wait(BOUND_S)
        assert loaded(store).waiting == ((sent, Intent.QUEUE),)
        assert not desk.side_files


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_an_order_that_nothing_can_keep_is_refused_and_stays_refused(
    store: SqliteStore, desk: Desk
) -> None:
    sent = order("nowhere to go")
    store._side_file.path.symlink_to("/dev/full")
    with desk.disk.failing(apsw.FullError), pytest.raises(ProblemError) as refused:
        store.accept(sent, Intent.QUEUE).wait(BOUND_S)
    assert refused.value.problem.kind is ProblemKind.STORAGE_FULL
    store.flush().wait(BOUND_S)
    assert store.load(CHAT).wait(BOUND_S) is None


def test_the_side_file_stays_until_the_database_has_all_of_it(tmp_path: Path) -> None:
    side = SideFile(tmp_path / "a.db", "lease")
    first, second = (
        Acceptance(order(text), Intent.QUEUE, lambda _: None, at=1.0) for text in ("one", "two")
    )
    side.keep(first)
    side.keep(second)
    side.keep(second)
    side.forget({first.order.id})
    kept = [saved.order for saved in read_lines(side.path)[0] if isinstance(saved, Saved)]
    assert kept == [first.order, second.order]
    side.forget({second.order.id})
    assert not side.path.exists()


def test_a_rename_that_fails_is_refused_and_forgotten(store: SqliteStore, desk: Desk) -> None:
    store.accept(order("Hello"), Intent.QUEUE).wait(BOUND_S)
    with desk.disk.failing(apsw.FullError), pytest.raises(ProblemError) as refused:
        store.rename(CHAT, "New").wait(BOUND_S)
    assert refused.value.problem.kind is ProblemKind.STORAGE_FULL
    assert [c.title for c in store.conversations().wait(BOUND_S)] == ["Hello"]


def test_the_end_of_a_turn_is_kept_although_it_was_refused(store: SqliteStore, desk: Desk) -> None:
    turn = opening(asked(order("Hello")))
    store.begin_turn(turn)
    store.flush().wait(BOUND_S)
    with desk.disk.failing(apsw.FullError), pytest.raises(ProblemError):
        store.end_turn(turn.turn_id, Completed()).wait(BOUND_S)
    store.flush().wait(BOUND_S)
    outcome = store._ask(lambda db: db.execute("SELECT outcome FROM turns").get).wait(BOUND_S)
    assert outcome == '{"kind":"completed"}'


def test_a_write_that_can_never_work_does_not_hold_up_the_others(
    store: SqliteStore, desk: Desk
) -> None:
    store.save_draft(CHAT, Draft(text="before"))
    store.save_draft(CHAT, Draft(text="x", cursor="?"))  # type: ignore[arg-type]
    store.accept(order("after"), Intent.QUEUE).wait(BOUND_S)
    assert desk.told == [ProblemKind.INTERNAL]
    assert loaded(store).waiting[0][0].text == "after"


def test_a_listener_that_raises_does_not_end_the_storage(tmp_path: Path) -> None:
    disk = FailingDisk()

    def explode(_: Problem) -> None:
        raise RuntimeError("the loop is closed")

    with open_store(tmp_path / "a.db", vfs=disk.name, on_trouble=explode) as store:
        with disk.failing(apsw.FullError):
            store.save_draft(CHAT, Draft(text="x"))
            refused_again(disk)
        store.flush().wait(BOUND_S)
        assert loaded(store).draft.text == "x"


def test_a_folder_that_is_gone_is_told_and_nothing_is_acknowledged(
    store: SqliteStore, desk: Desk
) -> None:
    aside = desk.path.parent.with_name("aside")
    desk.path.parent.rename(aside)
    with pytest.raises(ProblemError) as refused:
        store.accept(order("lost?"), Intent.QUEUE).wait(BOUND_S)
    assert refused.value.problem.kind is ProblemKind.STORAGE_LOST
    assert refused.value.problem.params["path"] == str(desk.path.parent)
    store.save_draft(CHAT, Draft(text="still here"))
    wait_until(lambda: desk.told == [ProblemKind.STORAGE_LOST], "the trouble")
    aside.rename(desk.path.parent)
    store.flush().wait(BOUND_S)
    assert loaded(store).draft.text == "still here"


def test_closing_with_a_dead_disk_ends_in_bounded_time(tmp_path: Path) -> None:
    disk = FailingDisk()
    store = SqliteStore(tmp_path / "a.db", lease="a", live_leases=set, vfs=disk.name)
    store.start().wait(BOUND_S)
    with disk.hanging():
        store.save_draft(CHAT, Draft(text="x"))
        assert not store.close(0.05)
    assert store.close(BOUND_S)


def test_after_closing_an_order_is_saved_aside_and_the_rest_is_refused(tmp_path: Path) -> None:
    sent = order("late")
    store = SqliteStore(tmp_path / "a.db", lease="a", live_leases=set)
    store.start().wait(BOUND_S)
    assert store.close(BOUND_S)
    store.accept(sent, Intent.QUEUE).wait(BOUND_S)
    with pytest.raises(ProblemError):
        store.conversations().wait(BOUND_S)
    with pytest.raises(ProblemError):
        store.flush().wait(BOUND_S)
    with open_store(tmp_path / "a.db") as store:
        assert loaded(store).waiting == ((sent, Intent.QUEUE),)
