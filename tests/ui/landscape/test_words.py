"""The words of the Landscape page: all of them are said somewhere, and every system has its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from txlviz.content import sections
from txlviz.models.attentions import SYSTEMS
from txlviz.models.encodings import ENCODINGS as MODULES
from txlviz.ui.landscape.words import ATTENTIONS, ENCODINGS, PAGE, both_colours, labels, look

ROOT = Path(__file__).parents[3]
BUILT = re.compile(
    r"layer_of|(name|paper|base|order|title|near|far|short|row|drawn|encoding|axis|stride|says|table|bar|runs|formula|gives)_[\w-]+"
)


def test_every_section_and_label_is_used() -> None:
    folders = [*(ROOT / "txlviz").glob("*/landscape*"), ROOT / "pages"]
    files = [file for folder in folders for file in ([folder] if folder.is_file() else folder.rglob("*"))]
    code = "".join(file.read_text(encoding="utf-8") for file in files if file.suffix in (".py", ".js"))
    names = [*labels(), *(key for key in sections(PAGE) if key != "labels")]
    assert not [key for key in names if not BUILT.fullmatch(key) and not re.search(rf"\b{key}\b", code)]


def test_the_page_has_all_systems_that_there_are() -> None:
    assert set(ATTENTIONS) == set(SYSTEMS)
    assert set(ENCODINGS) == set(MODULES)


@pytest.mark.parametrize("system", ATTENTIONS)
def test_each_attention_system_has_its_words(system: str) -> None:
    assert {f"{what}_{system}" for what in ("name", "paper", "order", "title", "near")} <= set(labels())
    assert {f"formula_{system}", f"gives_{system}"} <= set(sections(PAGE))


@pytest.mark.parametrize("system", ENCODINGS)
def test_each_position_system_has_its_words(system: str) -> None:
    assert {f"encoding_{system}", f"paper_encoding_{system}", f"drawn_{system}", f"short_{system}"} <= set(labels())
    assert {f"formula_encoding_{system}", f"gives_encoding_{system}"} <= set(sections(PAGE))


@pytest.mark.parametrize("systems", [ATTENTIONS, (*ENCODINGS, "xl-recurrent", "shaw-recurrent")])
def test_no_two_systems_look_alike(systems: tuple[str, ...]) -> None:
    looks = [look(system) for system in systems]
    assert len({(one.colour, one.symbol) for one in looks}) == len(systems)
    assert len({one.symbol for one in looks}) == len(systems)  # for eyes that tell no hues


def test_the_models_keep_their_colours() -> None:
    assert both_colours("xl") == ("#332288", "#A79BF2")
    assert both_colours("segments") == both_colours("sinusoids") == ("#6B6B6B", "#ABABAB")
