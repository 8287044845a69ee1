"""What the Landscape page measures: position systems, cost, and quality at the same budget."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import txlviz
from tests.pages.landscape_page import (
    CHECKPOINTS,
    ROOT,
    TEXT,
    charts,
    facts,
    opened,
    patterns,
    rows,
    said,
    settings,
)
from txlviz.analysis import landscape_record
from txlviz.analysis.landscape_record import LandscapeRecord
from txlviz.analysis.position_part import position_part
from txlviz.analysis.system_cost import position_cost, system_cost
from txlviz.models.attentions import Settings
from txlviz.recorded import RecordError
from txlviz.ui import models
from txlviz.ui.landscape import cost, encodings, paper, quality
from txlviz.ui.landscape.quality_charts import ROWS
from txlviz.ui.landscape.words import ATTENTIONS, ENCODINGS, encoding, label, name


@pytest.mark.parametrize("system", ENCODINGS)
def test_positions_are_the_trained_models(system: str) -> None:
    path = CHECKPOINTS / "landscape" / f"{system}-full"
    if not path.exists():
        pytest.fail(f"{path.name} isn't shipped")
    at = opened(positions=system, phead=2)
    found = position_part(txlviz.load(path), TEXT, 0, 64)
    header, arrays = patterns(at)[2]
    values = found.weights if found.scores is None else np.nan_to_num(found.scores)
    np.testing.assert_allclose(arrays["values"], values[1], atol=1e-6)
    assert header["tokens"] == found.inputs
    assert header["shown"] == ("weights" if system == "none" else "signed")
    curve = rows(charts(at)[f"txlviz-distance-{system}"])
    mean = found.weights_by_distance if found.by_distance is None else found.by_distance
    np.testing.assert_allclose([row["Head 2"] for row in curve], mean[1], rtol=1e-4, atol=1e-6)
    added = position_cost(models.checkpoint(cost.PRESET, "vanilla").config, system, 64)
    beside = facts(at)[2]
    assert beside["Adds a layer, n = 64"] == f"{added.flops + added.elementwise:,} operations"
    assert beside["Parameters"] == f"{added.parameters:,}"
    by_distance = system in ("shaw", "xl", "rotary", "alibi")
    assert beside["Reach, 2 layers"] == ("63 back (319 with M = 128)" if by_distance else "63 back")


def test_above_the_first_layer_absolute_positions_show_the_weights() -> None:
    at = opened(positions="sinusoids", player=2)
    assert patterns(at)[2][0]["shown"] == "weights"
    assert "mixed into the states" in facts(at)[2]["Drawn"]


def test_cost_by_formula_and_as_recorded() -> None:
    record = json.loads((CHECKPOINTS / cost.FILE).read_text(encoding="utf-8"))
    config, sizes = models.checkpoint(cost.PRESET, "vanilla").config, Settings(**record["settings"])
    at = opened(first="bigbird", w=3, block=4)
    flops = rows(charts(at)["txlviz-attention-flops"])
    for system in ATTENTIONS:
        of = {(row["Tokens n"], row["From"]): row["FLOPs"] for row in flops if row["System"] == name(system)}
        assert of[8192, "formula"] == pytest.approx(system_cost(config, system, 8192, sizes).flops, rel=1e-5)
        n = max(length for length, source in of if source == "formula, your text and sizes")
        own = system_cost(config, system, n, settings(window=3, block=4))
        assert of[n, "formula, your text and sizes"] == pytest.approx(own.flops, rel=1e-5)
    at.segmented_control(key="landscape_what").set_value("bytes").run()
    for fused in (False, True):
        at.toggle(key="landscape_fused").set_value(fused).run()
        memory = rows(charts(at)["txlviz-attention-bytes"])
        points = {(row["System"], row["Tokens n"]): row["Peak memory (bytes)"] for row in memory if row["From"] == "measured"}
        expected = {
            (name(one["name"]), one["n_tokens"]): pytest.approx(one["peak_bytes"], rel=1e-5)
            for one in record["attention"]
            if one["fused"] == fused
        }
        assert points == expected
        assert any(row["From"] == "formula" for row in memory) != fused


def test_cost_of_position_systems() -> None:
    record = json.loads((CHECKPOINTS / cost.FILE).read_text(encoding="utf-8"))
    at = opened(group="position", what="seconds", positions="rotary")
    points = {(row["System"], row["Tokens n"]): row["Seconds"] for row in rows(charts(at)["txlviz-position-seconds"])}
    assert points == {
        (encoding(one["name"]), one["n_tokens"]): pytest.approx(one["seconds"], rel=1e-5)
        for one in record["position"]
        if not one["fused"]
    }
    assert at.table[0].value.columns.tolist() == ["RoPE"]
    assert f"One layer, n tokens. Points: measured on {record['machine']}." in said(at)
    assert "Stars" not in said(at)
    at.segmented_control(key="landscape_what").set_value("flops")
    at.segmented_control(key="landscape_group").set_value("attention").run()
    assert "One layer, n tokens. Lines: formula. Stars: your text and sizes." in said(at)


def test_without_recorded_points_there_are_lines_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RecordError("x: it was recorded with other weights")

    at = opened()
    monkeypatch.setattr(models, "recorded", refuse)
    at.segmented_control(key="landscape_what").set_value("bytes").run()
    assert {row["From"] for row in rows(charts(at)["txlviz-attention-bytes"])} == {"formula", "formula, your text and sizes"}
    assert "points haven't been recorded" in said(at)
    at.segmented_control(key="landscape_what").set_value("seconds").run()
    assert not at.exception
    assert "Nothing has been recorded" in said(at)


def run(word: float, **others: object) -> dict[str, Any]:
    way = {"loss": 4.0, "token_perplexity": 54.6, "word_perplexity": word}
    plain = {"prefix": {"tokens": 300, "loss_by_stride": {"64": 4.0, "32": 3.9, "1": 3.8}}}
    base = {
        "parameters": 1234,
        "targets": 5678,
        "headline": "segments",
        "ways": {"segments": way},
        "by_length": [4.2, 4.0, 5.0],
    }
    return {**base, **plain, **others}


@pytest.fixture
def made_record(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    runs = {
        "sinusoids-full": run(220.0),
        "sinusoids-half": run(200.0),
        "xl-full": run(180.0),
        "learned-full": run(210.0, by_length=[4.3, 4.1, None]),
        "xl-recurrent-full": run(150.0),
    }
    del runs["xl-recurrent-full"]["prefix"]
    common = {
        "lengths": [32, 64, 128],
        "segment_length": 64,
        "length_tokens": 60_000,
        "memory": {"lengths": [128], "shares": [1.0], "restart": 0.0},
        "steps": 722,
        "batch_size": 32,
    }
    monkeypatch.setattr(quality, "read", lambda: LandscapeRecord(common, runs))
    return runs


def test_quality_says_what_encoding_and_recurrence_take_off(made_record: dict[str, dict[str, Any]]) -> None:
    at = opened()
    assert "takes **10.0 %** off the perplexity of sinusoids at their best (here with the half loss)" in said(at)
    assert "Sinusoids −9.1 %" in said(at)
    assert "recurrence on top **16.7 %**, both **25.0 %** (the paper, against sinusoids with the half loss" in said(at)
    assert "in its table: 4.5, 8.7, 12.8)" in said(at)
    ours = rows(charts(at)["txlviz-ablation-ours"])
    assert {(row["System"], row["Loss"]): row["Perplexity per word"] for row in ours} == {
        ("Recurrence + XL enc.", "loss on the whole segment"): 150,
        ("XL enc. alone", "loss on the whole segment"): 180,
        ("Sinusoids", "loss on the whole segment"): 220,
        ("Sinusoids", "loss on its second half"): 200,
        ("Learned", "loss on the whole segment"): 210,
    }
    lengths = rows(charts(at)["txlviz-lengths"])
    assert [row["Learned (nats a token)"] for row in lengths] == [4.3, 4.1, None]
    assert list(charts(at)["txlviz-windows"]["heads"][1:]) == [
        f"{name} (nats a token)" for name in ("Sinusoids", "Learned", "XL")
    ]
    assert charts(at)["txlviz-ablation-ours"]["title"].endswith("each help, together most")
    assert "Shaw’s" not in said(at)
    made_record |= {"shaw-full": run(160.0), "shaw-recurrent-full": run(168.0)}
    at.run()
    assert "With Shaw’s encoding recurrence takes off **−5.0 %** (the paper: 6.1)" in said(at)
    made_record["xl-recurrent-full"]["ways"]["segments"]["word_perplexity"] = 190.0
    at.run()
    assert "each help" not in charts(at)["txlviz-ablation-ours"]["title"]
    del made_record["xl-full"]
    at.run()
    assert "off the perplexity" not in said(at)


def test_every_recorded_run_stands_in_the_table() -> None:
    record = landscape_record.read(CHECKPOINTS / "landscape")
    at = opened()
    (table,) = [one.value for one in at.table if "Run" in one.value.columns]
    assert table["Run"].tolist() == list(record.runs)
    for line, one in zip(table.to_dict("records"), record.runs, strict=True):
        found = record.headline(one)
        assert line["PPL token, word"] == f"{found['token_perplexity']:.1f}, {found['word_perplexity']:.1f}"
        moved = record.runs[one].get("prefix", {}).get("loss_by_stride")
        expected_window = f"{np.exp(moved['64']):.1f} → {np.exp(moved['1']):.1f}" if moved else "–"
        assert line["Sliding"] == expected_window
    ours = charts(at).get("txlviz-ablation-ours")
    shown = [row["Perplexity per word"] for row in rows(ours)] if ours else []
    expected = [
        record.headline(f"{row}-{loss}")["word_perplexity"]
        for row in ROWS
        for loss in ("full", "half")
        if f"{row}-{loss}" in record.runs
    ]
    assert shown == pytest.approx(expected, rel=1e-5)


def test_without_the_runs_the_papers_table_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise RecordError(f"{CHECKPOINTS}/landscape/record.json: there is no record that can be read")

    monkeypatch.setattr(quality, "read", refuse)
    at = opened()
    assert "haven't been recorded" in said(at)
    assert any("python -m txlviz measure landscape" in one.value for one in at.code)
    assert not any(str(ROOT) in one.value for one in at.code)
    assert at.table[-1].value["PPL best"].tolist() == [f"{one.best:.2f}" for one in paper.TABLE_6]


def test_the_papers_table_is_quoted_as_printed() -> None:
    assert [tuple(row) for row in paper.table().itertuples(index=False, name=None)] == [
        ("✓ Ours, full", "27.02", "26.77", "500"),
        ("✓ Shaw et al. (2018), full", "27.94", "27.94", "256"),
        ("✓ Ours, half", "28.69", "28.33", "460"),
        ("✗ Ours, full", "29.59", "29.02", "260"),
        ("✗ Ours, half", "30.10", "30.10", "120"),
        ("✗ Shaw et al. (2018), full", "29.75", "29.75", "120"),
        ("✗ Shaw et al. (2018), half", "30.50", "30.50", "120"),
        ("✗ Vaswani et al. (2017), half", "30.97", "30.97", "120"),
        ("✗ Al-Rfou et al. (2018), half (Transformer, 128M)", "31.16", "31.16", "120"),
        ("✓ Ours, full (151M)", "23.43", "23.09", "640"),
        ("✓ Ours, full (151M)", "", "23.16", "450"),
        ("✓ Ours, full (151M)", "", "23.35", "300"),
    ]


def test_a_missing_model_of_positions_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "FOLDER", "nowhere")
    at = opened()
    assert not at.exception
    assert "isn't here" in said(at)


def test_the_gains_name_what_they_are_measured_from_here_and_in_the_paper() -> None:
    """Sinusoids are best with the full loss here; the paper's table has them with the half loss only."""
    shape = quality.said(quality.read())
    ours = min(("full", "half"), key=lambda loss: quality.read().headline(f"sinusoids-{loss}")["word_perplexity"])
    assert f"(here with {label(f'base_{ours}')})" in shape
    assert {one.half for one in paper.TABLE_6 if one.row == "sinusoids"} == {True}
    assert f"the paper, against sinusoids with {label('base_half')}" in shape
    assert paper.best_loss("xl") == "full"
