"""The models behind the pages."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import txlviz
from txlviz.ui import models

TEXT = "The river rises in the hills and flows past the old mill."


def test_results_are_the_apis_remembered_and_read_only() -> None:
    run = models.trace("wikitext2-2l", "xl", TEXT, 8, 8, record=(1,))
    again = models.trace("wikitext2-2l", "xl", TEXT, 8, 8, record=(1,))
    assert run is again
    plain = txlviz.trace(txlviz.load(models.CHECKPOINTS / "wikitext2-2l/xl"), TEXT, 8, 8, record=(1,))
    np.testing.assert_allclose(run.losses, plain.losses, atol=1e-5)
    assert [bool(segment.layers) for segment in run.segments][:2] == [False, True]
    with pytest.raises(ValueError, match="read-only"):
        run.segments[1].layers[0].weights[0, 0, 0] = 1


def test_the_vanilla_model_takes_any_memory_and_has_none() -> None:
    run = models.trace("wikitext2-2l", "vanilla", TEXT, 8, 100)
    assert run.memory_length == 0
    assert run.residual == 0.0  # nothing was recorded


def test_guesses_are_the_apis() -> None:
    found = models.guesses("wikitext2-2l", "xl", TEXT, 8, 16, top=3)
    expected = txlviz.next_tokens(txlviz.load(models.CHECKPOINTS / "wikitext2-2l/xl"), TEXT, 8, 16, top=3)
    assert [guess.token for guess in found] == [guess.token for guess in expected]


def test_names_and_hashes_come_from_the_card() -> None:
    assert [models.layers_label(preset) for preset in models.PRESETS] == ["2 layers", "4 layers"]
    loaded = txlviz.load(models.CHECKPOINTS / "wikitext2-2l/vanilla")
    assert models.weights_hash("wikitext2-2l", "vanilla") == loaded.card["sha256"]["model.safetensors"]
    assert models.weights_hash("no such preset", "xl") is None


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the checkpoints, so that it can be damaged."""
    shutil.copytree(models.CHECKPOINTS, tmp_path / "checkpoints")
    monkeypatch.setattr(models, "CHECKPOINTS", tmp_path / "checkpoints")
    return tmp_path / "checkpoints"


def loads() -> None:
    import streamlit as st

    from txlviz.ui import models

    models.checkpoint("wikitext2-4l", "xl")
    st.write("went on")


def test_a_damaged_checkpoint_is_named_and_ends_the_page(broken: Path) -> None:
    weights = broken / "wikitext2-4l/xl/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    at = AppTest.from_function(loads, default_timeout=60).run()
    assert not at.exception
    assert "can't be loaded" in at.error[0].value
    assert str(weights) in at.code[0].value
    assert not at.markdown


def test_a_replaced_checkpoint_is_loaded_anew(broken: Path) -> None:
    at = AppTest.from_function(loads, default_timeout=60).run()
    assert at.markdown[0].value == "went on"
    shutil.rmtree(broken / "wikitext2-4l/xl")
    assert "no such folder" in at.run().code[0].value
