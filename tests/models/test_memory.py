"""What the memory holds, for how long, and that nobody changes it."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from tests.models.small import Keep, in_segments, inputs_of, random_ids, replaced, xl
from txlviz.models import Memory, TransformerXL


def read_with_inputs(model: TransformerXL, segments: list[Tensor]) -> tuple[list[Memory], list[list[Tensor]]]:
    """The memory after each segment, and the inputs of each block in each segment."""
    memories: list[Memory] = []
    inputs: list[list[Tensor]] = []
    with torch.no_grad():
        for segment in segments:
            with inputs_of(model.blocks) as calls:
                memories.append(model(segment, memories[-1] if memories else None).memory)
            inputs.append([call[0] for call in calls])
    return memories, inputs


def last_rows(rows: list[Tensor], count: int) -> Tensor:
    """The last rows of a history, by their places, so that 0 means none."""
    whole = torch.cat(rows, dim=1)
    places = [place for place in range(whole.shape[1]) if place >= whole.shape[1] - count]
    return whole[:, places]


@settings(max_examples=40, derandomize=True)
@given(mem_len=st.integers(0, 9), lengths=st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_it_is_the_last_m_inputs_of_each_layer_oldest_first(mem_len: int, lengths: list[int]) -> None:
    model = xl(mem_len=mem_len)
    memories, inputs = read_with_inputs(model, list(random_ids(2, sum(lengths)).split(lengths, dim=1)))
    for segment, memory in enumerate(memories):
        for layer, rows in enumerate(memory):
            history = [inputs[earlier][layer] for earlier in range(segment + 1)]
            assert torch.equal(rows, last_rows(history, mem_len))


def test_the_first_layers_memory_is_the_scaled_embeddings() -> None:
    model, ids = xl(mem_len=3), random_ids(2, 5)
    assert torch.equal(model(ids).memory[0], (model.embedding.weight[ids] * 4.0)[:, 2:])


def test_no_rows_are_kept_where_mem_len_is_zero() -> None:
    model, segments = xl(mem_len=0), random_ids(2, 10).split(5, dim=1)
    first = model(segments[0])
    assert [rows.shape for rows in first.memory] == [(2, 0, 16)] * 2
    second = model(segments[1], first.memory)
    assert [rows.shape for rows in second.memory] == [(2, 0, 16)] * 2
    assert torch.equal(second.hidden, model(segments[1]).hidden)


@pytest.mark.parametrize("changed_to", [9, 2, 1, 0])
def test_mem_len_may_change_on_a_built_model(changed_to: int) -> None:
    model, segments = xl(mem_len=4), random_ids(2, 9).split([6, 3], dim=1)
    old = model(segments[0]).memory
    model.mem_len = changed_to
    with inputs_of(model.blocks) as calls:
        new = model(segments[1], old).memory
    for layer, rows in enumerate(new):
        assert torch.equal(rows, last_rows([old[layer], calls[layer][0]], changed_to))


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_at_most_m_rows_of_an_older_memory_are_read(rows: int) -> None:
    model, segments = xl(mem_len=5), random_ids(2, 9).split([6, 3], dim=1)
    memory = model(segments[0]).memory
    model.mem_len = rows
    recorder = Keep()
    traced = model(segments[1], memory, recorder=recorder)
    assert recorder.layers[0].scores.shape[-1] == rows + 3
    newest = [layer[:, 5 - rows :] for layer in memory]
    assert torch.equal(model(segments[1], newest).hidden, model(segments[1], memory).hidden)
    assert_close(traced.hidden, model(segments[1], newest).hidden, atol=1e-5, rtol=0)


def test_a_negative_mem_len_is_refused_and_the_old_one_stays() -> None:
    model = xl(mem_len=4)
    with pytest.raises(ValueError, match="mem_len is -1"):
        model.mem_len = -1
    assert model.mem_len == 4


def test_a_twin_with_another_mem_len_shares_the_weights_and_leaves_the_model_as_it_was() -> None:
    model, ids = xl(mem_len=4), random_ids(1, 8)
    twin = model.with_mem_len(1)
    assert (model.mem_len, twin.mem_len) == (4, 1)
    assert [rows.shape[1] for rows in twin(ids).memory] == [1, 1]
    assert [rows.shape[1] for rows in model(ids).memory] == [4, 4]
    assert all(ours is theirs for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True))


@pytest.mark.parametrize("mem_len", [0, 2, 6, 20])
@pytest.mark.parametrize("path", ["ordinary", "traced", "training"])
def test_a_call_never_changes_the_memory_that_it_was_given(mem_len: int, path: str) -> None:
    model, segments = xl(mem_len=6, dropout=0.5), random_ids(2, 12).split(6, dim=1)
    memory = model(segments[0]).memory
    before = [layer.clone() for layer in memory]
    model.mem_len = mem_len
    model.train(path == "training")
    output = model(segments[1], memory, targets=segments[1], recorder=Keep() if path == "traced" else None)
    output.loss.backward()
    for layer in output.memory:
        layer.zero_()
    assert all(torch.equal(now, then) for now, then in zip(memory, before, strict=True))


def test_changing_a_memory_afterwards_changes_no_hidden_state() -> None:
    model, ids = xl(mem_len=6), random_ids(1, 4)
    output = model(ids)
    before = output.hidden.clone()
    for layer in output.memory:
        layer.zero_()
    assert torch.equal(output.hidden, before)
    assert torch.equal(model(ids).hidden, before)


def test_a_memory_may_be_read_twice() -> None:
    model, segments = xl(), random_ids(2, 12).split(6, dim=1)
    memory = model(segments[0]).memory
    assert torch.equal(model(segments[1], memory).hidden, model(segments[1], memory).hidden)


def test_what_the_memory_holds_matters() -> None:
    model, segments = xl(), random_ids(1, 12).split(6, dim=1)
    for place in range(6):
        other = model(replaced(segments[0], place)).memory
        assert not torch.equal(model(segments[1], other).hidden, model(segments[1], model(segments[0]).memory).hidden)


@pytest.mark.parametrize("training", [False, True])
def test_texts_of_a_batch_are_independent(training: bool) -> None:
    model, ids = xl(mem_len=6).train(training), random_ids(3, 15)
    other = ids.clone()
    other[1] = replaced(ids[1:2], 2)[0]
    hidden, memory = in_segments(model, ids.split(5, dim=1))
    other_hidden, other_memory = in_segments(model, other.split(5, dim=1))
    for ours, others in zip((hidden, *memory), (other_hidden, *other_memory), strict=True):
        assert torch.equal(ours[[0, 2]], others[[0, 2]])
    assert not torch.equal(hidden[1], other_hidden[1])


def test_a_text_gives_the_same_alone_and_in_a_batch() -> None:
    model, ids = xl(), random_ids(3, 15)
    together, _ = in_segments(model, ids.split(5, dim=1))
    for row in range(3):
        alone, _ = in_segments(model, ids[row : row + 1].split(5, dim=1))
        assert_close(together[row : row + 1], alone, atol=1e-5, rtol=0)


def test_one_token_at_a_time_from_nothing() -> None:
    model, ids, memory = xl(mem_len=3), random_ids(1, 5), None
    for step in range(5):
        recorder = Keep()
        memory = model(ids[:, step : step + 1], memory, recorder=recorder).memory
        assert [record.scores.shape for record in recorder.layers] == [(1, 2, 1, min(step, 3) + 1)] * 2
