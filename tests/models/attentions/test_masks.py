"""Who sees whom, entry by entry: against pictures written out by hand, and against the definition by loops."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from txlviz.models.attentions import SYSTEMS, Settings, bigbird, full, longformer, segments, sliding


def picture(seen: Tensor) -> list[str]:
    """A line a query, the keys from the oldest: # where it is seen."""
    return ["".join("#" if one else "." for one in row) for row in seen.tolist()]


def test_full() -> None:
    assert picture(full.visible(4)) == ["#...", "##..", "###.", "####"]


def test_segments() -> None:
    assert picture(segments.visible(7, segment_length=3)) == [
        "#......",
        "##.....",
        "###....",
        "...#...",
        "...##..",
        "...###.",
        "......#",
    ]


def test_segments_with_a_memory() -> None:
    assert picture(segments.visible(7, segment_length=3, memory_length=2)) == [
        "#......",
        "##.....",
        "###....",
        ".###...",
        ".####..",
        ".#####.",
        "....###",
    ]


def test_sliding() -> None:
    assert picture(sliding.visible(5, window=3)) == ["#....", "##...", "###..", ".###.", "..###"]
    assert picture(sliding.visible(5, window=3, place=3)) == [".....", ".#...", ".##..", ".###.", "....."]
    assert picture(sliding.visible(5, window=3, place=0)) == ["#....", ".....", ".....", ".....", "....."]


def test_longformer_causal() -> None:
    assert picture(longformer.visible(7, 7, window=2, n_global=1, causal=True)) == [
        "#......",
        "##.....",
        "###....",
        "####...",
        "#.###..",
        "#..###.",
        "#...###",
    ]


def test_longformer_two_sided() -> None:
    assert picture(longformer.visible(7, 7, window=1, n_global=2, causal=False)) == [
        "#######",
        "#######",
        "####...",
        "#####..",
        "##.###.",
        "##..###",
        "##...##",
    ]


def test_longformer_with_keys_before_the_queries() -> None:
    assert picture(longformer.visible(3, 6, window=1, n_global=1, causal=True)) == ["#.##..", "#..##.", "#...##"]


def test_bigbird() -> None:
    """Five blocks of 2 and one token more: block 0 global, a window of 3 blocks, 1 random block for each other."""
    drawn = bigbird.random_blocks(6, 3, 1, 1, seed=0)
    assert drawn[0] == []
    assert [len(row) for row in drawn[1:]] == [1] * 5
    blocks = ["######", "###...", "####..", "#.###.", "#..###", "#...##"]
    for one, others in enumerate(drawn):
        for other in others:
            assert blocks[one][other] == ".", "a random block is neither global nor in the window"
            blocks[one] = blocks[one][:other] + "#" + blocks[one][other + 1 :]
    expected = ["".join(2 * sign for sign in row)[:11] for row in blocks for _ in range(2)][:11]
    seen = bigbird.visible(11, block=2, window_blocks=3, n_global_blocks=1, n_random_blocks=1, seed=0)
    assert picture(seen) == expected


def test_bigbird_without_random_and_global_blocks_is_a_band_of_blocks() -> None:
    assert picture(bigbird.visible(6, block=2, window_blocks=1, n_global_blocks=0, n_random_blocks=0)) == [
        "##....",
        "##....",
        "..##..",
        "..##..",
        "....##",
        "....##",
    ]


def test_bigbirds_random_blocks_follow_the_seed() -> None:
    draws = [bigbird.random_blocks(40, 3, 1, 2, seed) for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]
    hit = {other for row in draws[0] for other in row}
    assert len(hit) > 20, "they lie all over the text"


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 24), more=st.integers(0, 9), w=st.integers(0, 26), g=st.integers(0, 5), causal=st.booleans())
def test_longformer_by_the_definition(n: int, more: int, w: int, g: int, causal: bool) -> None:
    seen = longformer.visible(n, n + more, window=w, n_global=g, causal=causal)
    for row, query in enumerate(seen.tolist()):
        i = more + row
        for j, one in enumerate(query):
            near, either_global = abs(i - j) <= w, j < g or i < g
            assert one == ((near or either_global) and (j <= i or not causal)), (i, j)


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 40),
    block=st.integers(1, 9),
    window=st.sampled_from([1, 3, 5]),
    g=st.integers(0, 3),
    r=st.integers(0, 4),
    seed=st.integers(0, 3),
)
def test_bigbird_by_the_definition(n: int, block: int, window: int, g: int, r: int, seed: int) -> None:
    seen = bigbird.visible(n, block=block, window_blocks=window, n_global_blocks=g, n_random_blocks=r, seed=seed)
    n_blocks = (n + block - 1) // block
    drawn = bigbird.random_blocks(n_blocks, window, g, r, seed)
    for own, others in enumerate(drawn):
        left = [b for b in range(n_blocks) if b >= g and abs(b - own) > (window - 1) // 2]
        assert len(others) == len(set(others)) == (min(r, len(left)) if own >= g else 0)
        assert set(others) <= set(left)
    for i, row in enumerate(seen.tolist()):
        for j, one in enumerate(row):
            own, other = i // block, j // block
            known = abs(own - other) <= (window - 1) // 2 or own < g or other < g
            assert one == (known or other in drawn[own]), (i, j)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_registry_says_which_are_causal(name: str) -> None:
    system = SYSTEMS[name]
    for layer in (0, 1):
        seen = system.visible(40, Settings(segment_length=8, memory_length=4, window=4, block=4, seed=3), layer)
        assert seen.shape == (40, 40)
        assert seen.dtype == torch.bool
        assert seen.diagonal().all()
        assert bool(seen.triu(1).any()) is not system.causal


def test_the_registry_gives_each_system_its_sizes() -> None:
    s = Settings(segment_length=5, memory_length=3, window=2, n_global=3, block=4, n_global_blocks=2, n_random_blocks=2, seed=7)
    expected = {
        "full": full.visible(20),
        "segments": segments.visible(20, segment_length=5),
        "sliding": sliding.visible(20, window=5),
        "xl": segments.visible(20, segment_length=5, memory_length=3),
        "longformer-causal": longformer.visible(20, 20, window=2, n_global=3, causal=True),
        "longformer": longformer.visible(20, 20, window=2, n_global=3, causal=False),
        "bigbird": bigbird.visible(20, block=4, n_global_blocks=2, n_random_blocks=2, seed=8),
        "linformer": torch.ones(20, 20, dtype=torch.bool),
    }
    assert list(SYSTEMS) == list(expected)
    for name, seen in expected.items():
        assert torch.equal(SYSTEMS[name].visible(20, s, 1), seen), name


@pytest.mark.parametrize(
    "call",
    [
        lambda: longformer.visible(4, 4, window=-1, n_global=0, causal=True),
        lambda: longformer.visible(4, 4, window=1, n_global=-1, causal=True),
        lambda: bigbird.visible(4, block=0),
        lambda: bigbird.visible(4, block=2, window_blocks=2),
        lambda: bigbird.visible(4, block=2, n_random_blocks=-1),
        lambda: segments.visible(4, segment_length=0),
        lambda: segments.visible(4, segment_length=2, memory_length=-1),
        lambda: sliding.visible(4, window=0),
        lambda: sliding.visible(4, window=2, place=4),
    ],
)
def test_sizes_that_make_no_sense_are_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"at least|there is no place"):
        call()
