"""The optimizers of a run: AdamW for everything, or Muon for the matrices of the blocks and AdamW for the rest."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

OptimizerName = Literal["adamw", "muon"]
_BETAS = (0.9, 0.99)


class Muon(Optimizer):
    """Momentum whose direction is made orthogonal before each step (Jordan et al. 2024, "Muon").

    A step takes the momentum of a weight matrix, replaces its singular values by about 1 (five Newton-Schulz iterations), and
    scales it by 0.2 · sqrt(its longer side), so that its entries are as large as AdamW's steps (Liu et al. 2025). Rows that
    belong to several matrices in one weight, as W_k and W_v do, are made orthogonal each on their own: ``parts`` of a group.

    ``torch.optim.Muon`` is the same but for two things: it works in bfloat16, which takes eight times as long on a processor
    that has no such arithmetic, and it knows no parts.
    """

    def __init__(
        self, groups: Iterable[dict[str, Any]], lr: float, *, momentum: float = 0.95, weight_decay: float = 0.0
    ) -> None:
        super().__init__(groups, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "parts": 1})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """One step on every matrix that has a gradient."""
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix.grad is None:
                    continue
                state = self.state[matrix]
                if not state:
                    state["momentum"] = torch.zeros_like(matrix)
                state["momentum"].lerp_(matrix.grad, 1.0 - group["momentum"])
                ahead = matrix.grad.lerp(state["momentum"], group["momentum"])  # Nesterov
                update = orthogonal(ahead.view(group["parts"], -1, ahead.shape[1]))
                matrix.mul_(1.0 - group["lr"] * group["weight_decay"])
                size = 0.2 * math.sqrt(max(update.shape[1:]))
                matrix.add_(update.view_as(matrix), alpha=-group["lr"] * size)


def orthogonal(matrices: Tensor) -> Tensor:
    """(n, rows, columns) with the singular values of each moved into about 0.7 to 1.2, the singular vectors kept."""
    tall = matrices.shape[-2] > matrices.shape[-1]
    x: Tensor = matrices.mT if tall else matrices
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):  # s -> 3.4445 s - 4.7750 s³ + 2.0315 s⁵: steep at 0, and it stays near 1
        gram = x @ x.mT
        x = 3.4445 * x + (-4.7750 * gram + 2.0315 * gram @ gram) @ x
    return x.mT if tall else x


def optimizers(
    model: nn.Module, name: OptimizerName, *, rate: float, matrix_rate: float, weight_decay: float
) -> list[Optimizer]:
    """What trains the model. Each group says its ``peak``, the rate at the top of the schedule.

    Args:
        rate: of AdamW.
        matrix_rate: of Muon, where that is chosen: for all matrices but the embedding.
        weight_decay: of matrices; biases, norms, u and v aren't pulled to zero. With Muon the embedding isn't, either.
    """
    named = dict(model.named_parameters())
    matrices = {key: p for key, p in named.items() if p.dim() == 2}
    others = [p for p in named.values() if p.dim() != 2]
    if name == "adamw":
        made: list[Optimizer] = [_adamw([(matrices.values(), weight_decay), (others, 0.0)], rate)]
    else:
        embeddings = [matrices.pop(key) for key in list(matrices) if "embedding" in key]
        twins = [matrices.pop(key) for key in list(matrices) if key.endswith("w_kv.weight")]
        groups: list[dict[str, Any]] = [{"params": list(matrices.values())}, {"params": twins, "parts": 2}]
        made = [Muon(groups, matrix_rate, weight_decay=weight_decay), _adamw([(embeddings, 0.0), (others, 0.0)], rate)]
    for optimizer in made:
        for group in optimizer.param_groups:
            group["peak"] = group["lr"]
    return made


def _adamw(groups: list[tuple[Iterable[Tensor], float]], rate: float) -> AdamW:
    decayed = [{"params": list(parameters), "weight_decay": decay} for parameters, decay in groups]
    return AdamW(decayed, rate, _BETAS, fused=True)
