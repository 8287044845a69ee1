"""The README's section *Measured*, written from the records: Markdown, a function a part."""

from __future__ import annotations

import itertools
import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from txlviz.analysis.study import percent_lower
from txlviz.checkpoint import CARD
from txlviz.claims.inputs import KINDS, PRESETS
from txlviz.tasks import in_sight, record

Values = Mapping[str, Any]

EARLIER = {"2l": {"vanilla": 55.9, "xl": 46.1}, "4l": {"vanilla": 51.5, "xl": 40.4}}
"""Perplexity per token on valid of the first weights that were shipped, which were trained with M = 128."""
_MAIN = "4l"
_WIDTH = 128
_NAMES = {"vanilla": "vanilla in segments", "xl": "Transformer-XL"}
_SYSTEMS = {
    "none": "no positions",
    "sinusoids": "absolute sinusoids",
    "learned": "learned absolute",
    "alibi": "ALiBi",
    "shaw": "Shaw et al.",
    "rotary": "RoPE",
    "xl": "Transformer-XL's encoding",
    "longformer": "the same, our causal form of Longformer (window 32)",
    "xl-recurrent": "Transformer-XL's encoding and recurrence",
    "shaw-recurrent": "Shaw et al. and recurrence",
}


class Records:
    """Reads the records in a folder of checkpoints, and those of ``benchmarks``. OSError or KeyError where one is missing."""

    def __init__(self, folder: Path, benchmarks: Path) -> None:
        self._folder, self.benchmarks = folder, self._read(benchmarks)

    def card(self, size: str, kind: str) -> Values:
        """Of one model; ``size`` is ``2l`` or ``4l``."""
        return self._read(self._folder / PRESETS[size] / kind / CARD)

    def of(self, size: str, name: str) -> Values:
        """A record beside a preset's models."""
        return self._read(self._folder / PRESETS[size] / f"{name}.json")

    def beside(self, path: str) -> Values:
        """A record by its path below the folder."""
        return self._read(self._folder / path)

    @staticmethod
    def _read(path: Path) -> Values:
        values: Values = json.loads(path.read_text(encoding="utf-8"))
        return values


def measured(records: Records) -> str:
    """All of the section, without its heading."""
    parts = (
        _budget(records),
        _table(
            ("model", "parameters", "M", "perplexity per token", "first weights", "per word", "bits per byte"), _rows(records)
        ),
        _best(records),
        _memories(records),
        _table(("speed, on two cores", "measured", "by"), _speed(records)),
        f"What the pages record, on WikiText-2 valid unless said otherwise ({_layers(_MAIN)}; the 2-layer figures stand beside "
        "them on screen):",
        _table(("question", "measured"), _questions(records)),
        *_landscape(records),
    )
    return "\n\n".join(part if part.startswith("|") else textwrap.fill(part, _WIDTH) for part in parts)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    first, *lines = [f"| {' | '.join(cells)} |" for cells in (tuple(head), *rows)]
    return "\n".join([first, "|---" * (first.count("|") - 1) + "|", *lines])


def _layers(size: str) -> str:
    return f"{size.removesuffix('l')} layers"


def _and(parts: Iterable[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _budget(records: Records) -> str:
    budgets = []
    for size in PRESETS:
        one = records.card(size, "xl")["budget"]
        minutes = _and(f"{records.card(size, kind)['budget']['seconds'] / 60:.0f} ({_NAMES[kind]})" for kind in KINDS)
        steps = f"{one['steps']:,} steps of {one['batch_size']} × {one['segment_length']} tokens"
        budgets.append(f"with {_layers(size)} {steps}, {one['epochs']:.0f} epochs, in minutes {minutes}")
    L = records.card(_MAIN, "xl")["budget"]["segment_length"]
    return (
        f"WikiText-2, validation split, every token scored, one stream, L = {L}. Both models of a pair had the same budget: "
        f"{'; '.join(budgets)}. All of it by `python -m txlviz evaluate` from the files in `checkpoints/`; scores on test and "
        "the training curves stand in the cards."
    )


def _rows(records: Records) -> Iterator[tuple[str, ...]]:
    for size in PRESETS:
        vanilla = records.card(size, "vanilla")["scores"]["valid"]["token_perplexity"]
        for kind in reversed(KINDS):
            card = records.card(size, kind)
            one = card["scores"]["valid"]
            token = f"{one['token_perplexity']:.1f}"
            lower = percent_lower(one["token_perplexity"], vanilla)
            yield (
                f"{_layers(size)}, {_NAMES[kind]}",
                f"{card['parameters']:,}",
                f"{one['memory_length']:,}" if kind == "xl" else "–",
                f"**{token}** ({lower:.1f} % lower)" if kind == "xl" else token,
                f"{EARLIER[size][kind]}",
                f"{one['word_perplexity']:.1f}",
                f"{one['bits_per_byte']:.3f}",
            )


def _best(records: Records) -> str:
    scores, lower = [], []
    for size in PRESETS:
        best = records.of(size, "study")["scores"]["valid"]["vanilla_best"]["token_perplexity"]
        xl = records.card(size, "xl")["scores"]["valid"]["token_perplexity"]
        scores.append(f"{best:.1f} ({_layers(size)})")
        lower.append(f"{percent_lower(xl, best):.1f} %")
    L = records.card(_MAIN, "vanilla")["scores"]["valid"]["segment_length"]
    return (
        f"On its best terms (`--stride 1`: a window of {L} moved by one token, every token given the {L} before it, {L} times "
        f"the work) the vanilla model scores {_and(scores)} per token; there the Transformer-XL's perplexity is lower by "
        f"{_and(lower)}."
    )


def _memories(records: Records) -> str:
    found = []
    for size in PRESETS:
        losses = {int(M): loss for M, loss in records.card(size, "xl")["valid_loss_by_memory"].items()}
        best, longest = min(losses, key=losses.__getitem__), max(losses)
        falls = all(after < before for before, after in itertools.pairwise(losses.values()))
        if falls:
            words = "each longer memory that was tried has a lower loss"
        else:
            higher = f"; M = {longest:,} costs {losses[longest] - losses[best]:.3f} nats more" if best != longest else ""
            words = f"the loss is lowest with M = {best:,}{higher}"
        each = ", ".join(f"{M:,}: {loss:.3f}" for M, loss in losses.items())
        found.append(f"With {_layers(size)} {words} (nats a token, M = {each}).")
    return " ".join(found)


def _speed(records: Records) -> Iterator[tuple[str, ...]]:
    training, repaint, sliders, filling = (
        records.benchmarks[f"{name}.py"] for name in ("training_speed", "repaint", "sliders", "filling_in")
    )
    ratio, rates = training["ratio"], training["tokens_per_second"]
    yield (
        "training, against `TransfoXLLMHeadModel` (transformers 4.35.2), same sizes, same run",
        f"{ratio['median']} × its tokens a second ({ratio['min']} to {ratio['max']} over {training['rounds']} rounds; "
        f"{rates['ours']:,} and {rates['peer']:,})",
        "`python benchmarks/training_speed.py`",
    )
    longest = {size: records.of(size, "eval_speed")["points"][-1] for size in PRESETS}
    costs = [
        f"{_layers(size)}: {one['vanilla_seconds'] / one['xl_seconds']:,.0f} × by the clock, "
        f"{one['vanilla_flops'] / one['xl_flops']:,.0f} × by FLOPs"
        for size, one in longest.items()
    ]
    yield (
        f"evaluation at attention length {longest[_MAIN]['attention_length']:,}, against the vanilla sliding window (at "
        "its best: fused, and nothing that isn't read)",
        "; ".join(costs),
        "`python -m txlviz benchmark eval PRESET`",
    )
    yield (
        f"slider release to repainted maps, Score terms, {repaint['tokens']} tokens, Chromium",
        f"median {repaint['median_s']:.2f} s of {repaint['moves']} moves ({repaint['min_s']:.2f} to {repaint['max_s']:.2f})",
        "`python benchmarks/repaint.py`",
    )
    low, high = sliders["load"]
    yield (
        f"every slider of the other pages, key to repaint, {sliders['tokens']} tokens, Chromium",
        f"medians {sliders['lowest_median_s']:.2f} to {sliders['highest_median_s']:.2f} s, while other work ran (load {low} to "
        f"{high})",
        "`python benchmarks/sliders.py [PAGE ...]`",
    )
    yield (
        "what fills in after the first repaint: all 64 cuts of both models; every earlier token replaced",
        f"{filling['cuts_s']:.1f} s; {filling['replaced_s']:.1f} s",
        "`python benchmarks/filling_in.py`",
    )
    yield "a pair of the echo test, trained on the page", f"{filling['pair_s']} s", "the same"


def _questions(records: Records) -> Iterator[tuple[str, ...]]:
    position, length = records.of(_MAIN, "position"), records.of(_MAIN, "length")
    cost = {name: one["mean"][0] - one["mean"][-1] for name, one in position["curves"].items()}
    loses = 100 * float(np.mean(position["xl_loses_share"]))
    yield (
        "being first rather than last in a segment costs",
        f"vanilla {cost['vanilla']:.2f} nats, XL (M = {position['memory_length']:,}) {cost['xl']:.2f}; XL loses on "
        f"{loses:.0f} % of the tokens",
    )
    shown = [length["lengths"].index(L) for L in (64, 96, 512)]
    curves = {name: ", ".join(f"{length['curves'][name][at]:.2f}" for at in shown) for name in ("vanilla", "xl")}
    yield "segments of 64, 96, 512", f"vanilla {curves['vanilla']} nats; XL {curves['xl']}"
    yield "the loss stops falling with c tokens of context at", _context(records.of(_MAIN, "context"))
    yield from _echo(record.from_values(records.beside("tasks/echo/record.json")))
    claims = records.beside("claims.json")
    prompts, pace = claims["8"], claims["2"]
    changed = prompts[f"vanilla_changed_{_MAIN}"]
    yield (
        "prompt library: a replaced mention makes the right word less likely",
        f"XL in {prompts[f'helped_{_MAIN}']} of {prompts['texts']} texts ({prompts[f'factor_{_MAIN}']:.1f} times on average), "
        f"vanilla in {changed or 'none'}",
    )
    yield "tokens last seen more than 64 back gain from memory, against the rest", _recurrences(records)
    share = {by: pace[f"{by}_{_MAIN}"] for by in ("tokens", "time")}
    reached = share["tokens"] is not None
    yield (
        "XL reaches vanilla's last loss after",
        f"{share['tokens']:.1f} % of the tokens, {share['time']:.1f} % of the time" if reached else "more tokens than it had",
    )


def _context(facts: Values) -> str:
    curves = facts["curves"]
    ahead = [xl < vanilla for xl, vanilla in zip(curves["xl"]["mean"], curves["vanilla"]["mean"], strict=True)]
    worse = next((c for c, better in zip(facts["contexts"], ahead, strict=True) if better), None)
    flat = f"XL: c = {curves['xl']['flat']}"
    return flat if worse == facts["contexts"][0] or worse is None else f"{flat}; with fewer than {worse} it is the worse model"


def _echo(found: record.Record) -> Iterator[tuple[str, ...]]:
    D, short, M = 40, 20, 64
    cells = found.cell("xl", D, M), found.cell("vanilla", D), found.cell("vanilla", short)
    xl, vanilla, able = (cell.accuracy for cell in cells if cell is not None)
    sight = {m: in_sight(D, len(shares), m) for m, shares in xl.items()}
    seen = np.concatenate([shares[sight[m]] for m, shares in xl.items()])
    unseen = np.concatenate([shares[~sight[m]] for m, shares in xl.items()])
    guessed = max(shares.max() for shares in vanilla.values())
    least = min(shares[in_sight(short, len(shares), 0)].min() for shares in able.values())
    yield (
        f"echo test, trained with M = {M}, D = {D}",
        f"{seen.min():.2f} to {seen.max():.2f} right wherever p + M ≥ {D - 1}, at most {unseen.max():.2f} elsewhere; "
        f"vanilla at most {guessed:.2f}, with D = {short} at least {least:.2f} at p ≥ {short - 1}",
    )
    memory = min(run.memory for run in found.relay)  # too short for one look
    runs = {k: [run.learned for run in found.relay if (run.gradient_segments, run.memory) == (k, memory)] for k in (1, 2, 3, 4)}
    learned = {k: str(sum(one)) for k, one in runs.items()}
    yield (
        f"relay through two layers ({len(runs[1])} seeds)",
        f"learned by {learned[1]} with stop-gradient, {_and([learned[2], learned[3], learned[4]])} with gradients through 2, 3 "
        "and 4 segments",
    )


def _recurrences(records: Records) -> str:
    M = "256"
    found = records.of(_MAIN, "study")["recurrences"]
    gains = [f"{found['beyond'][which]['gain'][M]['mean']:.2f}" for which in ("beyond", "rest")]
    alike = []
    for size in reversed(PRESETS):
        one = records.of(size, "study")["recurrences"]["same_frequency"][M]
        alike.append(f"{_signed(one['mean'])} with {_layers(size)} (95 %: {_signed(one['low'])} to {_signed(one['high'])})")
    return f"{_and(gains)} nats with M = {M}; the difference at equal token frequency: {_and(alike)}"


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def _landscape(records: Records) -> Iterator[str]:
    values = records.beside("landscape/record.json")
    runs = {name: run for name, run in values.items() if isinstance(run, dict) and "headline" in run}
    words = {name: run["ways"][run["headline"]]["word_perplexity"] for name, run in runs.items()}
    lowest = min(words.values())

    def shown(name: str) -> str:
        if name not in words:
            return "–"
        return f"**{words[name]:.1f}**" if words[name] == lowest else f"{words[name]:.1f}"

    epochs = records.beside("landscape/xl-full/card.json")["budget"]["epochs"]
    yield (
        "Seven position systems, recurrence, the half loss and our causal form of Longformer were trained in the 2-layer "
        f"preset for {epochs:g} epochs each, {len(runs)} runs of one seed (`python -m txlviz measure landscape`). Perplexity "
        "per word on valid, read as trained:"
    )
    terms = ", ".join(shown(f"xl-recurrent-without-{term}") for term in "abcd")
    rows = [(name, shown(f"{system}-full"), shown(f"{system}-half")) for system, name in _SYSTEMS.items()]
    rows.append(("Transformer-XL built without (a), (b), (c), (d)", terms, "–"))
    yield _table(("", "loss on the whole segment", "on its second half"), rows)
