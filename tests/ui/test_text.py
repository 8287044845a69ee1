"""The prose of the pages is found, and short."""

from __future__ import annotations

import pytest

from txlviz.content import sections
from txlviz.ui.text import Words, prose

FOLDED = {"fold_text", "scores_title"}
INSTEAD = {"weak", "no_arc", "missing", "no_scores", "factor_less", "factor_same"}  # shown in the place of others
INSTEAD |= {"segments_no_memory", "one_segment", "other_script"}  # the last one for few texts only
ASKED_FOR = {"help_token", "help_probability", "help_nats", "help_perplexity"}  # behind a question mark


def test_sections_are_cut_by_their_headings() -> None:
    assert prose("common", "empty").startswith("The text box is empty")
    with pytest.raises(KeyError):
        prose("common", "no such section")


def test_what_stands_above_the_first_heading_is_no_section() -> None:
    assert all("Sections are looked up" not in body for body in sections("start").values())


def test_the_start_page_has_at_most_250_words() -> None:
    shown = [body for key, body in sections("start").items() if key not in FOLDED | INSTEAD | ASKED_FOR]
    words = sum(len(body.split()) for body in shown)
    assert words <= 250


def test_words_fill_in_values_and_leave_formulas_alone() -> None:
    words = Words("the_study")
    assert words.prose("title") == prose("the_study", "title")
    assert words.prose("lower", percent="21.5").startswith("21.5")
    assert "{" in Words("context_fragmentation").prose("formula")


def test_labels_are_one_a_line() -> None:
    cone = Words("recurrence_and_memory").labels("cone_labels")
    assert cone["lens_reach"] == "can reach"
    assert Words("recurrence_and_memory").labels("cone_labels") is cone
    assert Words("relative_positions").labels() != cone
    assert "14" in Words("context_fragmentation").label("filling", L=64, done=14)
