"""NDVM: small programs as models, with exact gradients.

    import ndvm
    machine = ndvm.Machine(precision="f64")
    program = machine.load("(* a (exp (* k t)))")
    result = program.gradient(a=2.0, k=-0.5, t=[0, 1, 2], wrt=["a", "k"])
    result.values, result.gradients["a"]

``fit`` finds a program's constants, ``search`` the program itself. ``ndvm.torch`` and ``ndvm.jax``
make programs operations of those libraries; ``FitRegressor`` and ``SearchRegressor`` are
scikit-learn estimators. Everything runs in one Node process, which starts on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._values import int_, mat, vec
from .errors import NdvmError
from .fitting import FitResult, fit, fit_many
from .machine import Evaluation, Gradient, Jacobian, Machine, Program, export_model
from .searching import Model, SearchResult, search

if TYPE_CHECKING:
    from .estimators import FitRegressor, SearchRegressor

__version__ = "0.1.0"
__all__ = [
    "Evaluation",
    "FitRegressor",
    "FitResult",
    "Gradient",
    "Jacobian",
    "Machine",
    "Model",
    "NdvmError",
    "Program",
    "SearchRegressor",
    "SearchResult",
    "export_model",
    "fit",
    "fit_many",
    "int_",
    "mat",
    "search",
    "vec",
]


def __getattr__(name: str) -> Any:
    # scikit-learn is looked for only when somebody asks for an estimator.
    if name in ("FitRegressor", "SearchRegressor"):
        from . import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module 'ndvm' has no attribute {name!r}")
