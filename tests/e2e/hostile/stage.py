"""Sets hostile states up on the real window, and looks what is left after Quit."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from tests.e2e import stored
from tests.e2e.hand import Hand, until
from tests.fakes.script import Answer, Gate, failing, gated
from tests.fakes.server import FakeServer
from tests.harness.process import BelayProcess

PATIENT = {"BELAY_EXIT_WATCHDOG_S": "60"}  # a slow machine is no reason to be ended
STRICT = {"BELAY_EXIT_WATCHDOG_S": "1"}


@dataclass
class Stage:
    """One window, brought into a state; `acknowledged` is what must not be lost."""

    hand: Hand
    server: FakeServer
    home: Path
    start_wedged: Callable[..., BelayProcess]
    acknowledged: list[str] = field(default_factory=list)
    draft: str = ""
    locks: list[apsw.Connection] = field(default_factory=list)

    @property
    def belay(self) -> BelayProcess:
        """The process on stage."""
        assert self.hand.belay is not None
        return self.hand.belay

    def open(self, wedge: str = "", **env: str) -> None:
        """Open the window, with a wedge in it or without."""
        if not wedge:
            self.hand.open(**{**PATIENT, **env})
            return
        self.hand.take(self.start_wedged(wedge, {**self.hand.env, **PATIENT, **env}))
        self.belay.stdout.wait_for("planted")

    def launch(self) -> None:
        """Start it, and do not wait for its window."""
        self.hand.launch(**PATIENT)

    def send(self, text: str) -> None:
        """Send a message and wait until it is on disk."""
        self.hand.type(text)
        self.hand.press("Return")
        until(lambda: self._is_on_disk(text), f"{text!r} on disk")
        self.acknowledged.append(text)

    def write(self, text: str) -> None:
        """Leave words in the composer of a window that tells, and wait until they stand there."""
        self.hand.type(text)
        self.belay.stdout.wait_for(f"draft: {text}\n")
        self.draft = text

    def _is_on_disk(self, text: str) -> bool:
        aside = (self.home / "data").glob("*.jsonl")
        return text in stored.everything_so_far(self.home) or any(
            text in file.read_text() for file in aside
        )

    def answer_in_part(self) -> None:
        """Have half an answer on the page and on disk."""
        self.server.script(gated("The rope ", "holds."))
        self.send("Does it hold?")
        self.server.log.wait_for(lambda log: "gate" in log.gates_reached)

    def stall_before_headers(self) -> None:
        """Have a request that the server does not even begin to answer."""
        self.server.script(Answer(before=(Gate("never"),)))
        self.send("Are you there?")
        self.server.log.wait_for(lambda log: "never" in log.gates_reached)

    def wait_for_retry(self) -> None:
        """Have the server ask for half a minute of patience."""
        self.server.script(failing(503, retry_after="30"))
        self.send("Are you well?")
        self.server.log.wait_for(lambda log: log.chats)

    def lock_database(self) -> None:
        """Keep every other process from writing, for as long as the test runs."""
        db = apsw.Connection(str(self.home / "data" / "belay.db"))
        db.set_busy_timeout(5_000)
        db.execute("BEGIN IMMEDIATE")
        self.locks.append(db)

    def unlock_database(self) -> None:
        """Let the others write again."""
        while self.locks:
            db = self.locks.pop()
            db.execute("ROLLBACK")
            db.close()

    def check_nothing_is_left(self) -> None:
        """Nothing of it runs, and everything acknowledged is on disk, once."""
        until(lambda: not self.belay.tree(), "no process is left")
        self.unlock_database()
        if self.acknowledged:
            assert sorted(stored.everything(self.home)) == sorted(self.acknowledged)
        assert stored.draft_so_far(self.home) == self.draft
