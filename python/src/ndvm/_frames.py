"""Frames: how this package and its Node process talk over a pipe (see docs/protocol.md).

    byte  0       4               8             16                16 + header
          | NDVM  | header bytes  | body bytes  | header, JSON …  | body …
"""

from __future__ import annotations

import json
import struct
from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy as np

PREFIX = struct.Struct("<4sIQ")
MAGIC = b"NDVM"
_TYPES = {"f64": np.dtype("<f8"), "f32": np.dtype("<f4"), "i32": np.dtype("<i4")}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}


#: Frames up to this size are written in one piece: each write wakes the reader.
JOINED_MAX = 65_536


class ArrayList:
    """The arrays of a frame to be written; each is known by its place."""

    def __init__(self) -> None:
        self.arrays: List[np.ndarray] = []

    def add(self, array: np.ndarray) -> Dict[str, int]:
        self.arrays.append(array)
        return {"$array": len(self.arrays) - 1}

    def frame(self, header: Mapping[str, Any]) -> List[Any]:
        """The parts of a frame, ready to be written one after the other."""
        return frame_parts(frame_head(header, self.arrays), self.arrays)


def frame_head(header: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> bytes:
    """The first bytes of a frame: all of it but the arrays."""
    listed = []
    offset = 0
    for array in arrays:
        name = _NAMES[array.dtype.newbyteorder("<")]
        listed.append({"type": name, "shape": list(array.shape), "offset": offset})
        offset += array.nbytes + -array.nbytes % 8
    if listed:
        header = {**header, "arrays": listed}
    text = json.dumps(header, allow_nan=False).encode()
    return PREFIX.pack(MAGIC, len(text), offset) + text


def frame_parts(head: bytes, arrays: Sequence[np.ndarray]) -> List[Any]:
    """A frame in pieces to be written; a small one is one piece."""
    if sum([array.nbytes for array in arrays]) <= JOINED_MAX:
        parts: List[Any] = [head]
        for array in arrays:
            parts.append(array.tobytes())
            if array.nbytes % 8:
                parts.append(bytes(-array.nbytes % 8))
        return [b"".join(parts)]
    parts = [head]
    for array in arrays:
        if array.size:
            parts.append(memoryview(np.ascontiguousarray(array)).cast("B"))
        if array.nbytes % 8:
            parts.append(bytes(-array.nbytes % 8))
    return parts


class Place:
    """Where an array lies in the body of a frame, and its shape."""

    __slots__ = ("shape", "dtype", "offset")

    def __init__(self, described: Mapping[str, Any]) -> None:
        self.shape: Tuple[int, ...] = tuple(described["shape"])
        self.dtype = _TYPES[described["type"]]
        self.offset: int = described["offset"]

    def array(self, body: bytearray) -> np.ndarray:
        """A view of the body, which nobody else holds."""
        return np.ndarray(self.shape, self.dtype, body, self.offset)


def read_arrays(header: Dict[str, Any], body: bytearray) -> List[np.ndarray]:
    """The arrays of a frame."""
    return [Place(one).array(body) for one in header.get("arrays", ())]
