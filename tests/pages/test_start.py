"""The Start page, control by control, without a browser."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import txlviz
from txlviz.analysis import story_file
from txlviz.ui import models
from txlviz.ui.story_view import percent

ROOT = Path(__file__).parents[2]
PRESET = "wikitext2-4l"


def opened(**address: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in address.items():
        at.query_params[name] = value
    return at.run()


@pytest.fixture
def page() -> AppTest:
    at = opened()
    assert not at.exception
    return at


@pytest.fixture(scope="module")
def record() -> Any:
    return story_file.read(ROOT / "checkpoints" / PRESET / "start.json")


def strips(at: AppTest) -> dict[str, dict[str, Any]]:
    """What the two strips were given, by their names."""
    assert not at.exception
    found = [one.proto for one in at.get("bidi_component") if one.proto.component_name == "txlviz_token_strip"]
    data = [json.loads(proto.json) for proto in found]
    return {"own" if one["name"] == "surprise" else "story": one for one in data}


def said(at: AppTest) -> str:
    return "\n".join(one.value for kind in (at.markdown, at.warning, at.info) for one in kind)


def test_the_story_is_shown_from_the_record(page: AppTest, record: Any) -> None:
    shown = strips(page)["story"]
    story = record.story
    assert shown["tokens"] == list(story.inputs)
    assert shown["segments"] == [0, 64, 128]
    assert shown["xl"][1:] == pytest.approx(story.xl[256].losses, abs=1e-4)
    assert shown["vanilla"][1:] == pytest.approx(story.vanilla.losses, abs=1e-4)
    assert [metric.value for metric in page.metric] == [percent(story.vanilla.probability), percent(story.xl[256].probability)]
    assert f"picked from {len(record.stories)}" in said(page)


@pytest.mark.parametrize("memory", [0, 16, 64, 256])
def test_the_memory_changes_bars_odds_and_arcs(page: AppTest, record: Any, memory: int) -> None:
    page.button_group(key="memory").set_value(memory).run()
    reading = record.story.xl[memory]
    shown = strips(page)["story"]
    assert page.metric[1].value == percent(reading.probability)
    assert shown["xl"][1:] == pytest.approx(reading.losses, abs=1e-4)
    assert [arc["value"] for arc in shown["arcs"]] == list(reading.changes)
    assert shown["memory"] == [max(0, 128 - memory), 128]
    assert ("there is no arc" in said(page)) == (memory == 0)


def test_the_average_is_the_cards(page: AppTest) -> None:
    valid = {kind: models.card(PRESET, kind)["scores"]["valid"] for kind in ("xl", "vanilla")}
    gap = 100 * (1 - valid["xl"]["token_perplexity"] / valid["vanilla"]["token_perplexity"])
    assert f"**{gap:.0f} % lower**" in said(page)
    table = page.table[0].value
    assert table["per word"].tolist() == [f"{valid[kind]['word_perplexity']:.1f}" for kind in ("xl", "vanilla")]
    assert table["bits per byte"].tolist() == [f"{valid[kind]['bits_per_byte']:.3f}" for kind in ("xl", "vanilla")]


@pytest.mark.parametrize(
    "text",
    [
        "The king",
        "a",
        "emoji 😀👨‍👩‍👧 here",
        "مرحبا بالعالم",
        "你好,世界",
        "nul \0 bell \a escape \x1b",
        "an <unk> and @-@",
        "<b>bold</b><script>alert(1)</script>",
        "# head\n- **stars** [link](http://x) `code`",
        "$x^2$ \\frac{1}{2} :smile: :red[x]",
        "line\r\nline\n\n\nline   ",
        "x" * 500,
    ],
)
def test_any_text_works_and_is_data(page: AppTest, text: str) -> None:
    page.text_area(key="text").set_value(text).run()
    run = txlviz.trace(models.checkpoint(PRESET, "xl"), text, 64, page.slider(key="M").value, record=[])
    shown = strips(page)["own"]
    assert shown["tokens"] == run.inputs
    assert shown["xl"][1:] == pytest.approx(run.losses.tolist(), abs=1e-3)
    assert not page.warning
    assert len(text) < 3 or text not in said(page)


def test_sliders_change_the_computation(page: AppTest) -> None:
    text = "The river rises in the hills and flows past the mill. " * 4
    page.text_area(key="text").set_value(text)
    page.slider(key="L").set_value(8)
    page.slider(key="M").set_value(24).run()
    shown = strips(page)["own"]
    run = txlviz.trace(models.checkpoint(PRESET, "xl"), text, 8, 24, record=[])
    np.testing.assert_allclose(shown["xl"][1:], run.losses, atol=1e-3)
    assert shown["segments"] == [segment.start for segment in run.segments]
    assert shown["memory"][1] - shown["memory"][0] == 24
    page.button_group(key="preset").set_value("wikitext2-2l").run()
    run = txlviz.trace(models.checkpoint("wikitext2-2l", "vanilla"), text, 8, record=[])
    np.testing.assert_allclose(strips(page)["own"]["vanilla"][1:], run.losses, atol=1e-3)


@pytest.mark.parametrize("text", ["", "   ", "\n\t\n"])
def test_no_text_gets_a_sentence_and_keeps_the_last_one(page: AppTest, text: str) -> None:
    page.text_area(key="text").set_value("The king said that").run()
    before = strips(page)["own"]["tokens"]
    page.text_area(key="text").set_value(text).run()
    assert "empty" in page.warning[0].value
    assert strips(page)["own"]["tokens"] == before
    assert page.text_area(key="text").value == text


def test_a_long_text_names_the_limit_and_goes_on(page: AppTest) -> None:
    page.text_area(key="text").set_value("word " * 20_000).run()
    assert "the limit is 2,000" in page.warning[0].value
    assert len(strips(page)["own"]["tokens"]) == 2_001
    assert "text" not in page.query_params


def test_the_address_opens_what_it_says() -> None:
    at = opened(text="The old mill by the river", L="8", M="3", preset="2 layers", token="4")
    shown = strips(at)["own"]
    assert shown["tokens"][1] == "The"
    assert shown["selected"] == 4
    assert (at.slider(key="L").value, at.slider(key="M").value) == (8, 3)
    assert at.button_group(key="preset").value == "wikitext2-2l"


@pytest.mark.parametrize(
    "address",
    [
        {"L": "0"},
        {"L": "99999"},
        {"M": "-3"},
        {"M": "x"},
        {"preset": "../../etc"},
        {"token": "99999"},
        {"token": "-1"},
        {"token": "²"},
        {"text": "  "},
        {"text": "<script>alert(1)</script>"},
    ],
)
def test_a_made_up_address_works(address: dict[str, str]) -> None:
    at = opened(**address)
    assert len(strips(at)) == 2
    assert strips(at)["own"]["selected"] is None


def test_other_scripts_get_a_note(page: AppTest) -> None:
    page.text_area(key="text").set_value("你好,世界。").run()
    assert "English only" in said(page)


def test_without_a_record_the_rest_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(models.CHECKPOINTS, tmp_path / "c")
    monkeypatch.setattr(models, "CHECKPOINTS", tmp_path / "c")
    file = tmp_path / "c" / PRESET / "start.json"
    changed = json.loads(file.read_text())
    changed["sha256"]["xl"] = "0" * 64
    file.write_text(json.dumps(changed))
    at = opened()
    assert "other weights" in at.code[0].value
    assert list(strips(at)) == ["own"]
    file.unlink()
    assert "record start" in opened().code[0].value


@pytest.mark.parametrize("memory", [0, 16, 64, 256])
def test_the_factors_are_the_records(page: AppTest, record: Any, memory: int) -> None:
    page.button_group(key="memory").set_value(memory).run()
    story = record.story
    reading = story.xl[memory].probability
    shown = next(one.value for one in page.markdown if one.value.startswith(f"With a memory of {memory}, the"))
    others = {"the vanilla model does": story.vanilla.probability, "without memory": story.xl[0].probability}
    for words, other in others.items():
        if memory == 0 and words == "without memory":
            assert words not in shown
            continue
        part = next(part for part in shown.split(";") if words in part)
        factor = max(reading / other, other / reading)
        assert (f"{float(f'{factor:.2g}'):g} times" in part) == (factor >= 1.2)
        assert ("less* likely" in part) == (other / reading >= 1.2)


def test_the_difference_is_told_by_segment(page: AppTest) -> None:
    text = page.text_area(key="text").value
    run = txlviz.trace(models.checkpoint(PRESET, "xl"), text, 64, 256, record=[])
    other = txlviz.trace(models.checkpoint(PRESET, "vanilla"), text, 64, record=[])
    difference = run.losses - other.losses
    first, *later = (difference[start : start + 64].mean() for start in range(0, len(difference), 64))
    assert f"minus vanilla: **{first:+.2f}** in the first segment, where its memory is empty" in said(page)
    assert f"**{', '.join(f'{one:+.2f}' for one in later)}** later." in said(page)
    page.text_area(key="text").set_value("The king said").run()
    assert "fits into one segment" in said(page)


def test_segments_longer_than_trained_get_a_sentence(page: AppTest) -> None:
    assert not [one for one in page.caption if "longer than the segments" in one.value]
    page.slider(key="L").set_value(65).run()
    assert [one for one in page.caption if "L = 65 is longer than the segments of 64 tokens" in one.value]


def test_the_address_is_kept_in_bounds() -> None:
    at = opened(L="99999", M="-3", preset="5 layers", memory="70")
    assert (at.slider(key="L").value, at.slider(key="M").value) == (256, 0)
    assert at.button_group(key="preset").value == PRESET
    assert at.button_group(key="memory").value == 64
