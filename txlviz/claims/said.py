"""A claim in words: its sentences filled in with numbers, and what each number is. For the command and the page alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from txlviz.claims.inputs import PRESETS
from txlviz.content import sections

PAGE = "claims_checked"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def sentence(number: int) -> str:
    """The claim itself."""
    return sections(PAGE)[f"claim_{number}"]


def rule(number: int) -> str:
    """The rule for the verdict, in words."""
    return sections(PAGE)[f"rule_{number}"]


def made(number: int) -> str:
    """Where such a claim is made."""
    return sections(PAGE)[f"made_{number}"]


def basis(number: int) -> str:
    """What the verdict rests on where that isn't a measurement of the claim itself: words to stand behind it, or none."""
    found = sections(PAGE).get(f"basis_{number}", "")
    return f", {found}" if found else ""


def short(number: int, numbers: Mapping[str, Any]) -> str:
    """The number that decides, in a few words."""
    return _filled(f"short_{number}", numbers)


def answer(number: int, numbers: Mapping[str, Any]) -> str:
    """What was measured, as Markdown."""
    found, stream = _filled(f"answer_{number}", numbers), f"answer_{number}_stream"
    recorded = stream in sections(PAGE) and "stream_flat_2l" in numbers and "stream_flat_4l" in numbers
    return f"{found} {_filled(stream, numbers)}" if recorded else found


def _filled(section: str, numbers: Mapping[str, Any]) -> str:
    return sections(PAGE)[section].format(**{name: _shown(value) for name, value in numbers.items()})


def rows(number: int, numbers: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """What was measured, a row each: what it is, and its values by ``2l``, ``4l`` or ``value``, or by what a table holds."""
    found = []
    known = dict(line.split(": ", 1) for line in sections(PAGE)[f"numbers_{number}"].splitlines() if line)
    for base, meaning in known.items():
        values = {size: numbers[f"{base}_{size}"] for size in PRESETS if f"{base}_{size}" in numbers}
        if base in numbers:
            values["value"] = numbers[base]
        tables = {name: table[base] for name, table in numbers.items() if isinstance(table, Mapping) and base in table}
        if values or tables:
            found.append((meaning, values or tables))
    return found


class _Number(float):
    """Is written as people write it: powers of ten, the minus sign, a space before the per cent."""

    def __format__(self, spec: str) -> str:
        shown = super().__format__(spec) if spec else f"{float(self):g}"
        if spec.endswith("e"):
            digits, power = shown.split("e")
            shown = "0" if float(self) == 0 else f"{digits} · 10{str(int(power)).translate(_RAISED)}"
        return shown.replace("-", "−").replace("%", " %")


def _shown(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _shown(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(one) for one in value]
    if isinstance(value, str):  # a word chosen by the rule, or a name, which stays as it is
        return sections(PAGE).get(f"word_{value}", value)
    return _Number(value) if isinstance(value, float) else value
