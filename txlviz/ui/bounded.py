"""A cache for large results: bounded in bytes, shared by all sessions, each result made once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import Generic, TypeVar

V = TypeVar("V")


class Bounded(Generic[V]):
    """Keeps what was used last, up to a number of bytes. Heavy work goes through a few slots.

    Streamlit's own caches either copy on every read (data) or are bounded by a count (resource); a trace takes from 1 to 75 MB.
    """

    def __init__(self, limit: int, slots: int, size: Callable[[V], int]) -> None:
        self._limit, self._size = limit, size
        self._slots = threading.BoundedSemaphore(slots)
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, V] = OrderedDict()
        self._held = 0

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The result for ``key``; made now if it isn't held."""
        found = self._find(key)
        if found is not None:
            return found
        with self._slots:
            found = self._find(key)  # another session may have made it meanwhile
            if found is not None:
                return found
            made = make()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self._held += self._size(made)
            while self._held > self._limit and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._held -= self._size(dropped)
        return made

    @property
    def slot(self) -> AbstractContextManager[object]:
        """One of the slots, for heavy work whose result isn't kept: ``with results.slot:``."""
        return self._slots

    def _find(self, key: Hashable) -> V | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            return None
