"""The learning rate, and what the two models of a preset share."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from txlviz.training.presets import PRESETS
from txlviz.training.schedule import learning_rate


def test_warm_up_then_cosine() -> None:
    rates = [learning_rate(step, peak=1.0, warmup_steps=10, total_steps=110) for step in range(110)]
    assert rates[0] == pytest.approx(0.1)
    assert rates[9] == rates[10] == pytest.approx(1.0)
    assert all(a >= b for a, b in itertools.pairwise(rates[10:]))
    assert rates[60] == pytest.approx(0.51, abs=0.02)
    assert rates[-1] == pytest.approx(0.02)


@pytest.mark.parametrize(("name", "layers"), [("wikitext2-2l", 2), ("wikitext2-4l", 4)])
def test_presets_are_the_study_configuration(name: str, layers: int) -> None:
    preset = PRESETS[name]
    assert (preset.n_layers, preset.n_heads, preset.d_model, preset.segment_length) == (layers, 4, 128, 64)
    assert preset.memory.longest >= 512
    assert 0 in preset.memory.lengths
    assert preset.memory.restart > 0
    assert preset.steps * preset.batch_size * preset.segment_length >= 2 * 2_962_730  # two epochs
    xl, vanilla = (dataclasses.asdict(preset.config(kind, 4096)) for kind in ("xl", "vanilla"))
    assert {key for key in xl if xl[key] != vanilla[key]} == {"kind", "mem_len"}
