"""Positions: the fixed sinusoids R, and the shift that turns "query by distance" into "query by key"."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def sinusoids(positions: Tensor, d_model: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """The sinusoid table of Vaswani et al. 2017 (section 3.5), sines first, then cosines.

    ``positions`` is (K,), of any numeric type; distances for the Transformer-XL, absolute places for the vanilla model.
    Returns (K, D) of ``dtype``. Nothing here is learned.
    """
    half = torch.arange(0.0, d_model, 2.0, dtype=torch.float64, device=positions.device)
    angles = positions.to(torch.float64)[:, None] * (10000.0 ** (-half / d_model))[None, :]
    return torch.cat([angles.sin(), angles.cos()], dim=-1)[:, :d_model].to(dtype)


def distances(n_keys: int, clamp_len: int = -1) -> Tensor:
    """(K,) the distances K-1, …, 1, 0: column j of a (query, key) matrix as the last query of the segment sees it."""
    d = torch.arange(n_keys - 1, -1, -1)
    return d.clamp(max=clamp_len) if clamp_len > 0 else d


def relative_shift(by_distance: Tensor, fill: float = float("-inf")) -> Tensor:
    """Dai et al. 2019, appendix B: from one column a distance to one column a key, without computing any entry twice.

    ``by_distance`` is (…, L, K) with K >= L; column c holds the value for distance K-1-c. Returns (…, L, K) with
    ``out[i, j] = by_distance[i, j + (L-1-i)]``: row i moved left by L-1-i, which is the value for distance (K-L+i) - j.
    Keys in the future of a query (distance below 0) hold ``fill``.

    How: L-1 columns of ``fill`` on the right make each row K+L-1 long. Read in steps of one less, from element L-1 on, each row
    starts one element further left than the row above. Only the padding copies; the shift is a view.
    """
    *lead, n_queries, n_keys = by_distance.shape
    padded = F.pad(by_distance, (0, n_queries - 1), value=fill).contiguous()
    width = n_keys + n_queries - 1
    strides = (*padded.stride()[:-2], max(width - 1, 1), 1)
    return padded.as_strided((*lead, n_queries, n_keys), strides, padded.storage_offset() + n_queries - 1)
