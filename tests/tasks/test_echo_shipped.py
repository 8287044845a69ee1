"""The shipped models of the echo test do what the page says of them. Pinned weights, pinned streams."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from txlviz.checkpoint import CARD, CheckpointError
from txlviz.tasks import EchoTask, accuracy_by_position, in_sight, shipped
from txlviz.tasks.shipped import EchoModel

L = 32


@pytest.fixture(scope="module")
def models() -> dict[str, EchoModel]:
    return {name: shipped.load(name) for name in shipped.SHIPPED}


def test_they_are_what_they_are_said_to_be(models: dict[str, EchoModel]) -> None:
    xl, vanilla, short = (models[name] for name in ("xl", "vanilla", "vanilla_d20"))
    assert xl.task == vanilla.task == EchoTask(40, noise=0.1, vocab=16)
    assert short.task == EchoTask(20)
    assert [one.model.config.kind for one in (xl, vanilla, short)] == ["xl", "vanilla", "vanilla"]
    assert (xl.model.config.mem_len, xl.model.config.segment_length, xl.model.config.n_layers) == (64, L, 2)
    for name, one in models.items():
        task, settings = shipped.SHIPPED[name]
        assert one.task == task
        assert one.card["settings"]["steps"] == settings.steps == one.card["curve"]["step"][-1]
        assert not one.model.training
    assert xl.card["settings"]["steps"] == vanilla.card["settings"]["steps"]


@pytest.mark.parametrize("M", [0, 16, 24, 32, 48, 64, 128])
def test_trained_with_64_it_answers_where_one_look_reaches_and_nowhere_else(models: dict[str, EchoModel], M: int) -> None:
    xl = models["xl"]
    shares = accuracy_by_position(xl.model, xl.task, L, M, n_streams=256, n_segments=8)
    seen = np.array([p + M >= xl.task.delay - 1 for p in range(L)])
    assert np.abs(shares[seen] - 0.91).max(initial=0) < 0.05
    assert shares[~seen].max(initial=0) < 0.15
    assert seen.sum() == {0: 0, 16: 9, 24: 17, 32: 25}.get(M, L)


def test_the_vanilla_model_guesses_where_d_is_longer_than_its_segment(models: dict[str, EchoModel]) -> None:
    vanilla = models["vanilla"]
    assert accuracy_by_position(vanilla.model, vanilla.task, n_streams=256, n_segments=8).max() < 0.15


def test_the_vanilla_model_answers_where_d_fits_into_its_segment(models: dict[str, EchoModel]) -> None:
    short = models["vanilla_d20"]
    shares = accuracy_by_position(short.model, short.task, n_streams=256, n_segments=8)
    seen = in_sight(20, L, 0)
    assert seen.tolist() == [p >= 19 for p in range(L)]
    assert shares[seen].min() > 0.85
    assert shares[~seen].max() < 0.15


def test_a_damaged_folder_is_refused_with_its_name(tmp_path: Path) -> None:
    shutil.copytree(shipped.FOLDER / "vanilla", tmp_path / "vanilla")
    shipped.load("vanilla", tmp_path)
    weights = tmp_path / "vanilla" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\1")
    with pytest.raises(CheckpointError, match=r"model\.safetensors"):
        shipped.load("vanilla", tmp_path)
    card = json.loads((tmp_path / "vanilla" / CARD).read_text())
    del card["sha256"]
    (tmp_path / "vanilla" / CARD).write_text(json.dumps(card))
    with pytest.raises(CheckpointError, match="vanilla"):
        shipped.load("vanilla", tmp_path)
    with pytest.raises(CheckpointError, match="nothing"):
        shipped.load("nothing", tmp_path)
    assert shipped.weights_hash("nothing", tmp_path) is None
