"""The difference of the models, told by segment."""

from __future__ import annotations

import numpy as np

from txlviz.ui.segment_means import sentence


def test_the_first_segment_stands_apart() -> None:
    said = sentence(np.array([0.5, 0.1, -0.2, -0.4, 0.3]), [0, 2, 4], 16)
    assert "**+0.30** in the first segment" in said
    assert "**-0.30, +0.30** later" in said


def test_many_segments_are_summed_up() -> None:
    assert "**-1.00** (mean of 9) later" in sentence(np.array([1.0, *[-1.0] * 9]), range(10), 16)


def test_without_memory_no_memory_is_made_the_reason() -> None:
    assert "remembers nothing in any" in sentence(np.array([0.5, -0.5]), [0, 1], 0)


def test_the_last_token_alone_in_its_segment_has_no_loss() -> None:
    assert "fits into one segment" in sentence(np.array([0.5, -0.5]), [0, 2], 16)
