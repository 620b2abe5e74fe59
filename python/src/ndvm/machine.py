"""Machines, programs and their results."""

from __future__ import annotations

import math
import weakref
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._frames import ArrayList
from ._process import service
from ._values import array_of, datum, input_json, plain, reals, refuse
from .errors import NdvmError, error_of

#: Options of a run in Python's spelling, and in that of the server.
_RUN_OPTIONS = {
    "wrt": "wrt",
    "reduce": "reduce",
    "lanes": "lanes",
    "chunk": "chunk",
    "replay": "replay",
    "steps_max": "stepsMax",
    "tape_bytes_max": "tapeBytesMax",
    "time_max": "timeMax",
    "stats": "stats",
}
_RESERVED = frozenset({*_RUN_OPTIONS, "seed", "timeout", "inputs"})


class Evaluation:
    """The result of a run: one value for each lane."""

    def __init__(self, fields: Dict[str, Any], arrays: List[np.ndarray]) -> None:
        self.lanes: int = fields["lanes"]
        #: Whether any input had a lane axis; without one, arrays have no lane axis either.
        self.has_lanes: bool = fields["hasLanes"]
        shape = fields.get("shape")
        #: () number, (n,) vector, (r, c) matrix; None if the result is not numeric.
        self.shape: Optional[Tuple[int, ...]] = None if shape is None else tuple(shape)
        #: Counters of the run, if it was called with ``stats=True``.
        self.stats: Dict[str, Any] = plain(fields.get("stats", {}))
        #: Pairs of a lane and the error it ended with; such lanes have NaN values.
        self.failures: List[Tuple[int, NdvmError]] = [
            (one["lane"], error_of(one["error"])) for one in fields["failures"]
        ]
        #: Lanes whose result is not finite, with the operation that made it so.
        self.non_finite: List[Dict[str, Any]] = plain(fields["nonFinite"])
        self._datums = fields.get("datums")
        self._values: Optional[np.ndarray] = None
        if self.shape is not None:
            self._values = self._by_lane(array_of(fields["values"], arrays), self.shape)

    def _by_lane(self, flat: np.ndarray, shape: Tuple[int, ...]) -> np.ndarray:
        return flat.reshape((self.lanes, *shape) if self.has_lanes else shape)

    @property
    def values(self) -> np.ndarray:
        """Numbers by lane, then by element."""
        if self._values is None:
            raise NdvmError(
                "E-RESULT", "the result is not a number, vector or matrix",
                help="use datum(lane) to read it",
            )
        return self._values

    def datum(self, lane: int = 0) -> Any:
        """The result in one lane, whatever it is: lists, booleans, symbols, numbers, arrays."""
        if not 0 <= lane < self.lanes:
            raise NdvmError("E-OPTION", f"there is no lane {lane}: the run has {self.lanes}",
                            help="lanes are counted from 0")
        if self._datums is not None:
            return datum(self._datums[lane])
        value = self.values[lane] if self.has_lanes else self.values
        return float(value) if self.shape == () else value

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.lanes} lanes, shape {self.shape}>"


class Gradient(Evaluation):
    """Values and gradients by lane."""

    def __init__(
        self, fields: Dict[str, Any], arrays: List[np.ndarray], shapes: Mapping[str, Any]
    ) -> None:
        super().__init__(fields, arrays)
        if self.shape is None:
            raise NdvmError("E-RESULT", "the result is not a number, vector or matrix")
        #: Inputs asked for that reach the result through predicates only, or not at all.
        self.inactive: List[str] = fields.get("inactive", [])
        #: By lane, then by element of the input; without a lane axis where ``reduce`` summed it.
        self.gradients: Dict[str, np.ndarray] = {}
        for name, reference in fields["slopes"].items():
            flat = array_of(reference, arrays)
            shape = shapes.get(name, ())
            is_summed = flat.size < self.lanes * math.prod(shape)
            self.gradients[name] = (
                flat.reshape(shape) if is_summed else self._by_lane(flat, shape)
            )


class Jacobian(Evaluation):
    """Values, and every output element by every element of the inputs."""

    def __init__(
        self, fields: Dict[str, Any], arrays: List[np.ndarray], shapes: Mapping[str, Any]
    ) -> None:
        super().__init__(fields, arrays)
        #: By lane, then output elements, then elements of the input.
        self.jacobians: Dict[str, np.ndarray] = {
            name: self._by_lane(
                array_of(reference, arrays), (*(self.shape or ()), *shapes.get(name, ()))
            )
            for name, reference in fields["slopes"].items()
        }


class Machine:
    """Where programs run. ``precision`` is "f64" (default) or "f32"."""

    def __init__(self, precision: str = "f64", memory_max: Optional[int] = None) -> None:
        if precision not in ("f32", "f64"):
            raise NdvmError("E-OPTION", f"precision is {precision!r}", help="it is f32 or f64",
                            facts={"option": "precision"})
        self.precision = precision
        self.memory_max = memory_max

    @property
    def options(self) -> Dict[str, Any]:
        given = {"precision": self.precision, "memoryMax": self.memory_max}
        return {key: value for key, value in given.items() if value is not None}

    def load(
        self,
        source: str,
        *,
        inputs: Optional[Sequence[str]] = None,
        domain: Optional[str] = None,
        file: Optional[str] = None,
        language: Optional[str] = None,
    ) -> "Program":
        """Reads a program. Its free names are its inputs; ``inputs`` declares more."""
        load = {"inputs": list(inputs) if inputs is not None else None, "domain": domain,
                "file": file, "language": language}
        return Program(self, source, {k: v for k, v in load.items() if v is not None})

    def __repr__(self) -> str:
        return f"Machine(precision={self.precision!r})"


class Program:
    """A loaded program. It is loaded again by itself if the Node process was replaced."""

    def __init__(self, machine: Machine, source: str, load: Dict[str, Any]) -> None:
        if not isinstance(source, str):
            raise NdvmError("E-INPUT", f"a program is text, got {type(source).__name__}",
                            help="give its source, or machine.load(open(file).read())")
        self.machine = machine
        self.source = source
        self.load_options = load
        self._generation = -1
        self._number = -1
        self._finalizer: Optional[weakref.finalize] = None
        self.inputs: List[str] = []
        with service.lock:
            self._ensure()

    def _ensure(self) -> int:
        """Its number in the running process. The caller holds the service's lock."""
        service.connect()
        if self._generation != service.generation:
            fields = {"machine": self.machine.options, "source": self.source,
                      "load": self.load_options}
            answer, _ = service.call("load", fields, ArrayList())
            self._number = answer["program"]
            self._generation = service.generation
            self.inputs = answer["inputs"]
            if self._finalizer is not None:
                self._finalizer.detach()
            self._finalizer = weakref.finalize(
                self, service.release, self._generation, self._number
            )
        return self._number

    def call(
        self, name: str, fields: Dict[str, Any], arrays: ArrayList, **how: Any
    ) -> Tuple[Dict[str, Any], List[np.ndarray]]:
        """A call about this program, for this package's own use."""
        with service.lock:
            number = self._ensure()
            return service.call(name, {**fields, "program": number}, arrays, **how)

    def evaluate(self, inputs: Optional[Mapping[str, Any]] = None, **named: Any) -> Evaluation:
        """Evaluates for every lane. Inputs are keywords, or a mapping where names are no keywords.

        A number is shared by all lanes, an array of rank 1 has one value for each lane; ``vec`` and
        ``mat`` make vectors and matrices. Options: ``steps_max``, ``tape_bytes_max``, ``lanes``,
        ``chunk``, ``replay``, ``stats``, and ``timeout`` in seconds.
        """
        fields, arrays, _, timeout = self._request(inputs, named)
        return Evaluation(*self.call("evaluate", fields, arrays, timeout=timeout))

    def gradient(self, inputs: Optional[Mapping[str, Any]] = None, **named: Any) -> Gradient:
        """Values and gradients by ``wrt`` (default: all inputs). ``seed`` gives output adjoints,
        ``reduce=True`` sums gradients over lanes that share an input."""
        fields, arrays, shapes, timeout = self._request(inputs, named)
        return Gradient(*self.call("gradient", fields, arrays, timeout=timeout), shapes)

    def jacobian(self, inputs: Optional[Mapping[str, Any]] = None, **named: Any) -> Jacobian:
        """Values, and every output element by every element of the inputs named by ``wrt``."""
        fields, arrays, shapes, timeout = self._request(inputs, named)
        return Jacobian(*self.call("jacobian", fields, arrays, timeout=timeout), shapes)

    def export(self, format: str, params: Optional[Mapping[str, float]] = None,
               **options: Any) -> str:
        """The program with constants as text: scheme, json, javascript, latex, sympy, numpy, math."""
        return export_model(self.source, format, params, **options)

    def _request(
        self, inputs: Optional[Mapping[str, Any]], named: Dict[str, Any]
    ) -> Tuple[Dict[str, Any], ArrayList, Dict[str, Tuple[int, ...]], Optional[float]]:
        arrays = ArrayList()
        options: Dict[str, Any] = {}
        timeout = None
        values: Dict[str, Any] = dict(inputs or {})
        for name, value in named.items():
            if name not in _RESERVED or name in self.inputs:
                values[name] = value
            elif name == "timeout":
                timeout = value
            elif name == "seed":
                options["seed"] = value if np.isscalar(value) else arrays.add(
                    reals(value, "seed").ravel())
            elif value is not None:
                options[_RUN_OPTIONS[name]] = (
                    list(value) if name == "wrt" and not isinstance(value, str) else value)
        if isinstance(options.get("wrt"), str):
            raise refuse("wrt is one text", f"give a list: wrt=[{options['wrt']!r}]")
        encoded = {name: input_json(name, value, arrays) for name, value in values.items()}
        shapes = {name: _cell_shape(value) for name, value in values.items()}
        return {"inputs": encoded, "options": options}, arrays, shapes, timeout

    def __reduce__(self) -> Any:
        return Program, (self.machine, self.source, self.load_options)

    def __repr__(self) -> str:
        return f"<Program of {', '.join(self.inputs) or 'no inputs'}>"


def _cell_shape(value: Any) -> Tuple[int, ...]:
    """The shape of one lane's value of an input."""
    kind = getattr(value, "kind", None)
    if kind is None:
        return ()
    rank = 1 if kind == "vector" else 2
    return tuple(value.array.shape[-rank:])


def export_model(
    source: str, format: str, params: Optional[Mapping[str, float]] = None, **options: Any
) -> str:
    """A program with constants as text of another language."""
    names = {"is_symbolic": "isSymbolic", "is_module": "isModule"}
    fields = {
        "source": source,
        "format": format,
        "params": dict(params or {}),
        "options": {names.get(key, key): value for key, value in options.items()},
    }
    answer, _ = service.call("export", fields, ArrayList())
    return answer["text"]
