"""When jobs reach the storage thread's worker: at once, or together at the tick."""

import threading

from app.core.ids import MessageId
from app.storage.jobs import Job, Read, Text, Write
from app.storage.thread import StorageThread
from tests.unit.storage.waiting import BOUND_S, wait_until

NEVER_S = 3600.0


class Recorder:
    """A worker that keeps what it was given."""

    def __init__(self, pause_s: float = NEVER_S) -> None:
        self.batches: list[list[Job]] = []
        self.idle_passes = 0
        self.stumbles = False
        self._pause_s = pause_s

    def work(self, jobs: list[Job]) -> float:
        if self.stumbles:
            self.stumbles = False
            raise RuntimeError("as the test wanted")
        if jobs:
            self.batches.append(jobs)
        else:
            self.idle_passes += 1
        return self._pause_s

    def finish(self) -> bool:
        return True


def started(worker: Recorder, tick_s: float) -> StorageThread:
    thread = StorageThread(lambda: worker, tick_s=tick_s)
    thread.start()
    return thread


def write() -> Write:
    return Write(lambda _: None)


def test_a_write_waits_for_the_tick_however_often_the_worker_looks_around() -> None:
    worker = Recorder(pause_s=0.0)
    thread = started(worker, tick_s=NEVER_S)
    thread.post(write())
    passes = worker.idle_passes
    wait_until(lambda: worker.idle_passes > passes + 10, "some passes")
    assert worker.batches == []
    assert thread.close(BOUND_S)


def test_a_question_takes_everything_before_it_along() -> None:
    worker = Recorder()
    thread = started(worker, tick_s=NEVER_S)
    first, second, question = write(), write(), Read(lambda _: None)
    for job in (first, second, question):
        thread.post(job)
    wait_until(lambda: bool(worker.batches), "the batch")
    assert worker.batches == [[first, second, question]]
    assert thread.close(BOUND_S)


def test_writes_come_together_at_the_tick() -> None:
    worker = Recorder()
    thread = started(worker, tick_s=0.05)
    jobs = [write() for _ in range(20)]
    for job in jobs:
        thread.post(job)
    wait_until(lambda: sum(map(len, worker.batches)) == 20, "all of them")
    assert [job for batch in worker.batches for job in batch] == jobs
    assert len(worker.batches) < 20
    assert thread.close(BOUND_S)


def test_words_are_joined_by_answer_and_kind_and_never_across_another_write() -> None:
    worker = Recorder()
    thread = started(worker, tick_s=NEVER_S)
    one, other = MessageId("one"), MessageId("other")
    between = write()
    for job in (
        Text(one, "a", reasoning=False),
        Text(other, "x", reasoning=False),
        Text(one, "b", reasoning=False),
        Text(one, "c", reasoning=True),
        Text(one, "d", reasoning=False),
        between,
        Text(one, "e", reasoning=False),
    ):
        thread.post(job)
    assert thread.close(BOUND_S)
    (batch,) = worker.batches
    words = [(j.message_id, "".join(j.texts)) if isinstance(j, Text) else j for j in batch]
    assert words == [(one, "ab"), (other, "x"), (one, "c"), (one, "d"), between, (one, "e")]


def test_closing_carries_out_what_waits_and_takes_no_more() -> None:
    worker = Recorder()
    thread = started(worker, tick_s=NEVER_S)
    job = write()
    thread.post(job)
    assert thread.close(BOUND_S)
    assert worker.batches == [[job]]
    assert not thread.post(write())


def test_a_worker_that_stumbles_goes_on() -> None:
    worker = Recorder()
    thread = started(worker, tick_s=NEVER_S)
    wait_until(lambda: True, "the start")
    worker.stumbles = True
    thread.post(Read(lambda _: None))
    wait_until(lambda: not worker.stumbles, "the stumble")
    asked = Read(lambda _: None)
    thread.post(asked)
    wait_until(lambda: [asked] in worker.batches, "the next job")
    assert thread.close(BOUND_S)


def test_the_thread_does_not_keep_the_process_alive() -> None:
    before = set(threading.enumerate())
    thread = started(Recorder(), tick_s=NEVER_S)
    (new,) = set(threading.enumerate()) - before
    assert new.daemon
    assert thread.close(BOUND_S)
