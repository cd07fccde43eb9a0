"""The outlet: order kept, nobody held up by a reader that does not read."""

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from app.cli.outlet import Outlet, Stream, is_reader_gone
from tests.harness.loops import LIMIT_S, play

MORE_THAN_A_PIPE_HOLDS = "x" * 1_000_000


@contextmanager
def pipe() -> Iterator[tuple[int, Stream]]:
    """Give the reading end and a stream onto the writing end."""
    read_end, write_end = os.pipe()
    with os.fdopen(write_end, "w", encoding="utf-8") as stream:
        yield read_end, Stream(stream)


def unexpected(error: OSError) -> None:
    raise AssertionError(error)


def read_to_end(fd: int) -> str:
    with os.fdopen(fd, encoding="utf-8") as stream:
        return stream.read()


def test_both_streams_are_written_in_the_order_of_the_calls() -> None:
    with pipe() as (read_end, stream):
        outlet = Outlet(out=stream, err=stream)
        outlet.open(unexpected)
        for number in range(100):
            outlet.print(f"{number} ")
            outlet.remark(f"-{number} ")
        play(outlet.all_written())
    assert read_to_end(read_end) == "".join(f"{n} -{n} " for n in range(100))


def test_a_reader_that_does_not_read_holds_up_nobody_but_the_writer() -> None:
    with pipe() as (read_end, stream):
        outlet = Outlet(out=stream, err=Stream(None))
        outlet.open(unexpected)
        outlet.print(MORE_THAN_A_PIPE_HOLDS)
        outlet.print("the end")

        async def not_yet() -> bool:
            writing = asyncio.create_task(outlet.all_written())
            await asyncio.sleep(0)
            is_held_up = not writing.done()
            await asyncio.get_running_loop().run_in_executor(None, drain, read_end)
            await writing
            return is_held_up

        def drain(fd: int) -> None:
            left = len(MORE_THAN_A_PIPE_HOLDS) + len("the end")
            while left:
                left -= len(os.read(fd, 65536))

        assert play(not_yet())
    os.close(read_end)


def test_a_reader_that_is_gone_is_told_once_and_writing_goes_on_in_silence() -> None:
    lost: list[OSError] = []
    told = threading.Event()

    def on_lost(error: OSError) -> None:
        lost.append(error)
        told.set()

    with pipe() as (read_end, stream):
        os.close(read_end)
        outlet = Outlet(out=stream, err=Stream(None))
        outlet.open(on_lost)
        outlet.print("a")
        assert told.wait(LIMIT_S)
        outlet.print("b")
        play(outlet.all_written())
    assert len(lost) == 1
    assert is_reader_gone(lost[0])


def test_a_reader_that_leaves_is_noticed_without_another_word() -> None:
    told = threading.Event()
    with pipe() as (read_end, stream):
        outlet = Outlet(out=stream, err=Stream(None))
        outlet.open(lambda _: told.set())
        outlet.print("a")
        play(outlet.all_written())
        assert not told.is_set()
        os.close(read_end)
        assert told.wait(LIMIT_S)


def test_a_full_disk_is_not_a_reader_that_is_gone() -> None:
    assert not is_reader_gone(OSError(28, "No space left on device"))


def test_a_stream_that_was_closed_from_the_start_swallows_everything() -> None:
    outlet = Outlet(out=Stream(None), err=Stream(None))
    outlet.open(unexpected)
    outlet.print("unheard")
    play(outlet.all_written())


def test_what_the_encoding_cannot_say_is_replaced() -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(write_end, "w", encoding="ascii") as stream:
        outlet = Outlet(out=Stream(stream), err=Stream(None))
        outlet.open(unexpected)
        outlet.print("ü\n")
        play(outlet.all_written())
    assert read_to_end(read_end) == "?\n"
