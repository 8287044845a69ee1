"""The study's page, control by control, without a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.opening import component, open_page
from tests.pages.test_words import shown, words
from txlviz.figures.study import SECONDS
from txlviz.recorded import RecordError
from txlviz.ui import models
from txlviz.ui.study import curves, scores, tokens
from txlviz.ui.study.runs import Runs

ROOT = Path(__file__).parents[2]
PRESETS = ("wikitext2-2l", "wikitext2-4l")
PROSE = {"title", "header", "subheader", "caption", "markdown", "info", "warning"}


def opened(**address: str) -> AppTest:
    return open_page("pages/the_study.py", address)


def charts(at: AppTest) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in component(at, "chart")}


def facts(at: AppTest, name: str) -> list[dict[str, Any]]:
    (chart,) = [chart for key, chart in charts(at).items() if key.startswith(name)]
    return [dict(zip(chart["heads"], row, strict=True)) for row in chart["rows"]]


def said(at: AppTest) -> str:
    return "\n".join(one.value for kind in (at.markdown, at.caption, at.info, at.warning) for one in kind)


def runs(preset: str) -> Runs:
    cards = {kind: models.card(preset, kind) for kind in ("xl", "vanilla")}
    path = ROOT / "checkpoints" / preset / "study.json"
    return Runs(preset, cards, json.loads(path.read_text(encoding="utf-8")))


def gain(preset: str, split: str) -> float:
    xl, vanilla = (models.card(preset, kind)["scores"][split]["token_perplexity"] for kind in ("xl", "vanilla"))
    return 100 * (1 - xl / vanilla)


def numbers(preset: str) -> Iterator[str]:
    """The answers, as they would stand on the page."""
    for split in ("valid", "test"):
        yield f"{gain(preset, split):.1f}"
        yield f"{models.card(preset, 'xl')['scores'][split]['token_perplexity']:.1f}"


@pytest.mark.parametrize("preset", PRESETS)
def test_before_the_guess_nothing_tells_the_answer(preset: str) -> None:
    at = opened(preset=models.layers_label(preset))
    everything = said(at) + json.dumps(list(charts(at).values())) + "".join(str(table.value) for table in at.table)
    assert not [number for number in numbers(preset) if re.search(rf"\b{re.escape(number)}", everything)]
    assert facts(at, "scores")[0]["Model"] == "Vanilla, segments"
    assert "Transformer-XL" not in [row["Model"] for row in facts(at, "scores")]
    assert len(at.header) == 0
    assert at.button(key="study_reveal").label == "Reveal"


@pytest.mark.parametrize("preset", PRESETS)
def test_the_answer_beside_the_guess(preset: str) -> None:
    at = opened(preset=models.layers_label(preset))
    at.slider(key="study_percent").set_value(12).run()
    at.button(key="study_reveal").click().run()
    text = said(at)
    assert f"You guessed 12 % lower. Measured on validation, per token: **{gain(preset, 'valid'):.1f} % lower**" in text
    assert f"Measured on test, per token: **{gain(preset, 'test'):.1f} % lower**" in text
    assert len(at.header) == 3
    assert at.query_params["guess"] == "12"
    assert at.query_params["revealed"] == "1"
    at.button(key="study_reveal").click().run()
    assert len(at.header) == 0
    assert "revealed" not in at.query_params


@pytest.mark.parametrize(("percent", "shown_as"), [(-20, "20 % *higher*"), (60, "60 % lower")])
def test_guesses_at_both_ends(percent: int, shown_as: str) -> None:
    at = opened()
    at.slider(key="study_percent").set_value(percent).run()
    at.button(key="study_reveal").click().run()
    assert f"You guessed {shown_as}" in said(at)


def test_who_never_moved_the_slider_is_told_the_answer_only() -> None:
    at = opened(revealed="1")
    assert "You guessed" not in said(at)
    assert f"per token: **{gain('wikitext2-4l', 'valid'):.1f} % lower**" in said(at)


@pytest.mark.parametrize(("guess", "value"), [("7", 7), ("999", 60), ("x", 0)])
def test_the_address_is_read(guess: str, value: int) -> None:
    assert opened(guess=guess).slider(key="study_percent").value == value


def test_the_layers_follow_the_strip_and_lead_it() -> None:
    at = opened(revealed="1")
    at.button_group(key="study_layers").set_value("wikitext2-2l").run()
    assert at.button_group(key="preset").value == "wikitext2-2l"
    assert f"**{gain('wikitext2-2l', 'valid'):.1f} % lower**" in said(at)
    at.button_group(key="preset").set_value("wikitext2-4l").run()
    assert at.button_group(key="study_layers").value == "wikitext2-4l"
    assert f"**{gain('wikitext2-4l', 'valid'):.1f} % lower**" in said(at)


@pytest.mark.parametrize("split", ["valid", "test"])
@pytest.mark.parametrize("quantity", scores.QUANTITIES)
def test_every_measure_on_every_split(split: str, quantity: str) -> None:
    at = opened(revealed="1")
    at.button_group(key="study_split").set_value(split)
    at.button_group(key="study_quantity").set_value(quantity).run()
    found = {row["Model"]: list(row.values())[1] for row in facts(at, "scores")}
    for kind, name in (("xl", "Transformer-XL"), ("vanilla", "Vanilla, segments")):
        assert found[name] == pytest.approx(models.card("wikitext2-4l", kind)["scores"][split][quantity], rel=1e-5)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_table_has_all_scores_with_their_settings(preset: str) -> None:
    at = opened(revealed="1", preset=models.layers_label(preset))
    table = at.table[0].value
    for split, title in (("valid", "Validation"), ("test", "Test")):
        for kind, name in (("xl", "Transformer-XL"), ("vanilla", "Vanilla, segments")):
            score = models.card(preset, kind)["scores"][split]
            assert table.loc[f"{title}: {name}"].tolist() == [
                f"{score['token_perplexity']:.2f}",
                f"{score['word_perplexity']:.1f}",
                f"{score['bits_per_byte']:.3f}",
                f"64, {score['memory_length']}, 1, 64",
            ]
    best = runs(preset).record["scores"]
    assert len(table) == 4 + len(best)
    for split, title in (("valid", "Validation"), ("test", "Test")):
        if split in best:
            row = table.loc[f"{title}: Vanilla, stride 1"].tolist()
            assert row[0] == f"{best[split]['vanilla_best']['token_perplexity']:.2f}"
            assert row[3] == "64, 0, 1, 1"
    assert "AWD-LSTM" in said(at)
    assert "Published" in said(at)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_curves_are_the_cards(preset: str) -> None:
    at = opened(revealed="1", preset=models.layers_label(preset))
    rows = facts(at, "loss-curves")
    seconds = runs(preset).record["steps"]["seconds"]
    for kind, name in (("xl", "Transformer-XL"), ("vanilla", "Vanilla, segments")):
        curve = models.card(preset, kind)["curve"]
        mine = [row for row in rows if row["Model"] == name and row["Loss on"] == "validation"]
        valid = [(s, v) for s, v in zip(curve["step"], curve["valid_loss"], strict=True) if v is not None]
        assert [row["Step"] for row in mine] == [step for step, _ in valid]
        assert [row["Loss (nats a token)"] for row in mine] == pytest.approx([loss for _, loss in valid], abs=1e-5)
        assert mine[-1][SECONDS] == pytest.approx(valid[-1][0] * seconds[kind], rel=1e-4)
    at.button_group(key="study_by").set_value("seconds").run()
    (title,) = [chart["title"] for name, chart in charts(at).items() if name.startswith("loss-curves")]
    below, points = curves.below(runs(preset), "seconds")
    assert title == f"At equal time the Transformer-XL's loss is lower at {below} of the vanilla model's {points} points"


@pytest.mark.parametrize("preset", PRESETS)
def test_who_learns_faster_is_said_in_numbers(preset: str) -> None:
    found = curves.pace(runs(preset))
    assert found.tokens is not None
    assert found.time is not None
    last = {kind: models.card(preset, kind)["curve"]["valid_loss"][-1] for kind in ("xl", "vanilla")}
    assert found.ahead == pytest.approx(last["vanilla"] - last["xl"])
    text = said(opened(revealed="1", preset=models.layers_label(preset)))
    assert f"**{100 * found.tokens:.0f} %** of the tokens" in text
    assert f"**{100 * found.time:.0f} %** of the vanilla model's time" in text


def pair(xl: float, vanilla: list[float], seconds: dict[str, float]) -> Runs:
    """Made-up runs: the Transformer-XL comes down by ``xl`` each 100 steps."""
    steps = [100, 200, 300, 400]
    made = {"xl": [6 - xl * n for n in range(1, 5)], "vanilla": vanilla}
    cards = {kind: {"curve": {"step": steps, "valid_loss": losses}} for kind, losses in made.items()}
    return Runs("made up", cards, {"steps": {"seconds": seconds}} if seconds else {})


@pytest.mark.parametrize(
    ("xl", "seconds", "expected"),
    [
        (1.0, {"xl": 1.0, "vanilla": 1.0}, "Faster by tokens and by time."),
        (1.0, {"xl": 5.0, "vanilla": 1.0}, "*not* by time"),
        (1.0, {"xl": 1.95, "vanilla": 1.0}, "by time it is close"),
        (1.0, {}, "aren't recorded"),
        (0.1, {"xl": 1.0, "vanilla": 1.0}, "never came down"),
    ],
)
def test_each_outcome_has_its_words(xl: float, seconds: dict[str, float], expected: str) -> None:
    assert expected in curves.said(pair(xl, [4.5, 4.3, 4.1, 4.0], seconds))


@pytest.mark.parametrize("preset", PRESETS)
def test_where_it_loses(preset: str) -> None:
    record = runs(preset).record
    at = opened(revealed="1", preset=models.layers_label(preset))
    for how, one in record["gap"].items():
        at.button_group(key="study_against").set_value(how).run()
        assert f"The Transformer-XL loses on **{100 * one['lost']:.0f} %** of the {sum(one['counts']):,}" in said(at)
        assert [row["Tokens"] for row in facts(at, "difference")] == one["counts"]


@pytest.mark.parametrize("preset", PRESETS)
def test_which_tokens_gain(preset: str) -> None:
    found = runs(preset).record["recurrences"]
    at = opened(revealed="1", preset=models.layers_label(preset))
    rows = facts(at, "gain-from-memory")
    assert len(rows) == 2 * len(found["classes"])
    for row in rows:
        (one,) = [one for one in found["classes"] if one["name"] == row["Last seen, tokens back"]]
        assert row["Gain from memory (nats)"] == pytest.approx(one["gain"][str(row["M"])]["mean"], rel=1e-4)
        assert row["Tokens"] == one["tokens"]
    beyond = found["beyond"]["beyond"]["gain"]["256"]["mean"]
    assert f"more than 64 tokens back gain **{beyond:.2f}** nats" in said(at)
    assert "They gain more." in said(at)


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(0.1, 0.2, "They gain more."), (-0.2, -0.1, "They gain less."), (-0.1, 0.1, "No clear")]
)
def test_the_verdict_follows_the_interval(low: float, high: float, expected: str) -> None:
    found = json.loads(json.dumps(runs("wikitext2-4l").record["recurrences"]))
    found["beyond"]["difference"]["256"] = {"mean": (low + high) / 2, "low": low, "high": high}
    found["same_frequency"]["256"] = {"mean": 0.0, "low": -1.0, "high": 1.0}
    assert f"**{expected}" in tokens.said(found, 64, "256")


def test_texts_are_shown_as_they_are() -> None:
    at = opened(revealed="1")
    record = runs("wikitext2-4l").record["texts"]
    code = [one.value for one in at.code]
    assert record["prompt"] in code
    for kind in ("xl", "vanilla"):
        assert record[kind]["text"].strip() in code
        assert record[kind]["text"].strip() not in said(at)
    commands = code[-1].splitlines()
    assert commands == [
        "python -m txlviz train wikitext2-4l xl --threads 1",
        "python -m txlviz train wikitext2-4l vanilla --threads 1",
        "python -m txlviz measure study wikitext2-4l",
    ]


def test_budget_and_settings_are_the_cards() -> None:
    at = opened(preset="2 layers")
    table = at.table[-1].value
    for kind, name in (("xl", "Transformer-XL"), ("vanilla", "Vanilla")):
        card = models.card("wikitext2-2l", kind)
        assert table.loc["Parameters", name] == f"{card['parameters']:,}"
        assert table.loc["Steps", name] == "7,225"
        assert table.loc["Learning rate at its top", name] == "0.0025"
        assert table.loc["torch", name] == card["versions"]["torch"]
    assert table.loc["Memory M in training"].tolist() == ["128", "–"]


def test_without_its_record_the_page_shows_what_the_cards_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RecordError("x: it was recorded with other weights than those that are here")

    at = opened(revealed="1")
    monkeypatch.setattr(models, "recorded", refuse)
    at.run()
    assert not at.exception
    assert "can't be shown" in said(at)
    assert f"**{gain('wikitext2-4l', 'valid'):.1f} % lower**" in said(at)
    assert "Step times aren't recorded" in said(at)
    assert len(at.header) == 1


def test_cards_without_scores_or_curve_end_in_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    at = opened(revealed="1")
    plain = models.card
    monkeypatch.setattr(models, "card", lambda *names: {"sha256": plain(*names)["sha256"]})
    at.run()
    assert not at.exception
    assert "scores" not in " ".join(charts(at))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_answer_too_has_at_most_250_words(preset: str) -> None:
    at = opened(revealed="1", guess="10", preset=models.layers_label(preset))
    counts = [(words(one), str(one.value)[:60]) for one in shown(at.main) if one.type in PROSE]
    assert sum(count for count, _ in counts) <= 250, counts
