"""How much of real attention k rows can hold: singular values of a trained model's attention matrices.

Linformer writes the (n, n) attention as a product of an (n, k) and a (k, n) matrix (Wang et al. 2020, section 3.1). No such
product comes closer to a matrix than its k largest singular values do, so what lies beyond them is lost at the least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.analysis.kept_weights import KeptWeights
from txlviz.models import LanguageModel

Values = npt.NDArray[np.float64]


def lost(attention: Tensor, ranks: Sequence[int]) -> Values:
    """(k, …) the share of the sum of squared weights that the best matrix of each rank misses; ``attention`` is (…, n, n)."""
    squares = torch.linalg.svdvals(attention.double()).square()
    total = squares.sum(dim=-1)
    return np.stack([(squares[..., rank:].sum(dim=-1) / total).numpy() for rank in ranks])


def lost_in(model: LanguageModel, texts: Tensor, ranks: Sequence[int]) -> Iterator[Values]:
    """(k, N, H) for each of ``texts`` (B, n), read in one piece without a memory: ``lost`` of each layer and head."""
    for text in texts:
        recorder = KeptWeights()
        with torch.inference_mode():
            model(text[None], recorder=recorder)
            yield lost(torch.cat(recorder.layers), ranks)
