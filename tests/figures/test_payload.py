import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from txlviz.figures.payload import pack, unpack

kinds = st.sampled_from(["float32", "int32", "uint8"])
some_array = kinds.flatmap(lambda kind: arrays(kind, array_shapes(max_dims=4, max_side=7)))


@given(st.dictionaries(st.text(), st.text()), st.dictionaries(st.text(), some_array, max_size=4))
def test_what_is_unpacked_is_what_was_packed(header, values):
    header.pop("arrays", None)
    found, back = unpack(pack(header, values))
    assert found == header
    assert list(back) == list(values)
    for name, array in values.items():
        assert back[name].dtype == array.dtype
        assert back[name].shape == array.shape
        assert back[name].tobytes() == array.tobytes()


def test_every_array_begins_at_a_multiple_of_four():
    block = pack({"a": "é"}, {"bytes": np.arange(5, dtype=np.uint8), "floats": np.ones(3, dtype=np.float32)})
    start = int.from_bytes(block[:4], "little")
    assert start % 4 == 0
    assert len(block) % 4 == 0
    assert np.frombuffer(block[-12:], "<f4").tolist() == [1, 1, 1]


def test_a_view_is_packed_in_its_own_order():
    turned = np.arange(6, dtype=np.float32).reshape(2, 3).T
    assert unpack(pack({}, {"x": turned}))[1]["x"].tolist() == [[0, 3], [1, 4], [2, 5]]


def test_a_type_that_the_component_cannot_read_is_refused():
    with pytest.raises(TypeError, match="x is float64"):
        pack({}, {"x": np.zeros(2)})


def test_a_number_that_json_has_no_word_for_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        pack({"limit": float("nan")}, {})
