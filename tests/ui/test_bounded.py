"""The cache of results keeps what fits, and makes each result once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from txlviz.ui.bounded import Bounded


def test_what_was_used_last_is_kept() -> None:
    made: list[int] = []
    cache: Bounded[int] = Bounded(limit=20, slots=1, size=lambda value: 10)

    def get(n: int) -> int:
        return cache.get(n, lambda: made.append(n) or n)

    assert [get(n) for n in (1, 2, 1, 3, 1, 2)] == [1, 2, 1, 3, 1, 2]
    assert made == [1, 2, 3, 2]  # 3 pushed out 2, not 1, which was used later


def test_a_result_larger_than_the_limit_is_given_all_the_same() -> None:
    cache: Bounded[str] = Bounded(limit=3, slots=1, size=len)
    assert cache.get("k", lambda: "too large") == "too large"
    assert cache.get("k", lambda: "again") == "too large"


def test_an_error_is_not_kept() -> None:
    cache: Bounded[int] = Bounded(limit=10, slots=1, size=lambda value: 1)
    for _ in range(3):  # the slot is given back each time
        try:
            cache.get("k", lambda: 1 // 0)
        except ZeroDivisionError:
            continue
    assert cache.get("k", lambda: 7) == 7


def test_sessions_that_ask_at_once_share_one_computation() -> None:
    cache: Bounded[int] = Bounded(limit=10, slots=1, size=lambda value: 1)
    ready, count = threading.Barrier(4), []

    def ask() -> int:
        ready.wait()
        return cache.get("k", lambda: count.append(1) or 5)

    with ThreadPoolExecutor(4) as pool:
        assert [asked.result() for asked in [pool.submit(ask) for _ in range(4)]] == [5] * 4
    assert len(count) == 1
