"""What a matrix of rank k misses: against matrices of known rank, and against the approximation itself."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import txlviz
from tests.analysis.small import checkpoint
from txlviz.analysis.low_rank import lost, lost_in
from txlviz.models import TransformerXL


def test_nothing_is_lost_beyond_the_rank_of_a_matrix() -> None:
    random = torch.Generator().manual_seed(0)
    made = torch.rand(12, 3, generator=random) @ torch.rand(3, 12, generator=random)
    shares = lost(made, [1, 2, 3, 12])
    assert shares.shape == (4,)
    assert shares[0] > shares[1] > 1e-4
    assert shares[2:] == pytest.approx([0, 0], abs=1e-12)
    assert lost(torch.eye(8), [2]) == pytest.approx([0.75]), "each token looks at itself: no row can be spared"
    assert lost(torch.full((8, 8), 1 / 8), [1]) == pytest.approx([0.0]), "a mean over all is of rank 1"


def test_it_is_the_error_of_the_best_approximation_and_no_other_is_better() -> None:
    attention = torch.randn(10, 10, generator=torch.Generator().manual_seed(1), dtype=torch.float64).softmax(-1)
    U, S, V = torch.linalg.svd(attention)
    best = (U[:, :4] * S[:4]) @ V[:4]
    error = (attention - best).square().sum() / attention.square().sum()
    assert lost(attention, [4])[0] == pytest.approx(float(error))
    for seed in range(20):
        E = torch.randn(4, 10, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        projected = attention @ torch.linalg.pinv(E) @ E
        assert (attention - projected).square().sum() / attention.square().sum() >= error


def test_it_reads_each_layer_and_head_of_a_model_in_one_piece() -> None:
    xl = checkpoint("xl")
    text = "The river runs past the old mill, and the miller's daughter reads."
    ids = torch.tensor([xl.inputs(text)])
    assert isinstance(xl.model, TransformerXL)
    found = list(lost_in(xl.model, ids, [2, 5]))
    run = txlviz.trace(xl, text, ids.shape[1], 0)
    assert len(found) == 1
    assert found[0].shape == (2, 3, 3)
    for layer in range(3):
        expected = lost(torch.from_numpy(run.segments[0].layers[layer].weights), [2, 5])
        np.testing.assert_allclose(found[0][:, layer], expected, atol=1e-5)
