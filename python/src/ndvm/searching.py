"""Co-search: programs for data, from nothing but the data."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy as np

from ._frames import ArrayList
from ._html import search_html
from ._process import service
from ._values import columns_of, data_json, option_json, options_json, plain
from .errors import NdvmError
from .machine import Machine, Program, export_model, values_by_row

_OPTIONS = {"hold_out": "holdOut", "complexity_max": "complexityMax"}
_PLAIN = ("inputs", "seed", "workers", "operators", "precision", "domain", "description", "recipe",
          "limits", "epoch", "islands", "lag", "archive", "resume", "keep")


class Model:
    """One member of the front: a program with its constants."""

    def __init__(
        self, fields: Dict[str, Any], inputs: Sequence[str], domain: Optional[str] = None
    ) -> None:
        self.fields = fields
        self.inputs = list(inputs)
        #: What sqrt and log do outside of their domain: "ieee" or "clamp".
        self.domain: str = domain or "ieee"
        self.source: str = fields["source"]
        self.params: Dict[str, float] = fields["params"]
        self.complexity: int = fields["complexity"]
        self.loss: float = fields["loss"]
        #: Held-out R².
        self.r2: float = fields["r2"]
        #: Description length in bits: the member with the least is the choice.
        self.length: Optional[float] = fields.get("length")

    @property
    def equation(self) -> str:
        """The model with its constants as a line of mathematics."""
        return self._text("math")

    def latex(self) -> str:
        return self._text("latex")

    def sympy(self) -> str:
        return self._text("sympy")

    def _text(self, format: str) -> str:
        try:
            return export_model(self.source, format, self.params, load=self._load())
        except NdvmError as error:
            if error.code == "E-REFUSED":  # loops and branches have no closed form
                return self.source
            raise

    def _load(self) -> Dict[str, Any]:
        return {"inputs": self.inputs, "domain": self.domain}

    def program(self, precision: str = "f64") -> Program:
        return Machine(precision).load(self.source, **self._load())

    def predict(self, data: Any) -> np.ndarray:
        """Predictions for columns by name: a mapping or a data frame."""
        columns = columns_of(data)
        given = {name: one for name, one in columns.items() if name not in self.params}
        return values_by_row(self.program(), self.params, given)

    def __repr__(self) -> str:
        return f"<Model {self.equation}; complexity {self.complexity}, R² {self.r2:.6g}>"


class SearchResult:
    """What a search found: ``choice`` (the shortest law), ``best`` (the closest on training rows), ``front``."""

    def __init__(
        self,
        told: Dict[str, Any],
        inputs: Sequence[str],
        target: str,
        data: Any,
        domain: Optional[str] = None,
    ) -> None:
        self._told = told
        self._target = target
        self._data = data
        done = plain(told)
        self.done = done
        self.inputs = list(inputs)
        self.domain: str = domain or "ieee"
        self.front: List[Model] = [Model(one, inputs, domain) for one in done["front"]]
        self.choice = self._member("choice")
        self.best = self._member("best")
        self.counts: Dict[str, Any] = done["counts"]
        self.warnings: List[str] = done["warnings"]
        self.stopped: str = done["stopped"]

    def _member(self, key: str) -> Optional[Model]:
        fields = self.done.get(key)
        if fields is None:
            return None
        return next((one for one in self.front if one.fields["visit"] == fields["visit"]),
                    Model(fields, self.inputs, self.domain))

    def figures(self) -> str:
        """The report's figures as HTML: the choice beside the data, and the front."""
        arrays = ArrayList()
        given = columns_of(self._data)
        columns = {name: given[name] for name in (*self.inputs, self._target)}
        fields = {"target": self._target, "inputs": self.inputs, "domain": self.domain,
                  "front": self._told["front"], "data": data_json(columns, arrays), "chosen": self._told.get("choice")}
        answer, _ = service.call("searchFigures", fields, arrays)
        return answer["html"]

    def __repr__(self) -> str:
        return f"<SearchResult {self.choice!r}>"

    def _repr_html_(self) -> str:
        return search_html(self)


class _Line:
    """How a search gets on, in one line of a terminal or notebook that is written over."""

    def __init__(self) -> None:
        self._best = ""

    def show(self, event: Mapping[str, Any]) -> None:
        if event["type"] == "front" and event["front"]:
            self._best = f", best training R² {event['front'][-1]['trainR2']:.6g}"
        if event["type"] != "progress":
            return
        counts = event["counts"]
        said = f"{event['seconds']:.0f} s, {counts['candidates']} candidates{self._best}"
        print(f"\r{said:<72}", end="", flush=True)

    def end(self) -> None:
        print(flush=True)


def _held_rows(held: Any, rows: int) -> Dict[str, Any]:
    """Rows to hold out that are told by a mask, one boolean for each row of the data, as their numbers."""
    if not isinstance(held, list) or not held or not all(isinstance(one, bool) for one in held):
        return {}
    if len(held) != rows:
        raise NdvmError("E-OPTION", f"hold_out is a mask of {len(held)} rows, the data have {rows}",
                        help="give one boolean for each row, or the numbers of rows",
                        facts={"option": "hold_out"})
    return {"holdOut": [row for row, is_held in enumerate(held) if is_held]}


def search(
    data: Any,
    target: str,
    *,
    seconds: Optional[float] = None,
    candidates: Optional[int] = None,
    fits: Optional[int] = None,
    r2: Optional[float] = None,
    start: Optional[Sequence[str]] = None,
    evolve: Optional[Mapping[str, Any]] = None,
    timeout: Optional[float] = None,
    progress: bool = False,
    on_event: Optional[Callable[[Dict[str, Any]], None]] = None,
    **options: Any,
) -> SearchResult:
    """Searches for the program behind a column of the data.

    ``seconds``, ``candidates``, ``fits`` and ``r2`` limit it; at least one of them is needed. With a
    budget in candidates and a ``seed``, the result is the same on every computer. ``start`` are
    programs to begin with. ``progress=True`` shows how it gets on, in one line. Ctrl-C ends it. Other options as in JavaScript, in snake case.
    """
    budget = {key: option_json(key, value) for key, value in
              {"seconds": seconds, "candidates": candidates, "fits": fits, "r2": r2}.items()
              if value is not None}
    if not budget:
        raise NdvmError("E-OPTION", "a search needs a limit", facts={"option": "budget"},
                        help="give seconds=30 or candidates=20000")
    arrays = ArrayList()
    described: Dict[str, Any] = {"data": data_json(data, arrays), "target": target,
                                 "budget": budget}
    seeds = [] if start is None else list(start)
    if start is not None or evolve is not None:
        described["evolve"] = options_json({**(evolve or {}), **({"seeds": seeds} if seeds else {})})
    for name, value in options.items():
        if name not in _PLAIN and name not in _OPTIONS:
            known = ", ".join(sorted({*_PLAIN, *_OPTIONS}))
            raise NdvmError("E-OPTION", f"search has no option {name}",
                            help=f"options are {known}", facts={"option": name})
        if value is not None:
            described[_OPTIONS.get(name, name)] = option_json(name, value)
    described.update(_held_rows(described.get("holdOut"), np.size(columns_of(data).get(target, ()))))
    line = _Line() if progress else None

    def listen(told: Dict[str, Any]) -> None:
        event = plain(told["event"])
        if line is not None:
            line.show(event)
        if on_event is not None:
            on_event(event)

    try:
        answer, _ = service.call("search", {"options": described}, arrays, timeout=timeout,
                                 on_event=listen)
    finally:
        if line is not None:
            line.end()
    names = described.get("inputs") or [name for name in described["data"] if name != target]
    return SearchResult(answer["done"], names, target, data, options.get("domain"))
