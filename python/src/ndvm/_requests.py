"""Requests: what a run sends, and what its answer tells, worked out once for each shape of inputs.

A program that is called again with other numbers of the same types and shapes needs the same header,
so a request keeps its bytes, and what the headers of its answers mean. Only numbers pass by then.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._frames import Place, frame_head
from ._process import read_answer, service
from ._values import options_json
from .errors import NdvmError

Shape = Tuple[int, ...]
#: An input as it is sent: name, kind, type and shape. An integer has its value for a type. Output
#: adjoints are of the kind "seed" and come last.
Signed = Tuple[str, str, Any, Shape]

#: Longer headers, and more of them, are read anew each time.
_KEPT_HEADER_MAX = 4096
_KEPT_ANSWERS_MAX = 8


class Request:
    """A call with inputs of certain types and shapes: everything but their numbers."""

    __slots__ = ("call", "number", "header", "head", "shapes", "_answers")

    def __init__(
        self,
        call: str,
        program: int,
        signature: Sequence[Signed],
        options: Mapping[str, Any],
        arrays: Sequence[np.ndarray],
    ) -> None:
        inputs: Dict[str, Any] = {}
        described = options_json(options)
        #: The shape of one lane's value of each input.
        self.shapes: Dict[str, Shape] = {}
        place = 0
        for name, kind, sent, shape in signature:
            if kind == "int":
                inputs[name] = {"int": sent}
                continue
            if kind == "seed":
                described["seed"] = {"$array": place}
            else:
                inputs[name] = {"$array": place, "kind": kind}
                rank = 1 if kind == "vector" else 2 if kind == "matrix" else 0
                self.shapes[name] = shape[len(shape) - rank :]
            place += 1
        self.call = call
        #: The call's number is always the same: one call is answered before the next is sent.
        self.number = service.next_number()
        self.header = {"id": self.number, "call": call, "program": program, "inputs": inputs,
                       "options": described}
        self.head = frame_head(self.header, arrays)
        self._answers: Dict[bytes, Answer] = {}

    def read(self, raw: bytes, number: int) -> Any:
        """What the header of a frame tells, if it is the answer."""
        known = self._answers.get(raw)
        if known is not None:
            return known
        header = read_answer(raw, number)
        if not isinstance(header, dict):
            return header
        answer = Answer(self.call, header["result"], header.get("arrays", ()), self.shapes)
        if answer.is_plain and len(raw) <= _KEPT_HEADER_MAX:
            if len(self._answers) >= _KEPT_ANSWERS_MAX:
                self._answers.clear()
            self._answers[raw] = answer
        return answer


class Answer:
    """What the header of an answer tells: answers that differ in numbers only share it."""

    def __init__(
        self,
        call: str,
        fields: Dict[str, Any],
        listed: Sequence[Mapping[str, Any]],
        shapes: Mapping[str, Shape],
    ) -> None:
        self.fields = fields
        self.lanes: int = fields["lanes"]
        self.has_lanes: bool = fields["hasLanes"]
        shape = fields.get("shape")
        self.shape: Optional[Shape] = None if shape is None else tuple(shape)
        #: Whether it tells nothing but numbers.
        self.is_plain = self.shape is not None and not (
            fields["failures"] or fields["nonFinite"] or "stats" in fields)
        self.values: Optional[Place] = None
        self.slopes: Dict[str, Place] = {}
        if self.shape is None:
            if call == "evaluate":
                return
            raise NdvmError("E-RESULT", "the result is not a number, vector or matrix")
        self.values = self._place(fields, "values", listed, self.shape)
        for name in fields.get("slopes", ()):
            cell = shapes.get(name, ())
            if call == "jacobian":
                cell = (*self.shape, *cell)
            self.slopes[name] = self._place(fields["slopes"], name, listed, cell)

    def _place(
        self, fields: Mapping[str, Any], name: str, listed: Sequence[Mapping[str, Any]], cell: Shape
    ) -> Place:
        """An array by lane, then by element; without a lane axis where lanes were summed."""
        if name not in fields:
            raise NdvmError("E-PROTOCOL", "an answer has no array where one belongs")
        place = Place(listed[fields[name]["$array"]])
        is_summed = math.prod(place.shape) < self.lanes * math.prod(cell)
        place.shape = (self.lanes, *cell) if self.has_lanes and not is_summed else cell
        return place


def signed(name: str, sent: Any, arrays: List[np.ndarray]) -> Signed:
    """Notes an input that was encoded; see ``_values.encode``."""
    kind, value = sent
    if kind == "int":
        return (name, kind, value, ())
    arrays.append(value)
    return (name, kind, value.dtype.char, value.shape)
