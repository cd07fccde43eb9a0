"""A token is cancelled once, by anyone, and tells everyone once."""

import threading
import weakref

import pytest

from app.core.events import StopReason
from app.core.tokens import Cancelled, CancelToken

LIMIT_S = 15.0


def test_a_new_token_is_live() -> None:
    token = CancelToken("turn")
    assert not token.is_cancelled
    assert token.reason is None
    assert token.cancelled_at == 0.0
    token.check()


def test_cancel_sets_the_reason_and_the_time() -> None:
    token = CancelToken()
    assert token.cancel(StopReason.PERSON)
    assert token.is_cancelled
    assert token.reason is StopReason.PERSON
    assert token.cancelled_at > 0.0


def test_the_first_cancel_wins() -> None:
    token = CancelToken()
    token.cancel(StopReason.REDIRECT)
    first = token.cancelled_at
    assert not token.cancel(StopReason.QUIT)
    assert token.reason is StopReason.REDIRECT
    assert token.cancelled_at == first


def test_check_raises_with_the_reason() -> None:
    token = CancelToken()
    token.cancel(StopReason.QUIT)
    with pytest.raises(Cancelled) as caught:
        token.check()
    assert caught.value.reason is StopReason.QUIT


def test_callbacks_run_once_in_their_order() -> None:
    token = CancelToken()
    heard: list[int] = []
    token.on_cancel(lambda: heard.append(1))
    token.on_cancel(lambda: heard.append(2))
    token.cancel(StopReason.PERSON)
    token.cancel(StopReason.PERSON)
    assert heard == [1, 2]


def test_the_same_function_may_listen_twice() -> None:
    token = CancelToken()
    heard: list[int] = []

    def listener() -> None:
        heard.append(1)

    token.on_cancel(listener)
    remove = token.on_cancel(listener)
    remove()
    token.cancel(StopReason.PERSON)
    assert heard == [1]


def test_on_cancel_runs_at_once_when_it_is_past() -> None:
    token = CancelToken()
    token.cancel(StopReason.PERSON)
    heard: list[int] = []
    remove = token.on_cancel(lambda: heard.append(1))
    assert heard == [1]
    remove()


def test_a_removed_callback_does_not_run() -> None:
    token = CancelToken()
    heard: list[int] = []
    remove = token.on_cancel(lambda: heard.append(1))
    remove()
    remove()
    token.cancel(StopReason.PERSON)
    assert heard == []


def test_callbacks_run_outside_the_lock() -> None:
    token = CancelToken()
    seen: list[bool] = []

    def listener() -> None:
        # Each of these takes the lock: held, they would never return.
        token.on_cancel(lambda: seen.append(token.is_cancelled))
        seen.append(token.cancel(StopReason.QUIT))

    token.on_cancel(listener)
    canceller = threading.Thread(target=token.cancel, args=(StopReason.PERSON,), daemon=True)
    canceller.start()
    canceller.join(LIMIT_S)
    assert seen == [True, False]


def test_a_failing_callback_does_not_keep_the_others_from_hearing() -> None:
    token = CancelToken()
    child = CancelToken.child(token, "request")

    def fail() -> None:
        raise OSError("broken listener")

    heard: list[int] = []
    token.on_cancel(fail)
    token.on_cancel(lambda: heard.append(1))
    late = token.child("tool")
    with pytest.raises(OSError, match="broken listener"):
        token.cancel(StopReason.PERSON)
    assert heard == [1]
    assert child.is_cancelled
    assert late.is_cancelled


def test_one_of_many_threads_wins() -> None:
    token = CancelToken()
    heard: list[int] = []
    token.on_cancel(lambda: heard.append(1))
    together = threading.Barrier(8)
    won: list[bool] = []

    def race() -> None:
        together.wait(LIMIT_S)
        won.append(token.cancel(StopReason.PERSON))

    threads = [threading.Thread(target=race) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_S)
    assert sorted(won) == [False] * 7 + [True]
    assert heard == [1]


def test_listening_and_cancelling_at_once_never_loses_a_callback() -> None:
    for _ in range(200):
        token = CancelToken()
        together = threading.Barrier(2)
        heard: list[int] = []

        def cancel(token: CancelToken = token, together: threading.Barrier = together) -> None:
            together.wait(LIMIT_S)
            token.cancel(StopReason.PERSON)

        canceller = threading.Thread(target=cancel)
        canceller.start()
        together.wait(LIMIT_S)
        token.on_cancel(lambda heard=heard: heard.append(1))  # type: ignore[misc]
        canceller.join(LIMIT_S)
        assert heard == [1]


def test_wait_blocking_wakes_a_tool_thread() -> None:
    token = CancelToken()
    woken: list[bool] = []
    waiter = threading.Thread(target=lambda: woken.append(token.wait_blocking()), daemon=True)
    waiter.start()
    token.cancel(StopReason.PERSON)
    waiter.join(LIMIT_S)
    assert woken == [True]


def test_wait_blocking_says_when_the_time_ran_out() -> None:
    assert CancelToken().wait_blocking(0.0) is False


def test_wait_blocking_sees_the_reason_already_set() -> None:
    token = CancelToken()
    seen: list[StopReason | None] = []

    def tool() -> None:
        token.wait_blocking()
        seen.append(token.reason)

    waiter = threading.Thread(target=tool, daemon=True)
    waiter.start()
    token.cancel(StopReason.REDIRECT)
    waiter.join(LIMIT_S)
    assert seen == [StopReason.REDIRECT]


def test_a_child_is_cancelled_with_its_parent_and_for_its_reason() -> None:
    token = CancelToken("turn")
    grandchild = token.child("request").child("retry")
    token.cancel(StopReason.REDIRECT)
    assert grandchild.reason is StopReason.REDIRECT
    assert grandchild.name == "turn/request/retry"


def test_a_child_can_be_cancelled_alone() -> None:
    token = CancelToken()
    one, other = token.child("one"), token.child("other")
    one.cancel(StopReason.PERSON)
    assert not token.is_cancelled
    assert not other.is_cancelled


def test_a_child_keeps_its_own_reason() -> None:
    token = CancelToken()
    child = token.child("request")
    child.cancel(StopReason.PERSON)
    token.cancel(StopReason.QUIT)
    assert child.reason is StopReason.PERSON


def test_a_child_of_a_cancelled_token_is_born_cancelled() -> None:
    token = CancelToken()
    token.cancel(StopReason.PERSON)
    assert token.child("request").reason is StopReason.PERSON


def test_a_released_child_hears_nothing_and_is_not_kept_alive() -> None:
    token = CancelToken()
    with token.child("request") as child:
        gone = weakref.ref(child)
    token.cancel(StopReason.PERSON)
    assert not child.is_cancelled
    del child
    assert gone() is None


def test_a_cancelled_token_lets_go_of_its_callbacks() -> None:
    class Listener:
        def __call__(self) -> None:
            return

    token = CancelToken()
    listener = Listener()
    gone = weakref.ref(listener)
    token.on_cancel(listener)
    token.cancel(StopReason.PERSON)
    del listener
    assert gone() is None


def test_repr_says_what_became_of_it() -> None:
    token = CancelToken("turn")
    assert repr(token) == "<CancelToken turn live>"
    token.cancel(StopReason.PERSON)
    assert repr(token) == "<CancelToken turn person>"
