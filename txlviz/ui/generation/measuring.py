"""The cost of evaluation, measured while a page is looked at. No Streamlit, and no thread: it runs only while it is asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from txlviz.analysis.eval_speed import LENGTHS, SpeedPoint, steps
from txlviz.commands.benchmark import row
from txlviz.ui import models

ROUNDS = 3


@dataclass
class Measuring:
    """One measurement of this session: on its way, or ended. It runs only while it is asked: no thread."""

    preset: str
    points: list[dict[str, Any]] = field(default_factory=list)
    status: str = "running"
    _rest: Iterator[SpeedPoint | None] | None = None
    _asked: threading.Lock = field(default_factory=threading.Lock)

    @property
    def length(self) -> int:
        """The attention length that is measured now; at the end the last one."""
        return LENGTHS[min(len(self.points), len(LENGTHS) - 1)]

    @property
    def share(self) -> float:
        """How much is done (0 to 1), by the work: the last lengths take the most."""
        return sum(LENGTHS[: len(self.points)]) / sum(LENGTHS)

    def advance(self, seconds: float) -> None:
        """Measures for about so long: pieces of a layer each. While a piece runs, a second call returns at once."""
        if not self._asked.acquire(blocking=False):
            return
        try:
            end = time.monotonic() + seconds
            while self.status == "running":
                self._piece()
                if time.monotonic() >= end:
                    return
        finally:
            self._asked.release()

    def _piece(self) -> None:
        xl, vanilla = (models.checkpoint(self.preset, kind) for kind in ("xl", "vanilla"))
        if self._rest is None:
            self._rest = steps(xl, vanilla, LENGTHS[len(self.points)], ROUNDS)
        point = next(self._rest)
        if point is None or self.status != "running":
            return
        self.points.append(row(xl, vanilla, point))
        self._rest = None
        if len(self.points) == len(LENGTHS):
            self.status = "done"

    def cancel(self) -> None:
        """Ends it; the points so far stay."""
        self.status = "cancelled"
