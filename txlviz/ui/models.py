"""The models behind the pages: loaded once, run in a few threads, their results shared by all sessions."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import streamlit as st

import txlviz
from txlviz import recorded as records
from txlviz.analysis.threads import share_cores
from txlviz.checkpoint import CHECKPOINTS as CHECKPOINTS  # pages read it here
from txlviz.models.config import Kind as Kind
from txlviz.recorded import RecordError
from txlviz.ui.bounded import Bounded

V = TypeVar("V")

PRESETS = ("wikitext2-2l", "wikitext2-4l")
DEFAULT_PRESET = "wikitext2-4l"

_CACHE_BYTES = 256 * 2**20
_MAKES = {
    **{f"{what}.json": f"measure {what} {{preset}}" for what in ("context", "length", "position", "prompts", "study")},
    "attention.json": "measure attention {preset}",
    "eval_speed.json": "benchmark eval {preset}",
    "record.json": "measure echo",
}


def checkpoint(preset: str, kind: Kind) -> txlviz.Checkpoint:
    """A loaded model. Where it can't be loaded, the page says which file and why, and ends."""
    folder = CHECKPOINTS / preset / kind
    try:
        return _load(folder, stamp(folder / "card.json"))
    except txlviz.CheckpointError as error:
        st.error("A model can't be loaded, so this page can't go on.")
        st.code(str(error), language=None, wrap_lines=True)
        st.stop()


def card(preset: str, kind: str) -> dict[str, Any]:
    """The card of a model, read without loading the model. Empty where there is none that can be read."""
    try:
        value = json.loads((CHECKPOINTS / preset / kind / "card.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def weights_hash(preset: str, kind: str) -> str | None:
    """The SHA-256 of a model's weights as its card says, without loading the model."""
    hashes = card(preset, kind).get("sha256")
    return hashes.get("model.safetensors") if isinstance(hashes, dict) else None


def layers_label(preset: str) -> str:
    """How a preset is named on a control: ``4 layers``."""
    return f"{preset.rsplit('-', 1)[-1].removesuffix('l')} layers"


def trace(
    preset: str,
    kind: Kind,
    text: str,
    L: int,
    M: int,
    record: tuple[int, ...] | None = (),
    without: tuple[str, ...] = (),
    layer: int | None = None,
) -> txlviz.Trace:
    """``txlviz.trace``, remembered. Its arrays are shared by all sessions, and read-only.

    Args:
        M: rows of memory; the vanilla model has none, whatever is given.
        record: the segments whose layers are kept; none by default, since losses need none. None keeps all.
    """
    rows = M if kind == "xl" else 0
    off = tuple(sorted(without))
    return remembered(txlviz.trace, checkpoint(preset, kind), text, L, rows, record=record, without=off, layer=layer)


def guesses(preset: str, kind: Kind, text: str, L: int, M: int, top: int = 10) -> list[txlviz.Guess]:
    """``txlviz.next_tokens``, remembered."""
    rows = M if kind == "xl" else None
    return remembered(txlviz.next_tokens, checkpoint(preset, kind), text, L, rows, top=top)


def remembered(
    function: Callable[..., V], models: txlviz.Checkpoint | tuple[txlviz.Checkpoint, ...], *args: Hashable, **options: Any
) -> V:
    """``function(models, *args, **options)``, computed once for all sessions, and held as long as there is room.

    What arrays are in the result refuses to be written to. Results are known by the function's name, the hash of the weights,
    ``args`` and ``options``; of these ``unkeyed`` is taken out: a mapping of further options that don't change the result, such
    as what is told of the progress.
    """
    unkeyed: Mapping[str, Any] = options.pop("unkeyed", None) or {}
    hashes = tuple(model.weights_hash for model in (models if isinstance(models, tuple) else (models,)))
    key = (f"{function.__module__}.{function.__qualname__}", hashes, args, tuple(sorted(options.items())))
    made: V = _results().get(key, lambda: _sealed(function(models, *args, **options, **unkeyed)))
    return made


def at_work() -> AbstractContextManager[object]:
    """One of the few places at which models run, for work whose result isn't remembered: ``with models.at_work():``."""
    return _results().slot


def recorded(preset: str, file: str, *, within: str | None = None) -> dict[str, Any]:
    """A record that was made with a preset's models. RecordError where there is none of the weights shipped.

    It stands beside them, or in the folder ``within`` of the checkpoints' folder.
    """
    path = CHECKPOINTS / (preset if within is None else within) / file
    weights = {kind: weights_hash(preset, kind) for kind in ("xl", "vanilla")}
    try:
        return _read_record(path, stamp(path), tuple(weights.items()))
    except RecordError as error:
        raise RecordError(record_problem(preset, file, error)) from error


def record_problem(preset: str, file: str, error: RecordError) -> str:
    """What is wrong with a record, for people: without the place of the installation, and with the command that makes it."""
    said = without_place(error)
    return f"{said}\nIt is made by: python -m txlviz {_MAKES[file].format(preset=preset)}" if file in _MAKES else said


def without_place(error: Exception) -> str:
    """What it says, for people: without the place of the installation."""
    return str(error).replace(f"{CHECKPOINTS.parent}{os.sep}", "")


def stamp(path: Path) -> int:
    """Changes when a file is written anew, so that a running app reads it again; 0 where there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=32)
def _read_record(path: Path, stamp: int, weights: tuple[tuple[str, str | None], ...]) -> dict[str, Any]:
    """``stamp`` changes when the file is written anew."""
    return records.read(path, dict(weights))


@st.cache_resource(show_spinner=False)
def warm_up() -> None:
    """Once a process: shares out the cores, and takes all that is imported by now out of the garbage collector's rounds.

    Streamlit runs a full collection after every run of the script; over torch and its like that takes a quarter of a second.
    """
    _results()
    gc.collect()
    gc.freeze()


@st.cache_resource(show_spinner=False)
def _results() -> Bounded[Any]:
    return Bounded(_CACHE_BYTES, share_cores(), _size)


@st.cache_resource(show_spinner=False, max_entries=8)
def _load(folder: Path, stamp: int) -> txlviz.Checkpoint:
    return txlviz.load(folder)


def _arrays(result: Any) -> Iterator[np.ndarray[Any, Any]]:
    """All arrays in a result: in the fields of dataclasses, in tuples, lists and mappings."""
    if isinstance(result, np.ndarray):
        yield result
    elif is_dataclass(result):
        yield from _arrays([getattr(result, field.name) for field in fields(result)])
    elif isinstance(result, Mapping):
        yield from _arrays(list(result.values()))
    elif isinstance(result, list | tuple):
        for one in result:
            yield from _arrays(one)


def _size(result: Any) -> int:
    return 4096 + sum(array.nbytes for array in _arrays(result))


def _sealed(result: V) -> V:
    """The same result, with arrays that refuse to be written to."""
    for array in _arrays(result):
        array.flags.writeable = False
    return result
