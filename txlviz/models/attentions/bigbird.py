"""BigBird (Zaheer et al. 2020, section 2 and appendix D): blocks of tokens that see a window, global blocks, and random ones.

The form ITC ("internal transformer construction"): tokens of the text itself are global, and no extra ones are added.
"""

from __future__ import annotations

from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor

from txlviz.models.attentions.masked import MaskedAttention
from txlviz.models.config import ModelConfig


def visible(
    n: int, *, block: int, window_blocks: int = 3, n_global_blocks: int = 1, n_random_blocks: int = 1, seed: int = 0
) -> Tensor:
    """(n, n) bool: whether query i sees key j, both in blocks of ``block`` tokens, the last of which may be shorter.

    The block of i sees the block of j where the two are at most (``window_blocks`` - 1) / 2 blocks apart, where either is one
    of the first ``n_global_blocks``, or where j's is one of the random blocks of i's. It isn't causal: a query sees later keys.
    """
    check(block, window_blocks, n_global_blocks, n_random_blocks)
    n_blocks = -(-n // block)
    seen = torch.zeros(n_blocks, n_blocks, dtype=torch.bool)
    for one, others in enumerate(_seen_blocks(n_blocks, window_blocks, n_global_blocks, n_random_blocks, seed)):
        seen[one, others] = True
    return seen.repeat_interleave(block, dim=0).repeat_interleave(block, dim=1)[:n, :n]


def random_blocks(n_blocks: int, window_blocks: int, n_global_blocks: int, n_random_blocks: int, seed: int) -> list[list[int]]:
    """The random blocks of each block, in rising order: distinct, and neither global nor in the window.

    Global blocks have none, for they see all; a block with fewer blocks left than ``n_random_blocks`` takes all of them.
    """
    generator, side = torch.Generator().manual_seed(seed), window_blocks // 2
    drawn: list[list[int]] = []
    for one in range(n_blocks):
        left = [] if one < n_global_blocks else [j for j in range(n_global_blocks, n_blocks) if abs(one - j) > side]
        order = torch.randperm(len(left), generator=generator)[:n_random_blocks]
        drawn.append(sorted(left[int(at)] for at in order))
    return drawn


def check(block: int, window_blocks: int, n_global_blocks: int, n_random_blocks: int) -> None:
    """ValueError for sizes that make no sense."""
    if block < 1 or window_blocks < 1 or window_blocks % 2 == 0 or n_global_blocks < 0 or n_random_blocks < 0:
        raise ValueError(
            f"no blocks of {block} with a window of {window_blocks}, {n_global_blocks} global and {n_random_blocks} random: "
            "a block has at least 1 token, the window is odd, and the others are at least 0"
        )


def _seen_blocks(n_blocks: int, window_blocks: int, n_global_blocks: int, n_random_blocks: int, seed: int) -> list[list[int]]:
    """The blocks that each block sees, in rising order."""
    side, seen = window_blocks // 2, []
    for one, drawn in enumerate(random_blocks(n_blocks, window_blocks, n_global_blocks, n_random_blocks, seed)):
        window = range(max(0, one - side), min(n_blocks, one + side + 1))
        some = {*window, *range(min(n_global_blocks, n_blocks)), *drawn}
        seen.append(list(range(n_blocks)) if one < n_global_blocks else sorted(some))
    return seen


class BigBirdAttention(MaskedAttention):
    """The block's attention over ``visible``, in time and memory O(n · block · (window + global + random blocks)).

    All heads of a layer share its random blocks. The authors' code draws them for each head, and has the last block global as
    well as the first.
    """

    causal = False

    def __init__(
        self,
        config: ModelConfig,
        layer: int,
        *,
        block: int,
        window_blocks: int = 3,
        n_global_blocks: int = 1,
        n_random_blocks: int = 1,
        seed: int = 0,
    ) -> None:
        super().__init__(config, layer)
        check(block, window_blocks, n_global_blocks, n_random_blocks)
        self.block, self.seed = block, seed
        self.counts = (window_blocks, n_global_blocks, n_random_blocks)

    def visible(self, n: int) -> Tensor:
        """(n, n) bool."""
        window, globals_, randoms = self.counts
        sizes = {"window_blocks": window, "n_global_blocks": globals_, "n_random_blocks": randoms}
        return visible(n, block=self.block, seed=self.seed, **sizes)

    def attended(self, q: Tensor, k: Tensor, values: Tensor) -> Tensor:
        """Each block of queries with the blocks of keys gathered for it; then the global queries with all keys."""
        batch, heads, n, width = q.shape
        n_blocks = -(-n // self.block)
        n_global = min(n, self.counts[1] * self.block)
        q_b, k_b, v_b = (
            F.pad(x, (0, 0, 0, n_blocks * self.block - n)).reshape(batch * heads, n_blocks, self.block, width)
            for x in (q, k, values)
        )
        gathered = chosen(n_blocks, *self.counts, self.seed)
        keys, contents = (x[:, gathered.clamp(min=0)].flatten(2, 3) for x in (k_b, v_b))
        places = gathered[:, :, None] * self.block + torch.arange(self.block)
        seen = ((gathered[:, :, None] >= 0) & (places < n)).flatten(1)[:, None]  # the same for all queries of a block
        out = self.looked_up(q_b, keys, contents, seen[None]).reshape(batch, heads, n_blocks * self.block, width)[:, :, :n]
        if n_global == 0:
            return out
        return torch.cat([self.looked_up(q[:, :, :n_global], k, values, None), out[:, :, n_global:]], dim=2)


@lru_cache(maxsize=64)
def chosen(n_blocks: int, window_blocks: int, n_global_blocks: int, n_random_blocks: int, seed: int) -> Tensor:
    """(blocks, seen) the blocks that each block sees, -1 where it sees fewer than others do. A global block has only itself."""
    seen = _seen_blocks(n_blocks, window_blocks, n_global_blocks, n_random_blocks, seed)
    rows = [[one] if one < n_global_blocks else row for one, row in enumerate(seen)]  # global queries are read apart
    most = max(len(row) for row in rows)
    return torch.tensor([row + [-1] * (most - len(row)) for row in rows])
