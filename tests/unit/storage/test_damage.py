"""Damaged files: a clear problem or what can still be read, never a crash, never more damage."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.events import Completed
from app.core.ids import ConversationId
from app.core.messages import Draft, Ending, Intent
from app.storage.reply import Reply
from app.storage.store import SqliteStore
from tests.fakes.stores import BOUND_S, open_store
from tests.harness.environment import is_proving
from tests.unit.storage.disks import FailingDisk
from tests.unit.storage.test_store import loaded
from tests.unit.storage.words import CHAT, answer, asked, opening, order

ROUNDS = 2_000 if is_proving() else 120
KNOWN = {
    ProblemKind.STORAGE_CORRUPT,
    ProblemKind.STORAGE_NEWER,
    ProblemKind.STORAGE_READ_ONLY,
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Give the bytes of a database with a bit of everything."""
    path = tmp_path_factory.mktemp("sample") / "a.db"
    store = SqliteStore(path, lease="dead", live_leases=set)
    store.start().wait(BOUND_S)
    for number in range(12):
        sent = order(f"question {number} " + "lorem ipsum " * number * 20, chat=f"c{number % 3}")
        question = asked(sent)
        turn = opening(question, epoch=number)
        said = answer(question)
        store.accept(sent, Intent.QUEUE)
        store.begin_turn(turn)
        store.open_message(said)
        store.append_text(said.id, "some words", reasoning=False)
        if number % 2:
            store.close_message(answer(question, "whole", id=said.id, ending=Ending.COMPLETE))
            store.end_turn(turn.turn_id, Completed())
        store.accept(order("waiting", chat=f"c{number % 3}"), Intent.QUEUE)
        store.save_draft(ConversationId(f"c{number % 3}"), Draft(text="draft"))
    assert store.close(BOUND_S)
    return path.read_bytes()


def flip(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 3, 20])):
        data[chance.randrange(len(data))] = chance.randrange(256)


def flip_in_header(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 3])):
        data[chance.randrange(120)] = chance.randrange(256)


def overwrite(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data))
    size = min(chance.randrange(1, 5000), len(data) - start)
    data[start : start + size] = chance.choice([bytes(size), chance.randbytes(size)])


def truncate(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(1, len(data)) :]


def swap_pages(data: bytearray, chance: random.Random) -> None:
    pages = len(data) // 4096
    one, other = (4096 * chance.randrange(pages) for _ in range(2))
    first, second = data[one : one + 4096], data[other : other + 4096]
    data[one : one + 4096], data[other : other + 4096] = second, first


HARM = [flip, flip_in_header, overwrite, truncate, swap_pages]


def outcome(reply: Reply[Any]) -> Problem | None:
    try:
        reply.wait(BOUND_S)
    except ProblemError as exc:
        return exc.problem
    return None


def use(store: SqliteStore) -> list[Problem | None]:
    """Do everything that a person would."""
    results = [outcome(store.conversations()), outcome(store.search("lorem", 10))]
    results += [outcome(store.load(ConversationId(f"c{number}"))) for number in range(3)]
    sent = order("after the damage", chat="c0")
    results.append(outcome(store.accept(sent, Intent.QUEUE)))
    store.begin_turn(opening(asked(sent)))
    store.save_queue(ConversationId("c0"), ())
    results.append(outcome(store.flush()))
    return results


@pytest.mark.parametrize("harm", HARM)
def test_a_damaged_database_is_a_clear_problem_or_still_readable(
    tmp_path: Path, sample: bytes, harm: Callable[[bytearray, random.Random], None]
) -> None:
    refused = 0
    for seed in range(ROUNDS // len(HARM)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        data = bytearray(sample)
        harm(data, random.Random(seed))
        (folder / "a.db").write_bytes(data)
        store = SqliteStore(folder / "a.db", lease="a", live_leases=set)
        problem = outcome(store.start())
        problems = [problem, *use(store)]
        store.close(BOUND_S)
        assert {found.kind for found in problems if found} <= KNOWN, f"seed {seed}"
        if problem is not None:
            refused += 1
            assert (folder / "a.db").read_bytes() == bytes(data), f"seed {seed}: it was touched"
        shutil.rmtree(folder)
    assert refused, "not one was noticed"


def test_a_damaged_index_costs_the_search_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_store(path) as store:
        store.begin_turn(opening(asked(order("lighthouse"))))
        assert store.search("light", 5).wait(BOUND_S)
    with apsw.Connection(str(path)) as db:
        db.execute("UPDATE words_data SET block = zeroblob(3)")
    with open_store(path) as store:
        store.begin_turn(opening(asked(order("harbour", chat="other"))))
        assert len(store.conversations().wait(BOUND_S)) == 2
        found = outcome(store.search("light", 5))
        assert found is not None
        assert found.kind is ProblemKind.STORAGE_CORRUPT


def side_file(folder: Path) -> Path:
    """Leave a side file with three orders behind."""
    disk = FailingDisk()
    store = SqliteStore(folder / "a.db", lease="dead", live_leases=set, vfs=disk.name)
    store.start().wait(BOUND_S)
    with disk.failing(apsw.FullError):
        for number in range(3):
            store.accept(order(f"order {number}"), Intent.QUEUE).wait(BOUND_S)
        store.close(BOUND_S)
    (side,) = folder.glob("*.unsaved-*")
    return side


def test_a_torn_line_is_kept_and_the_whole_ones_are_absorbed(tmp_path: Path) -> None:
    side = side_file(tmp_path)
    torn = side.read_bytes()[:-20]
    side.write_bytes(torn)
    told: list[Problem] = []
    with open_store(tmp_path / "a.db", on_trouble=told.append) as store:
        assert [each.text for each, _ in loaded(store).waiting] == ["order 0", "order 1"]
    (problem,) = told
    assert problem.kind is ProblemKind.STORAGE_CORRUPT
    assert Path(str(problem.params["path"])).read_bytes() == torn
    assert not side.exists()
    with open_store(tmp_path / "a.db", on_trouble=told.append):
        assert len(told) == 1, "told once"


def test_half_a_line_does_not_spoil_the_next(tmp_path: Path) -> None:
    disk = FailingDisk()
    sent = order("whole")
    store = SqliteStore(tmp_path / "a.db", lease="dead", live_leases=set, vfs=disk.name)
    store._side_file.path.write_text('{"version": 1, "id": "ha')
    store.start().wait(BOUND_S)
    with disk.failing(apsw.FullError):
        store.accept(sent, Intent.QUEUE).wait(BOUND_S)
        store.close(BOUND_S)
    told: list[Problem] = []
    with open_store(tmp_path / "a.db", on_trouble=told.append) as store:
        assert loaded(store).waiting == ((sent, Intent.QUEUE),)
    assert [problem.kind for problem in told] == [ProblemKind.STORAGE_CORRUPT]


@pytest.mark.parametrize("seed", range(ROUNDS // 60))
def test_any_side_file_is_absorbed_as_far_as_it_makes_sense(tmp_path: Path, seed: int) -> None:
    original = side_file(tmp_path).read_bytes()
    chance = random.Random(seed)
    for number in range(30):
        folder = tmp_path / f"round-{number}"
        folder.mkdir()
        data = bytearray(original)
        if number % 4:
            chance.choice([flip, overwrite, truncate])(data, chance)
        else:
            data = bytearray(chance.randbytes(chance.randrange(400)))
        (folder / "a.db.unsaved-dead.0.jsonl").write_bytes(data)
        told: list[Problem] = []
        with open_store(folder / "a.db", on_trouble=told.append) as store:
            store.conversations().wait(BOUND_S)
            assert outcome(store.load(CHAT)) is None
        assert not list(folder.glob("*.jsonl"))
        if told:
            assert Path(str(told[0].params["path"])).read_bytes() == data
        shutil.rmtree(folder)
