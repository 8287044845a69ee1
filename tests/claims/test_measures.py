"""What claims measure, against definitions that are written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.claims.stub import Small
from txlviz.analysis.evaluate import evaluate, stream_losses
from txlviz.analysis.paper import RECL
from txlviz.analysis.trace import trace
from txlviz.claims import (
    CLAIMS,
    NOT,
    OPEN,
    Inputs,
    half_loss,
    learning,
    length,
    linformer,
    longer_memory,
    memory,
    paper,
    parameters,
    quality,
    reach,
    related,
    sparse,
    speed,
    terms,
)
from txlviz.models.positions import sinusoids


def span(N: int, L: int, M: int, p: int) -> int:
    """Of N layers at position p of a segment, memories full."""
    return p + M + (N - 1) * L * math.ceil(M / L) if M else p


def test_spans_are_the_formulas() -> None:
    found = reach.segments_of_512(Inputs())
    assert found["first"] == [span(N, 512, 512, 0) for N in range(4, 9)]
    assert found["last"] == [span(N, 512, 512, 511) for N in range(4, 9)]
    assert found["one_row"] == [span(N, 512, 1, 0) for N in range(4, 9)]
    assert found["no_memory_last"] == [511] * 5
    deep = reach.deep_models(Inputs())
    for L in (150, 256, 384, 512):
        assert deep[f"first_{L}"] == [span(N, L, L, 0) for N in range(12, 17)]


def test_what_relative_encoding_adds_is_counted_from_the_sizes() -> None:
    found = parameters.counts(Small())
    for size, N in (("2l", 2), ("4l", 4)):
        config = Small().model(size, "xl").config
        width = config.n_heads * config.d_head
        assert found[f"w_r_{size}"] == N * config.d_model * width
        assert found[f"u_{size}"] == found[f"v_{size}"] == N * width
        assert found[f"xl_{size}"] - found[f"vanilla_{size}"] == N * width * (config.d_model + 2)


def test_gains_are_those_of_the_perplexities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "MEMORIES", (0, 16))
    inputs = Small({"study.json": {"scores": {"valid": {"vanilla_best": {"token_perplexity": 100.0}}}}})
    found = quality.perplexity(inputs)
    xl, vanilla = (inputs.model("2l", kind) for kind in ("xl", "vanilla"))
    for M in (0, 16):
        ours, theirs = evaluate(xl, inputs.valid.text, 16, M).mean_loss, evaluate(vanilla, inputs.valid.text, 16).mean_loss
        assert found[f"gain_m{M}_2l"] == pytest.approx(100 * (1 - math.exp(ours - theirs)), rel=1e-3)
    assert found["best_gain_2l"] == pytest.approx(100 * (1 - found["xl_m16_2l"] / 100), rel=1e-3)


def test_pace_on_straight_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    """One loses a nat each 100 steps, the other two; a step of that other one takes 1.5 times as long."""
    steps = [0, 100, 200, 300, 400]
    curves = {"vanilla": [9.0 - n for n in range(5)], "xl": [9.0 - 2 * n for n in range(5)]}
    inputs = Small({"study.json": {"steps": {"seconds": {"xl": 0.3, "vanilla": 0.2}}}})
    plain = Small.model

    def with_curve(self: Small, size: str, kind: str):  # type: ignore[no-untyped-def]
        source = plain(self, size, kind)
        source.card["curve"] = {"step": steps, "valid_loss": curves[kind]}
        return source

    monkeypatch.setattr(Small, "model", with_curve)
    found = learning.pace(inputs)
    assert found["tokens_2l"] == pytest.approx(50.0)  # at step 200 of 400
    assert found["time_2l"] == pytest.approx(75.0)
    assert found["ahead_2l"] == pytest.approx(4.0)
    assert (found["below_tokens_2l"], found["points_2l"]) == (4, 5)  # they begin at the same loss


def test_a_term_costs_what_the_loss_rises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "TOKENS", 60)
    losses = {"xl-recurrent-full": 5.0} | {f"xl-recurrent-without-{term}": 5.0 + n for n, term in enumerate("abcd")}
    inputs = Small(losses=losses)
    found = terms.without_terms(inputs)
    assert [found[f"trained_cost_{term}"] for term in "abcd"] == [0.0, 1.0, 2.0, 3.0]
    source = inputs.model("4l", "xl")
    text = source.decode(source.encode(inputs.valid.text)[:60])
    ids = torch.tensor(source.inputs(text))
    plain = float(stream_losses(source.model, ids, 16, 16).mean())
    assert found["loss_4l"] == pytest.approx(plain, abs=1e-4)
    without = float(trace(source, text, 16, 16, without={"b"}).losses.mean())
    assert found["cost_b_4l"] == pytest.approx(without - plain, abs=1e-3)
    assert abs(found["cost_b_4l"]) > 1e-3


def test_rises_are_differences_of_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(length, "TOKENS", 80)
    monkeypatch.setattr(length, "LENGTHS", (16, 32))
    found = length.longer(Small())
    source = Small().model("2l", "vanilla")
    text = source.decode(source.encode(Small().valid.text)[:80])
    losses = [evaluate(source, text, L).mean_loss for L in (16, 32)]
    assert found["vanilla_2l"] == pytest.approx(losses, rel=1e-4)
    assert found["rise_vanilla_2l"] == pytest.approx(losses[1] - losses[0], abs=1e-4)
    assert found["encoding_learned"][1] is None
    assert found["rise_learned"] is None


def test_a_memory_and_a_longer_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "SHORT", 16)
    monkeypatch.setattr(memory, "LONG", 32)
    found = memory.memory_or_segment(Small())
    seen = [p + 1 + 16 for p in range(16)]
    assert found["keys_short"] == [min(seen), float(np.mean(seen)), max(seen)]
    assert found["keys_long"] == [1, 16.5, 32]
    assert found["first_2l"] < 1e-3  # nothing is older than the memory yet
    assert found["differ_2l"] > 50


SETTINGS = {"window": 32, "block": 16}


def test_lost_pairs_by_powers_of_the_mask() -> None:
    """Longformer's masks from their definition; a pair is joined by N layers where the N-th power of the mask is not zero."""
    found = sparse.pairs(Inputs())
    assert {name: found[name] for name in SETTINGS} == SETTINGS
    i, j = np.arange(512)[:, None], np.arange(512)[None, :]
    two_sided = (np.abs(i - j) <= 32) | (i == 0) | (j == 0)
    wanted = i - j > 64
    for name, mask in (("longformer", two_sided), ("longformer-causal", two_sided & (j <= i))):
        joined = np.eye(512)
        for layers in range(1, 9):
            joined = (joined @ mask > 0).astype(float)
            if layers in found["layers"]:
                lost = 100 * (1 - joined[wanted].mean())
                assert found[f"lost_{name}"][found["layers"].index(layers)] == pytest.approx(lost, rel=1e-4)
    assert found["nearest_longformer"] == 33
    assert found["left_longformer-causal"] == 8 * 32 + 1


def absolute(q: Tensor, k: Tensor) -> Tensor:
    """A score that positions enter by themselves."""
    n, m, width = q.shape[2], k.shape[2], q.shape[3]
    U = sinusoids(torch.arange(m), width)
    return (q + U[m - n :]) @ (k + U).transpose(-1, -2) / math.sqrt(width)


def contents(q: Tensor, k: Tensor) -> Tensor:
    """A score without positions."""
    return q @ k.transpose(-1, -2) / math.sqrt(q.shape[3])


def test_properties_tell_systems_apart() -> None:
    none = related._properties(contents, 0, 2, 8)
    assert {name: value for name, value in none.items() if value > 1e-5} == {}
    fixed = related._properties(absolute, 0, 2, 8)
    assert fixed["moved"] > 0.1
    assert fixed["query_by_distance"] > 0.1

    def bent(q: Tensor, k: Tensor) -> Tensor:
        n, m = q.shape[2], k.shape[2]
        distance = (torch.arange(m - n, m)[:, None] - torch.arange(m)).clamp(min=0).double()
        return contents(q, k) + distance.sqrt().float()

    found = related._properties(bent, 3, 2, 8)
    assert found["moved"] < 1e-4
    assert found["distance_bonus"] == pytest.approx(math.sqrt(63), rel=1e-2)
    assert found["query_by_distance"] < 1e-4
    assert found["bend"] > 0.1
    assert found["learned"] == 3


def test_linformer_is_read_from_its_record(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(rank: int | None, seed: int, right: tuple[float, float]) -> dict[str, object]:
        return {"rank": rank, "seed": seed, "stages": [{"n": n, "accuracy": a} for n, a in zip((32, 512), right, strict=True)]}

    runs = [run(None, 0, (1.0, 1.0)), run(32, 0, (0.9, 0.1)), run(32, 1, (0.7, 0.3)), run(128, 0, (0.5, 0.4))]
    lost = [[0.1, 0.05, 0.01], [0.2, 0.15, 0.11]]
    made = {"lookup": {"runs": runs, "chance": 0.0625}, "rank": {"lengths": [64, 128], "ranks": [16, 32, 128], "lost": lost}}
    monkeypatch.setattr(Inputs, "beside", lambda *_: made)
    found = linformer.long_text(Inputs())
    assert found["lengths"] == [32, 512]
    assert found["accuracy_full"] == [1.0, 1.0]
    assert found["accuracy_k32"] == pytest.approx([0.8, 0.2])
    assert found["accuracy_k128"] == [0.5, 0.4]
    assert found["missed_k32"] == [5.0, 15.0]
    assert found["missed_k128"] == [1.0, 11.0]
    assert (found["lowest_k32"], found["highest_k32"]) == ([0.7, 0.1], [0.9, 0.3])
    assert found["seeds"] == 2
    assert (found["converged"], found["stages"]) == (0, 8), "a record that doesn't say so: fixed steps"


def with_card(monkeypatch: pytest.MonkeyPatch, losses: dict[str, float], trained: list[int]) -> None:
    plain = Small.model

    def model(self: Small, size: str, kind: str):  # type: ignore[no-untyped-def]
        source = plain(self, size, kind)
        source.card.update({"valid_loss_by_memory": losses, "settings": {"memory": {"lengths": trained}}})
        return source

    monkeypatch.setattr(Small, "model", model)


def test_a_longer_memory_is_read_from_whatever_lengths_were_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Better at twice the M of training, worse at 16 times it."""
    with_card(monkeypatch, {"0": 4.0, "64": 3.8, "128": 3.7, "256": 3.69, "1024": 3.75, "2048": 3.9}, [0, 64, 128])
    found = longer_memory.by_memory(Small())
    assert (found["trained_4l"], found["longest_4l"], found["times_4l"]) == (128, 2048, 16.0)
    assert found["change_4l"] == pytest.approx(0.2)
    assert (found["least_4l"], found["most_4l"]) == pytest.approx((-0.01, 0.2))
    assert (found["times_small_xl"], found["change_small_shaw"]) == (2.0, -0.5)
    assert CLAIMS[23].judge(found) == "holds with conditions"


def test_where_no_longer_memory_was_recorded_the_claim_stays_open_for_the_shipped_models(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_card(monkeypatch, {"0": 4.0, "512": 3.6, "2048": 3.7}, [0, 64, 2048])
    monkeypatch.setattr(Small, "landscape_memories", lambda _: [256])
    found = longer_memory.by_memory(Small())
    assert (found["longest_2l"], found["trained_2l"], found["change_2l"]) == (2048, 2048, 0.0)
    assert CLAIMS[23].judge(found) == OPEN


def test_how_much_longer_is_computed_from_the_printed_table() -> None:
    found = paper.longer(Inputs())
    assert found["longer_rnn"][0] == pytest.approx(100 * (900 / 500 - 1))
    assert found["longer_vanilla"][0] == pytest.approx(100 * (700 / 128 - 1), rel=1e-3)
    assert found["xl_151"] == list(RECL["xl_151"])
    assert CLAIMS[24].judge(found) == "holds with conditions"


def test_the_papers_other_tables_are_as_printed() -> None:
    assert {name: paper.short_dependencies(Inputs())[name] for name in ("ours", "shaw", "no_recurrence")} == {
        "ours": 25.2,
        "shaw": 25.7,
        "no_recurrence": 27.1,
    }
    same = paper.equal_memory(Inputs())
    assert [same[f"{model}_full_best"] for model in ("recurrence", "plain")] == [26.77, 27.98]
    assert [same[f"{model}_half_best"] for model in ("recurrence", "plain")] == [28.33, 28.83]
    assert [same[f"plain_{loss}_length"] for loss in ("full", "half")] == [176, 172]


def test_both_losses_are_compared_in_one_reading() -> None:
    encodings = ("sinusoids", "learned", "xl", "shaw", "rotary", "alibi")
    full = {f"{one}-full {half_loss.READING}": 100.0 for one in encodings}
    half = {f"{one}-half {half_loss.READING}": 110.0 + n for n, one in enumerate(encodings)}
    found = half_loss.half_or_full(Small(losses=full | half))
    assert [found[f"change_{one}"] for one in encodings] == pytest.approx([10.0, 11.0, 12.0, 13.0, 14.0, 15.0])
    assert (found["least_relative"], found["most_relative"]) == (12.0, 15.0)
    assert CLAIMS[27].judge(found) == NOT


def test_evaluation_is_read_from_the_record_of_the_speed_page() -> None:
    def point(length: int, times: float) -> dict[str, float]:
        seconds = {"xl_seconds": 0.5, "vanilla_seconds": 0.5 * times}
        flops = {"xl_flops": 10, "vanilla_flops": 20 * times, "vanilla_segment_flops": 120}
        return {"attention_length": length, **seconds, **flops}

    found = speed.evaluation(
        Small({"eval_speed.json": {"segment_length": 64, "points": [point(64, 3.0), point(3800, 561.34)]}})
    )
    for size in ("2l", "4l"):
        assert found[f"times_{size}"] == [3.0, 561.3]
        assert (found[f"trained_{size}"], found[f"longest_{size}"]) == (3.0, 561.3)
        assert found[f"longest_flops_{size}"] == pytest.approx(1122.68, rel=1e-3)
        assert found[f"by_segment_{size}"] == 12.0
    assert found["lengths"] == [64, 3800]
