"""Claims 7 and 22: what recurrence and relative encoding add to the parameters, and which part of a position is learned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from txlviz.checkpoint import Checkpoint
from txlviz.claims.claim import CONDITIONS, HOLDS, NOT, Claim, Numbers, Verdict
from txlviz.claims.inputs import PRESETS, Inputs
from txlviz.models import TransformerXL
from txlviz.models.positions import distances, sinusoids
from txlviz.recorded import significant

MEMORIES = (0, 64, 256)


def counts(inputs: Inputs) -> Numbers:
    """Trainable numbers of both models, of the Transformer-XL by M, and of what only relative encoding has."""
    found: Numbers = {}
    for size in PRESETS:
        xl, vanilla = inputs.model(size, "xl").model, inputs.model(size, "vanilla").model
        assert isinstance(xl, TransformerXL)
        by_name = {name: parameter.numel() for name, parameter in xl.named_parameters()}
        found |= {
            f"xl_{size}": xl.parameter_count(),
            f"vanilla_{size}": vanilla.parameter_count(),
            f"by_memory_{size}": [xl.with_mem_len(M).parameter_count() for M in MEMORIES],
            f"w_r_{size}": sum(count for name, count in by_name.items() if name.endswith("w_r.weight")),
            f"u_{size}": by_name["u"],
            f"v_{size}": by_name["v"],
        }
        found[f"relative_{size}"] = sum(found[f"{part}_{size}"] for part in ("w_r", "u", "v"))
        found[f"percent_{size}"] = significant(100 * found[f"relative_{size}"] / found[f"vanilla_{size}"])
    return found


def judge_counts(numbers: Mapping[str, Any]) -> Verdict:
    """Is the count the same for every M, and is all that the Transformer-XL has more its relative encoding?"""
    same = all(len(set(numbers[f"by_memory_{size}"])) == 1 for size in PRESETS)
    rest = all(numbers[f"xl_{size}"] - numbers[f"vanilla_{size}"] == numbers[f"relative_{size}"] for size in PRESETS)
    return HOLDS if same and rest else NOT


def positions(inputs: Inputs) -> Numbers:
    """R as the model reads it against the fixed sinusoids, whether it depends on any weight, and the gradient of W_{k,R}.

    The gradient is that of the mean loss of the first two segments of a text.
    """
    found: Numbers = {}
    for size in PRESETS:
        source = inputs.model(size, "xl")
        R, gradients = _read(source, inputs.text)
        fixed = sinusoids(distances(len(R), source.config.clamp_len), source.config.d_model)
        found |= {
            f"rows_{size}": len(R),
            f"r_differs_{size}": float((R - fixed).abs().max()),
            f"r_needs_gradient_{size}": bool(R.requires_grad),
            f"stored_{size}": sum(torch.equal(t, R) for t in [*source.model.parameters(), *source.model.buffers()]),
            f"w_r_{size}": sum(gradient.numel() for gradient in gradients),
            f"gradient_{size}": [significant(float(gradient.norm())) for gradient in gradients],
        }
    return found


def _read(source: Checkpoint, text: str) -> tuple[Tensor, tuple[Tensor, ...]]:
    """R (K, D) of the second segment as the first layer was given it, and the gradient of each layer's W_{k,R}."""
    model, L = source.model, source.config.segment_length
    seen: list[Tensor] = []
    hook = model.get_submodule("blocks.0.attention.w_r").register_forward_hook(lambda _m, args, _out: seen.append(args[0]))
    ids = torch.tensor([source.inputs(text)[: 2 * L + 1]])
    weights = [parameter for name, parameter in model.named_parameters() if name.endswith("w_r.weight")]
    try:
        with torch.enable_grad():
            first = model(ids[:, :L])
            second = model(ids[:, L:-1], first.memory)
            losses = model.token_losses(torch.cat([first.hidden, second.hidden], dim=1), ids[:, 1:])
            return seen[-1], torch.autograd.grad(losses.mean(), weights)
    finally:
        hook.remove()


def judge_positions(numbers: Mapping[str, Any]) -> Verdict:
    """Is R learned; or is it fixed, but W_{k,R} learned?"""
    fixed = all(
        numbers[f"r_differs_{size}"] == 0 and not numbers[f"r_needs_gradient_{size}"] and not numbers[f"stored_{size}"]
        for size in PRESETS
    )
    learned = all(min(numbers[f"gradient_{size}"]) > 0 for size in PRESETS)
    return HOLDS if not fixed else CONDITIONS if learned else NOT


CLAIMS = (Claim(7, counts, judge_counts, live=True), Claim(22, positions, judge_positions, live=True))
