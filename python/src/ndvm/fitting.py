"""Calibration: a program's constants from data."""

from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

from ._frames import ArrayList
from ._html import fit_html
from ._process import service
from ._values import array_of, columns_of, data_json, option_json, plain, reals, unworded
from .errors import NdvmError, error_of
from .machine import Evaluation, Machine, Program, load_fields, values_by_row

#: Options in Python's spelling, and in that of the server.
_OPTIONS = {
    "huber_width": "huberWidth",
    "is_negative_log_likelihood": "isNegativeLogLikelihood",
    "steps_max": "stepsMax",
    "time_max": "timeMax",
}
_PLAIN = ("loss", "groups", "optimiser", "restarts", "seed", "steps", "chunk", "tolerances", "adam",
          "level", "detail", "together", "resume")
_COLUMNS = ("weights", "sigma", "trials")


class FitResult:
    """A fit: estimates in ``params``, their ``standard_errors`` and ``intervals``, and how well."""

    def __init__(self, program: Program, fields: Dict[str, Any],
                 prediction: Optional[np.ndarray], number: int, generation: int) -> None:
        #: Its number in the Node process, and in which of them: that one can draw it.
        self._place = (generation, number)
        weakref.finalize(self, service.release, generation, number)
        #: What the server tells, as JSON; ``resume=result.json`` goes on with it.
        self.json = fields
        known = unworded({key: one for key, one in fields.items() if key != "states"})
        self._known = known
        self.program = program
        best = known["best"]
        self.params: Dict[str, float] = best["params"]
        self.loss: float = best["loss"]
        self.r2: float = best["r2"]
        self.log_likelihood: float = best["logLikelihood"]
        self.aic: float = best["aic"]
        self.bic: float = best["bic"]
        self.standard_errors: Dict[str, float] = known.get("standardErrors", {})
        self.intervals: Dict[str, List[float]] = known.get("intervals", {})
        self.restarts: List[Dict[str, Any]] = known["restarts"]
        #: Whether the restart that the estimates come from has converged.
        self.has_converged: bool = any(
            one["hasConverged"] for one in self.restarts if one["index"] == best["restart"])
        #: What the program predicts on the rows of the data; None if its value is the loss.
        self.fitted_values = prediction

    def __getattr__(self, name: str) -> Any:
        words = name.split("_")
        key = words[0] + "".join(word.capitalize() for word in words[1:])
        known = self.__dict__.get("_known", {})
        if key in known:
            return known[key]
        raise AttributeError(f"a fit has no {name}; it has {', '.join(sorted(known))}")

    def predict(self, data: Any) -> np.ndarray:
        """What the fitted program says for other rows: a mapping or a data frame."""
        return values_by_row(self.program, self.params, columns_of(data))

    def evaluate(self, inputs: Optional[Mapping[str, Any]] = None, **named: Any) -> Evaluation:
        """Evaluates the program at the fitted parameters, as ``Program.evaluate`` does."""
        given, options = self.program.sort(inputs, named)
        return Evaluation(*self.program.run("evaluate", {**self.params, **given}, options))

    def export(self, format: str, **options: Any) -> str:
        """The fitted model as text: scheme, json, javascript, latex, sympy, numpy, math."""
        return self.program.export(format, self.params, **options)

    def latex(self) -> str:
        return self.export("latex")

    def figures(self) -> str:
        """The report's figures as HTML: data, fit and residuals. Empty if the Node process that made
        the fit has ended."""
        generation, number = self._place
        with service.lock:
            service.connect()
            if generation != service.generation:
                return ""
            answer, _ = service.call("fitFigures", {"fit": number}, ArrayList())
        return answer["html"]

    def __reduce__(self) -> Any:
        # Another process cannot draw it.
        return _rebuild, (self.program, self.json, self.fitted_values)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:.6g}" for name, value in self.params.items())
        return f"<FitResult {shown}; loss {self.loss:.6g}>"

    def _repr_html_(self) -> str:
        return fit_html(self)


def _rebuild(program: Program, fields: Dict[str, Any], prediction: Any) -> FitResult:
    return FitResult(program, fields, prediction, 0, -1)


def _params_json(params: Mapping[str, Any]) -> Dict[str, Any]:
    """A number is a start, a pair a range, a mapping the options of a parameter."""
    described: Dict[str, Any] = {}
    for name, given in params.items():
        option = f"params.{name}"
        if isinstance(given, Mapping):
            described[str(name)] = option_json(option, given)
            continue
        array = reals(given, f"the parameter {name}")
        if array.ndim > 0 and array.shape != (2,):
            raise NdvmError(
                "E-OPTION", f"the parameter {name} is given {array.size} numbers",
                help="give a start, a range of two numbers, or options: "
                "{'start': 1, 'bounds': (0, None)}",
                facts={"option": option},
            )
        sent = option_json(option, array.astype(np.float64))
        described[str(name)] = sent if array.ndim == 0 else {"range": sent}
    return described


def _options_json(
    data: Any, target: Any, params: Optional[Mapping[str, Any]], given: Dict[str, Any],
    arrays: ArrayList,
) -> Dict[str, Any]:
    options: Dict[str, Any] = {"data": data_json(data, arrays)} if data is not None else {}
    if target is not None:
        options["target"] = target if isinstance(target, str) else list(target)
    if params is not None:
        options["params"] = _params_json(params)
    for name, value in given.items():
        if value is None:
            continue
        if name in _COLUMNS:
            options[name] = value if isinstance(value, str) else arrays.add(reals(value, name))
        elif name in _PLAIN or name in _OPTIONS:
            options[_OPTIONS.get(name, name)] = option_json(name, value)
        else:
            known = ", ".join(sorted({*_COLUMNS, *_PLAIN, *_OPTIONS}))
            raise NdvmError("E-OPTION", f"fit has no option {name}", help=f"options are {known}",
                            facts={"option": name})
    return options


def fit(
    program: Union[Program, str],
    data: Any = None,
    target: Union[str, Sequence[str], None] = None,
    params: Optional[Mapping[str, Any]] = None,
    *,
    timeout: Optional[float] = None,
    on_progress: Optional[Callable[[Dict[str, Any]], None]] = None,
    **options: Any,
) -> FitResult:
    """Fits a program's constants to data.

    ``data`` are columns by name (a mapping or a data frame), ``target`` the column that the program
    predicts; names of the program that are not columns are parameters. ``params`` says where they
    start (a number), the range to draw starts from (a pair), or more (a mapping with ``start``,
    ``range``, ``bounds``, ``fixed``, ``scale``). Options as in JavaScript, in snake case: ``loss``,
    ``restarts``, ``seed``, ``weights``, ``sigma``, ``trials``, ``groups``, ``optimiser``, ``steps``
    (of the optimiser), ``time_max`` (milliseconds after which the best so far is the result),
    ``level``, ``resume`` …
    ``timeout`` (seconds) gives the whole call up with an error.
    """
    loaded = Machine().load(program) if isinstance(program, str) else program
    arrays = ArrayList()
    described = _options_json(data, target, params, options, arrays)
    described["isProgressWanted"] = on_progress is not None
    listener = None if on_progress is None else (
        lambda event: on_progress(plain(event["progress"])))
    with service.lock:
        answer, found = loaded.call("fit", {"options": described}, arrays, timeout=timeout,
                                    on_event=listener)
        generation = service.generation
    prediction = answer.get("prediction")
    fitted = None if prediction is None else array_of(prediction, found)
    return FitResult(loaded, answer["result"], fitted, answer["fit"], generation)


def fit_many(
    sources: Sequence[str],
    data: Any = None,
    target: Union[str, Sequence[str], None] = None,
    params: Optional[Mapping[str, Any]] = None,
    *,
    machine: Optional[Machine] = None,
    load: Optional[Mapping[str, Any]] = None,
    timeout: Optional[float] = None,
    **options: Any,
) -> List[Dict[str, Any]]:
    """Fits many programs in one call, in order. Each result is a mapping with ``params``, ``loss``,
    ``r2`` … or with ``error``: a program that cannot be fitted does not stop the others."""
    arrays = ArrayList()
    fields = {
        "machine": (machine or Machine()).options,
        "sources": list(sources),
        "load": load_fields(load),
        "options": _options_json(data, target, params, {"detail": "scores", **options}, arrays),
    }
    answer, _ = service.call("fitMany", fields, arrays, timeout=timeout)
    return [
        {"error": error_of(one["error"])} if "error" in one else plain(one["best"])
        for one in answer["results"]
    ]
