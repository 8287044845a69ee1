"""A checkpoint folder loads as it was saved, or says which file is wrong and why."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import tokenizers
import torch

from tests.analysis import small, systems
from txlviz import checkpoint as checkpoints
from txlviz.checkpoint import CARD, CONFIG, TOKENIZER, WEIGHTS, CheckpointError


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "xl"
    source = small.checkpoint("xl")
    checkpoints.save(folder, source.model, source.tokenizer, {"preset": "small", "curve": {"step": [1, 2]}})
    return folder


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "copy"))


def test_comes_back_as_it_was_saved(saved: Path) -> None:
    source, loaded = small.checkpoint("xl"), checkpoints.load(saved)
    assert loaded.config == source.config
    assert loaded.card["curve"] == {"step": [1, 2]}
    assert loaded.name == "small/xl"
    assert not loaded.model.training
    ids = torch.tensor([source.encode(small.TEXT)[:40]])
    assert torch.equal(loaded.model(ids).hidden, source.model(ids).hidden)
    assert loaded.decode(loaded.encode(small.TEXT)) == small.TEXT


def test_halves_are_read_as_the_numbers_that_they_round_to(tmp_path: Path) -> None:
    source = small.checkpoint("xl")
    checkpoints.save(tmp_path, source.model, source.tokenizer, {"preset": "small"}, half_precision=True)
    loaded = checkpoints.load(tmp_path)
    for name, tensor in loaded.model.state_dict().items():
        assert tensor.dtype == torch.float32
        assert torch.equal(tensor, source.model.state_dict()[name].half().float())
    assert safetensors.torch.load_file(tmp_path / WEIGHTS)["u"].dtype == torch.float16


@pytest.mark.parametrize("choices", [{}, {"recurrent": True, "without": ("b",)}])
def test_a_model_of_chosen_parts_comes_back_as_well(tmp_path: Path, choices: dict[str, Any]) -> None:
    source = systems.checkpoint("xl", **choices)
    checkpoints.save(tmp_path, source.model, source.tokenizer, {"preset": "small", "variant": "xl-full"})
    loaded = checkpoints.load(tmp_path)
    assert loaded.config == source.config
    assert loaded.name == "small/xl-full"
    ids = torch.tensor([source.encode(small.TEXT)[:40]])
    assert torch.equal(loaded.model(ids).hidden, source.model(ids).hidden)


@pytest.fixture
def sharing(saved: Path, tmp_path: Path) -> Path:
    """A checkpoint without a tokenizer of its own, beside the one that has it."""
    shutil.copytree(saved, tmp_path / "small" / "xl")
    source = small.checkpoint("vanilla")
    folder = tmp_path / "landscape" / "one"
    checkpoints.save(folder, source.model, source.tokenizer, {"preset": "landscape"}, tokenizer_of="small/xl")
    return folder


def test_a_tokenizer_may_be_that_of_another_checkpoint(sharing: Path) -> None:
    assert not (sharing / TOKENIZER).exists()
    loaded = checkpoints.load(sharing)
    assert loaded.decode(loaded.encode(small.TEXT)) == small.TEXT
    assert loaded.card["sha256"][TOKENIZER] == checkpoints.load(sharing.parents[1] / "small/xl").card["sha256"][TOKENIZER]


def test_a_shared_tokenizer_is_checked_like_ones_own(sharing: Path) -> None:
    shared = sharing.parents[1] / "small" / "xl"
    text = (shared / TOKENIZER).read_text()
    (shared / TOKENIZER).write_text(text + " ")
    with pytest.raises(CheckpointError, match="SHA-256") as caught:
        checkpoints.load(sharing)
    assert str(shared / TOKENIZER) in str(caught.value)
    (shared / TOKENIZER).unlink()
    with pytest.raises(CheckpointError, match="missing") as caught:
        checkpoints.load(sharing)
    assert str(shared / TOKENIZER) in str(caught.value)


@pytest.mark.parametrize("name", ["../../etc", "/etc/passwd", "small", "small/xl/..", 3])
def test_only_a_checkpoint_beside_it_can_be_named(sharing: Path, name: object) -> None:
    _change_json(CARD, tokenizer_of=name)(sharing)
    with pytest.raises(CheckpointError, match="must name a checkpoint, as preset/kind"):
        checkpoints.load(sharing)


def _change_json(name: str, **changes: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        values = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps({k: v for k, v in {**values, **changes}.items() if v is not None}))

    return change


def _truncate(name: str, keep: float) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: int(len(data) * keep)])

    return change


def _flip(name: str, at: float) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        data = bytearray((folder / name).read_bytes())
        data[int(len(data) * at)] ^= 1
        (folder / name).write_bytes(data)

    return change


def _weights(change_tensors: Callable[[dict[str, torch.Tensor]], None]) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        tensors = safetensors.torch.load_file(folder / WEIGHTS)
        change_tensors(tensors)
        safetensors.torch.save_file(tensors, folder / WEIGHTS)

    return change


def _foreign_vanilla(folder: Path) -> None:
    other = small.checkpoint("vanilla")
    safetensors.torch.save_file(other.model.state_dict(), folder / WEIGHTS)


def _foreign_tokenizer(folder: Path) -> None:
    small.Tokenizer.train(["other text entirely"], vocab_size=270).save(folder / TOKENIZER)


def _foreign_alphabet(folder: Path) -> None:
    tokenizers.Tokenizer(tokenizers.models.WordLevel({"一": 0, "a b": 1}, unk_token="一")).save(str(folder / TOKENIZER))


DAMAGES: list[tuple[str, str, Callable[[Path], None]]] = [
    (WEIGHTS, "missing", lambda f: (f / WEIGHTS).unlink()),
    (CARD, "missing", lambda f: (f / CARD).unlink()),
    (WEIGHTS, "truncated", _truncate(WEIGHTS, 0.5)),
    (WEIGHTS, "truncated", _truncate(WEIGHTS, 0.0)),
    (WEIGHTS, "damaged", lambda f: (f / WEIGHTS).write_bytes(b"PK\x03\x04 a zip, perhaps a pickle")),
    (WEIGHTS, "SHA-256", _flip(WEIGHTS, 0.7)),
    (WEIGHTS, "don't belong", _foreign_vanilla),
    (WEIGHTS, "lacks 'u'", _weights(lambda t: t.pop("u") is None)),
    (WEIGHTS, "'extra'", _weights(lambda t: t.update(extra=torch.zeros(1)))),
    (WEIGHTS, "has the shape", _weights(lambda t: t.update(u=torch.zeros(3, 3, 9)))),
    (WEIGHTS, "aren't finite", _weights(lambda t: t["v"].fill_(float("nan")) is None)),
    (WEIGHTS, "float64", _weights(lambda t: t.update(v=t["v"].double()))),
    (CONFIG, "not readable as JSON", _truncate(CONFIG, 0.5)),
    (CONFIG, "unknown setting 'model_type'", _change_json(CONFIG, model_type="transfo-xl")),
    (CONFIG, "'n_layers' is missing", _change_json(CONFIG, n_layers=None)),
    (CONFIG, "n_heads is '4'", _change_json(CONFIG, n_heads="4")),
    (CONFIG, "bidirectional", _change_json(CONFIG, causal=False)),
    (CONFIG, "SHA-256", _change_json(CONFIG, mem_len=17)),
    (CONFIG, "expected a JSON object", lambda f: (f / CONFIG).write_text("[1]")),
    (CONFIG, "SHA-256", _change_json(CONFIG, d_inner=10**12)),  # before anything of that size is built
    (CONFIG, "same_length is 'no'", _change_json(CONFIG, same_length="no")),
    (TOKENIZER, "not a byte-level tokenizer", _foreign_alphabet),
    (TOKENIZER, "not a tokenizer", _truncate(TOKENIZER, 0.9)),
    (TOKENIZER, "belongs to another model", _foreign_tokenizer),
    (CARD, "not readable as JSON", lambda f: (f / CARD).write_bytes(b"\xff\xfe")),
    (CARD, "no 'sha256'", _change_json(CARD, sha256=None)),
]


@pytest.mark.parametrize(("name", "reason", "damage"), DAMAGES, ids=[f"{n}: {r}" for n, r, _ in DAMAGES])
def test_says_which_file_and_why(folder: Path, name: str, reason: str, damage: Callable[[Path], None]) -> None:
    damage(folder)
    with pytest.raises(CheckpointError) as caught:
        checkpoints.load(folder)
    message = str(caught.value)
    assert str(folder / name) in message
    assert reason in message
    assert "\n" not in message


def test_no_folder() -> None:
    with pytest.raises(CheckpointError, match="no such folder"):
        checkpoints.load("nowhere")


def test_inputs_are_a_newline_and_the_texts_tokens(saved: Path) -> None:
    loaded = checkpoints.load(saved)
    assert loaded.inputs("The river") == [*loaded.encode("\n"), *loaded.encode("The river")]
    assert loaded.decode(loaded.inputs("")) == "\n"
    assert loaded.weights_hash == loaded.card["sha256"][WEIGHTS]
