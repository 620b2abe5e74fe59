"""Machines, programs and their results."""

from __future__ import annotations

import math
import weakref
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._frames import ArrayList, frame_head, frame_parts
from ._process import Connection, service
from ._requests import Answer, Request, Signed, signed
from ._values import datum, encode, option_json, options_json, plain, reals, refuse
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
#: Requests that a program keeps; with more kinds of inputs they are made anew.
_REQUESTS_MAX = 64
#: What a keyword may mean besides an input.
OPTIONS = frozenset({*_RUN_OPTIONS, "seed", "timeout"})


class Evaluation:
    """The result of a run: one value for each lane."""

    def __init__(self, answer: Answer, body: bytearray) -> None:
        self.lanes: int = answer.lanes
        #: Whether any input had a lane axis; without one, arrays have no lane axis either.
        self.has_lanes: bool = answer.has_lanes
        #: () number, (n,) vector, (r, c) matrix; None if the result is not numeric.
        self.shape: Optional[Tuple[int, ...]] = answer.shape
        #: Counters of the run, if it was called with ``stats=True``.
        self.stats: Dict[str, Any] = {}
        #: Pairs of a lane and the error it ended with; such lanes have NaN values.
        self.failures: List[Tuple[int, NdvmError]] = []
        #: Lanes whose result is not finite, with the operation that made it so.
        self.non_finite: List[Dict[str, Any]] = []
        self._datums: Optional[List[Any]] = None
        place = answer.values
        self._values = None if place is None else place.array(body)
        if not answer.is_plain:
            self._read_more(answer.fields)

    def _read_more(self, fields: Dict[str, Any]) -> None:
        self.stats = plain(fields.get("stats", {}))
        self.failures = [(one["lane"], error_of(one["error"])) for one in fields["failures"]]
        self.non_finite = plain(fields["nonFinite"])
        self._datums = fields.get("datums")

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
            value = datum(self._datums[lane])
            # A number as it is where the other lanes have numbers, too.
            return float(value) if type(value) is int else value
        value = self.values[lane] if self.has_lanes else self.values
        return float(value) if self.shape == () else value

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.lanes} lanes, shape {self.shape}>"


class Gradient(Evaluation):
    """Values and gradients by lane."""

    def __init__(self, answer: Answer, body: bytearray) -> None:
        super().__init__(answer, body)
        #: Inputs asked for that reach the result through predicates only, or not at all.
        self.inactive: List[str] = list(answer.fields.get("inactive", ()))
        #: By lane, then by element of the input; without a lane axis where ``reduce`` summed it.
        self.gradients: Dict[str, np.ndarray] = {
            name: place.array(body) for name, place in answer.slopes.items()
        }


class Jacobian(Evaluation):
    """Values, and every output element by every element of the inputs."""

    def __init__(self, answer: Answer, body: bytearray) -> None:
        super().__init__(answer, body)
        #: By lane, then output elements, then elements of the input.
        self.jacobians: Dict[str, np.ndarray] = {
            name: place.array(body) for name, place in answer.slopes.items()
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
        return options_json({key: value for key, value in given.items() if value is not None})

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
        load = {"inputs": inputs, "domain": domain, "file": file, "language": language}
        return Program(self, source, load_fields(load))

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
        #: Requests that were made, by call, options, and types and shapes of the inputs.
        self._requests: Dict[Any, Request] = {}
        self.inputs: List[str] = []
        with service.lock:
            self._ensure()

    def _ensure(self) -> Connection:
        """The running process, which knows this program. The caller holds the service's lock."""
        connection = service.connect()
        if self._generation != service.generation:
            fields = {"machine": self.machine.options, "source": self.source,
                      "load": self.load_options}
            answer, _ = service.call("load", fields, ArrayList())
            self._number = answer["program"]
            self._generation = service.generation
            self._requests = {}
            self.inputs = answer["inputs"]
            if self._finalizer is not None:
                self._finalizer.detach()
            self._finalizer = weakref.finalize(
                self, service.release, self._generation, self._number
            )
        return connection

    def call(
        self, name: str, fields: Dict[str, Any], arrays: ArrayList, **how: Any
    ) -> Tuple[Dict[str, Any], List[np.ndarray]]:
        """A call about this program, for this package's own use."""
        with service.lock:
            self._ensure()
            return service.call(name, {**fields, "program": self._number}, arrays, **how)

    def evaluate(self, inputs: Optional[Mapping[str, Any]] = None, **named: Any) -> Evaluation:
        """Evaluates for every lane. Inputs are keywords, or a mapping where names are no keywords.

        A number is shared by all lanes, an array of rank 1 has one value for each lane; ``vec`` and
        ``mat`` make vectors and matrices. Options: ``steps_max``, ``tape_bytes_max``, ``lanes``,
        ``chunk``, ``replay``, ``stats``, and ``timeout`` in seconds. A keyword that names both an
        option and an input of the program is the input; it is the option where the mapping gives
        that input.
        """
        return Evaluation(*self.run("evaluate", *self.sort(inputs, named)))

    def gradient(self, inputs: Optional[Mapping[str, Any]] = None, **named: Any) -> Gradient:
        """Values and gradients by ``wrt`` (default: all inputs). ``seed`` gives output adjoints,
        ``reduce=True`` sums gradients over lanes that share an input."""
        return Gradient(*self.run("gradient", *self.sort(inputs, named)))

    def jacobian(self, inputs: Optional[Mapping[str, Any]] = None, **named: Any) -> Jacobian:
        """Values, and every output element by every element of the inputs named by ``wrt``."""
        return Jacobian(*self.run("jacobian", *self.sort(inputs, named)))

    def export(self, format: str, params: Optional[Mapping[str, float]] = None,
               **options: Any) -> str:
        """The program with constants as text: scheme, json, javascript, latex, sympy, numpy, math."""
        return export_model(self.source, format, params, load=self.load_options, **options)

    def sort(
        self, inputs: Optional[Mapping[str, Any]], named: Mapping[str, Any]
    ) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """Which keywords of a call are inputs, and which are options; for this package's own use."""
        values = _by_name(inputs)
        options: Dict[str, Any] = {}
        for name, value in named.items():
            # Keywords differ from one another, so a name that is in the values is the mapping's.
            is_input = name not in OPTIONS or (name in self.inputs and name not in values)
            (values if is_input else options)[name] = value
        return values, options

    def run(
        self, call: str, values: Mapping[str, Any], given: Mapping[str, Any]
    ) -> Tuple[Answer, bytearray]:
        """A run, for this package's own use: what it asks for is never taken for an input."""
        timeout, seed = given.get("timeout"), given.get("seed")
        options: Dict[str, Any] = {
            _RUN_OPTIONS[name]: _option(name, value)
            for name, value in given.items() if name in _RUN_OPTIONS and value is not None
        }
        arrays: List[np.ndarray] = []
        signature = [signed(name, encode(name, value), arrays) for name, value in values.items()]
        if seed is not None and np.isscalar(seed):
            options["seed"] = _seed_number(seed)
        elif seed is not None:
            arrays.append(reals(seed, "seed").ravel())
            signature.append(("seed", "seed", arrays[-1].dtype.char, arrays[-1].shape))
        return self._exchange(call, tuple(signature), options, arrays, timeout)

    def _exchange(
        self,
        call: str,
        signature: Tuple[Signed, ...],
        options: Dict[str, Any],
        arrays: List[np.ndarray],
        timeout: Optional[float],
    ) -> Tuple[Answer, bytearray]:
        key = (call, signature, tuple(options.items()))
        with service.lock:
            connection = self._ensure()
            request = self._requests.get(key)
            if request is None:
                if len(self._requests) >= _REQUESTS_MAX:
                    self._requests.clear()
                request = Request(call, self._number, signature, options, arrays)
                self._requests[key] = request
            released = service.released()
            head = frame_head({**request.header, **released}, arrays) if released else request.head
            frame = frame_parts(head, arrays)
            return service.exchange(connection, request.number, frame, timeout, request.read)

    def __reduce__(self) -> Any:
        return Program, (self.machine, self.source, self.load_options)

    def __repr__(self) -> str:
        return f"<Program of {', '.join(self.inputs) or 'no inputs'}>"


def _by_name(inputs: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    try:
        return {} if inputs is None else dict(inputs)
    except (TypeError, ValueError) as error:
        raise refuse(f"inputs are {type(inputs).__name__}, not a mapping",
                     "give them by name: {'inputs': 1.0} for an input of that name") from error


def values_by_row(
    program: Program, params: Mapping[str, Any], columns: Mapping[str, Any]
) -> np.ndarray:
    """A program's values for columns of data: one for each row, also where it uses no column; one
    number where the columns are single numbers."""
    used = {name: one for name, one in columns.items() if name in program.inputs}
    lanes = None
    if not any(np.ndim(one) for one in used.values()):
        lanes = next((len(one) for one in columns.values() if np.ndim(one)), None)
    return Evaluation(*program.run("evaluate", {**params, **used}, {"lanes": lanes})).values


def _option(name: str, value: Any) -> Any:
    """An option of a run; lists become tuples, which can be part of a key."""
    if name == "wrt" and isinstance(value, str):
        raise refuse("wrt is one text", f"give a list: wrt=[{value!r}]")
    # A number in NumPy's kinds is Python's own here; infinity gets its word when the frame is made.
    if isinstance(value, (np.bool_, np.number)):
        value = value.item()
    if isinstance(value, (str, int, float)):
        return value
    return _frozen(option_json(name, value))


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return _frozen(list(value.items()))
    return tuple(_frozen(one) for one in value) if isinstance(value, (list, tuple)) else value


def _seed_number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise refuse(f"the seed is {number}", "give a finite number, or an array with one by output")
    return number


def load_fields(load: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """How a text is loaded, as a frame has it; for this package's own use. What is no sequence of
    names is sent as it is, and refused there: a text must not come as its letters."""
    fields = {name: value for name, value in (load or {}).items() if value is not None}
    inputs = fields.get("inputs")
    if isinstance(inputs, Iterable) and not isinstance(inputs, str):
        fields["inputs"] = list(inputs)
    return fields


def export_model(
    source: str,
    format: str,
    params: Optional[Mapping[str, float]] = None,
    *,
    load: Optional[Mapping[str, Any]] = None,
    **options: Any,
) -> str:
    """A program with constants as text of another language. ``load`` says how the program is loaded:
    ``inputs`` whose names are words or procedures of the language, its ``domain``, and its ``language``."""
    names = {"is_symbolic": "isSymbolic", "is_module": "isModule"}
    fields = {
        "source": source,
        "format": format,
        "params": options_json(params or {}),
        "load": load_fields(load),
        "options": options_json({names.get(key, key): one for key, one in options.items()}),
    }
    answer, _ = service.call("export", fields, ArrayList())
    return answer["text"]
