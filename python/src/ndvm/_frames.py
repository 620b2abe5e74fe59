"""Frames: how this package and its Node process talk over a pipe (see docs/protocol.md).

    byte  0       4               8             16                16 + header
          | NDVM  | header bytes  | body bytes  | header, JSON …  | body …
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any, Dict, List, Tuple

import numpy as np

PREFIX = struct.Struct("<4sIQ")
MAGIC = b"NDVM"
_TYPES = {"f64": np.dtype("<f8"), "f32": np.dtype("<f4"), "i32": np.dtype("<i4")}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}


class ArrayList:
    """The arrays of a frame to be written; each is known by its place."""

    def __init__(self) -> None:
        self._arrays: List[np.ndarray] = []

    def add(self, array: np.ndarray) -> Dict[str, int]:
        self._arrays.append(array)
        return {"$array": len(self._arrays) - 1}

    def frame(self, header: Dict[str, Any]) -> List[Any]:
        """The parts of a frame, ready to be written one after the other."""
        listed = []
        parts: List[Any] = []
        offset = 0
        for array in self._arrays:
            contiguous = np.ascontiguousarray(array)
            listed.append(
                {
                    "type": _NAMES[contiguous.dtype.newbyteorder("<")],
                    "shape": list(array.shape),
                    "offset": offset,
                }
            )
            if contiguous.size:
                parts.append(memoryview(contiguous).cast("B"))
            gap = -contiguous.nbytes % 8
            if gap:
                parts.append(bytes(gap))
            offset += contiguous.nbytes + gap
        if listed:
            header = {**header, "arrays": listed}
        text = json.dumps(header, allow_nan=False).encode()
        return [PREFIX.pack(MAGIC, len(text), offset) + text, *parts]


def read_header(text: bytes) -> Dict[str, Any]:
    return json.loads(text)


def read_arrays(header: Dict[str, Any], body: bytearray) -> List[np.ndarray]:
    """The arrays of a frame: views of its body, which nobody else holds."""
    arrays = []
    for one in header.get("arrays", ()):
        shape: Tuple[int, ...] = tuple(one["shape"])
        count = math.prod(shape)
        arrays.append(
            np.frombuffer(body, _TYPES[one["type"]], count, one["offset"]).reshape(shape)
        )
    return arrays
