"""Arrays and their labels as one block of bytes, for a component that reads them without a copy in text.

4 bytes     length of the header, little-endian
header      JSON (ASCII), filled up with spaces to a multiple of 4; ``arrays``: name -> [type, shape, offset]
arrays      one after the other, little-endian, each beginning at a multiple of 4; offsets count from the first
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

_TYPES = ("float32", "int32", "uint8")


def pack(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """The block of ``header`` (what JSON can hold) and ``arrays`` (float32, int32 or uint8)."""
    index: dict[str, tuple[str, list[int], int]] = {}
    blocks: list[bytes] = []
    offset = 0
    for name, values in arrays.items():
        if values.dtype.name not in _TYPES:
            raise TypeError(f"{name} is {values.dtype}; the component reads {', '.join(_TYPES)}")
        raw = values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
        index[name] = (values.dtype.name, list(values.shape), offset)
        blocks.append(raw + bytes(-len(raw) % 4))
        offset += len(blocks[-1])
    text = json.dumps({**header, "arrays": index}, allow_nan=False).encode("ascii")
    text += b" " * (-len(text) % 4)
    return b"".join([len(text).to_bytes(4, "little"), text, *blocks])


def unpack(block: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Header and arrays of a block, as the component reads them."""
    start = 4 + int.from_bytes(block[:4], "little")
    header = json.loads(block[4:start])
    arrays = {}
    for name, (kind, shape, offset) in header.pop("arrays").items():
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(block, dtype=np.dtype(kind).newbyteorder("<"), count=count, offset=start + offset).reshape(
            shape
        )
    return header, arrays
