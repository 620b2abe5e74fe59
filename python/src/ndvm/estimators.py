"""scikit-learn estimators: a model found by search, and the constants of a given program."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np

from .errors import NdvmError
from .fitting import fit
from .machine import Machine, values_by_row
from .searching import Model, search

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.utils.validation import check_array, check_is_fitted, check_X_y
except ImportError as error:
    raise ImportError(
        "FitRegressor and SearchRegressor need scikit-learn, which is not installed here"
    ) from error


def _names_of(X: Any, count: int) -> List[str]:
    """Names of the columns: a data frame's if all are texts, else x0, x1 …"""
    columns = getattr(X, "columns", None)
    if columns is not None and all(isinstance(one, str) for one in columns):
        return [str(one) for one in columns]
    return [f"x{index}" for index in range(count)]


class _Regressor(RegressorMixin, BaseEstimator):
    """What both estimators do with rows."""

    def _read(self, X: Any, y: Any, rows_min: int = 1) -> Any:
        rows, target = check_X_y(X, y, dtype=np.float64, y_numeric=True,
                                 ensure_min_samples=rows_min)
        self.n_features_in_ = rows.shape[1]
        self.variables_ = _names_of(X, rows.shape[1])
        columns = getattr(X, "columns", None)
        if columns is not None and all(isinstance(one, str) for one in columns):
            self.feature_names_in_ = np.asarray(columns, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return rows, target

    def _columns(self, X: Any) -> Dict[str, np.ndarray]:
        check_is_fitted(self)
        if hasattr(self, "_check_feature_names"):
            self._check_feature_names(X, reset=False)
        rows = check_array(X, dtype=np.float64)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        return dict(zip(self.variables_, np.ascontiguousarray(rows.T)))

    def _more_tags(self) -> Dict[str, Any]:
        return {"poor_score": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


def _target_name(variables: Sequence[str]) -> str:
    name = "y"
    while name in variables:
        name += "_"
    return name


class SearchRegressor(_Regressor):
    """Finds a formula for ``y`` by searching programs, as PySR's regressor does.

    After ``fit``: ``equations_`` is the front as a data frame, ``get_best()`` its choice, ``latex()``
    and ``sympy()`` its formula. ``predict(X, index=3)`` takes another member. With ``candidates`` and
    ``random_state`` the result is the same on every computer. ``warm_start=True`` begins the next
    ``fit`` with the programs of the last one.
    """

    def __init__(
        self,
        candidates: Optional[int] = None,
        seconds: Optional[float] = None,
        operators: Optional[Sequence[str]] = None,
        complexity_max: Optional[int] = None,
        workers: Optional[int] = None,
        seed: int = 0,
        random_state: Optional[int] = None,
        start: Optional[Sequence[str]] = None,
        warm_start: bool = False,
        verbose: bool = False,
    ) -> None:
        self.candidates = candidates
        self.seconds = seconds
        self.operators = operators
        self.complexity_max = complexity_max
        self.workers = workers
        self.seed = seed
        self.random_state = random_state
        self.start = start
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> "SearchRegressor":
        rows, target = self._read(X, y)
        name = _target_name(self.variables_)
        data = {**dict(zip(self.variables_, np.ascontiguousarray(rows.T))), name: target}
        starts = list(self.start or ())
        if self.warm_start and hasattr(self, "models_"):
            starts += [one.source for one in self.models_]
        if len(target) < 4 or np.all(target == target[0]):
            self.models_ = [_constant(target, self.variables_)]
            self.choice_ = 0
            self.warnings_: List[str] = ["there are too few different values to search"]
        else:
            self._search(data, name, starts)
        self.equations_ = _equations(self.models_, self.choice_)
        return self

    def _search(self, data: Mapping[str, np.ndarray], name: str, starts: List[str]) -> None:
        has_limit = self.candidates is not None or self.seconds is not None
        result = search(
            data,
            name,
            candidates=self.candidates if has_limit else 20_000,
            seconds=self.seconds,
            operators=None if self.operators is None else list(self.operators),
            complexity_max=self.complexity_max,
            workers=self.workers,
            seed=self.seed if self.random_state is None else int(self.random_state),
            start=starts or None,
            progress=self.verbose,
        )
        if not result.front:
            self.models_ = [_constant(data[name], self.variables_)]
            self.choice_ = 0
        else:
            self.models_ = result.front
            self.choice_ = next(i for i, one in enumerate(result.front)
                                if one is result.choice)
        self.warnings_ = result.warnings

    def get_best(self, index: Optional[int] = None) -> Model:
        """The chosen model, or the member at a row of ``equations_``."""
        check_is_fitted(self)
        return self.models_[self.choice_ if index is None else index]

    def predict(self, X: Any, index: Optional[int] = None) -> np.ndarray:
        columns = self._columns(X)
        return np.array(self.get_best(index).predict(columns), dtype=np.float64)

    def latex(self, index: Optional[int] = None) -> str:
        return self.get_best(index).latex()

    def sympy(self, index: Optional[int] = None) -> Any:
        """The formula as a SymPy expression where SymPy is installed, else as its text."""
        return _sympy(self.get_best(index).sympy())

    def _repr_html_(self) -> str:
        if not hasattr(self, "equations_"):
            return f"<pre>{self!r}</pre>"
        table = self.equations_
        body = table.to_html() if hasattr(table, "to_html") else f"<pre>{table}</pre>"
        return f"<p>$${self.latex()}$$</p>{body}"


def _constant(target: np.ndarray, variables: Sequence[str]) -> Model:
    """The mean, where no search is possible. Its loss is a search's: the sum of squares."""
    mean = float(np.mean(target))
    fields = {"source": "c", "params": {"c": mean}, "complexity": 1,
              "loss": float(np.sum((target - mean) ** 2)), "r2": float("nan"), "visit": 0}
    return Model(fields, [*variables])


def _equations(models: Sequence[Model], choice: int) -> Any:
    """The front as a data frame; as a list of mappings where pandas is not installed."""
    rows = [
        {
            "complexity": one.complexity,
            "loss": one.loss,
            "bits": one.length,
            "r2": one.r2,
            "equation": one.equation,
            "sympy_format": one.sympy(),
            "lambda_format": one.predict,
            "pick": ">>>>" if index == choice else "",
        }
        for index, one in enumerate(models)
    ]
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _sympy(text: str) -> Any:
    try:
        import sympy
    except ImportError:
        return text
    names: Dict[str, Any] = {}
    exec(text, {"__builtins__": __builtins__, "sympy": sympy}, names)  # our own export
    return names.get("model", names.get("expression", text))


class FitRegressor(_Regressor):
    """Fits the constants of a program whose inputs are the columns of ``X``."""

    def __init__(
        self,
        source: str = "(+ intercept (* slope x0))",
        params: Optional[Mapping[str, Any]] = None,
        loss: str = "squares",
        restarts: int = 1,
        seed: int = 0,
    ) -> None:
        self.source = source
        self.params = params
        self.loss = loss
        self.restarts = restarts
        self.seed = seed

    def fit(self, X: Any, y: Any) -> "FitRegressor":
        rows, target = self._read(X, y, rows_min=2)
        columns = dict(zip(self.variables_, np.ascontiguousarray(rows.T)))
        program = Machine().load(self.source)
        # A constant of the program may be called y, too.
        name = _target_name((*self.variables_, *program.inputs))
        used = {key: one for key, one in columns.items() if key in program.inputs}
        self.result_ = fit(
            program, {**used, name: target}, name, self.params, loss=self.loss,
            restarts=self.restarts, seed=self.seed,
        )
        self.params_ = self.result_.params
        return self

    def predict(self, X: Any) -> np.ndarray:
        columns = self._columns(X)
        values = values_by_row(self.result_.program, self.params_, columns)
        return np.array(values, dtype=np.float64)

    def latex(self) -> str:
        check_is_fitted(self)
        return self.result_.latex()

    def sympy(self) -> Any:
        check_is_fitted(self)
        return _sympy(self.result_.export("sympy"))


__all__ = ["FitRegressor", "NdvmError", "SearchRegressor"]
