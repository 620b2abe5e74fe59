"""Programs as JAX operations: `pure_callback` with a custom VJP."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._values import Tensor as _Tensor
from ._values import refuse
from .errors import NdvmError
from .machine import Evaluation, Gradient, Program

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError("ndvm.jax needs JAX, which is not installed here") from error

_RANKS = {"number": 0, "vector": 1, "matrix": 2}


def _lanes(arrays: Mapping[str, Any], kinds: Mapping[str, str]) -> Optional[int]:
    found: Optional[int] = None
    for name, one in arrays.items():
        extra = one.ndim - _RANKS[kinds.get(name, "number")]
        if extra not in (0, 1):
            raise refuse(f"input {name} has shape {list(one.shape)}",
                         "declare vectors and matrices: kinds={...}", names=[name])
        if extra == 1 and (found is None or found == 1):
            found = one.shape[0]
        elif extra == 1 and one.shape[0] not in (1, found):
            raise refuse(f"input {name} has {one.shape[0]} lanes, but another has {found}",
                         "arrays with a lane axis must agree in it", names=[name])
    return found


def operation(
    program: Program,
    wrt: Optional[Sequence[str]] = None,
    kinds: Optional[Mapping[str, str]] = None,
    shape: Tuple[int, ...] = (),
) -> Any:
    """A program as a function of keyword arrays, for `jax.grad`, `jax.jit` and `jax.vjp`.

    JAX has to know shapes before anything runs, so ``shape`` is that of one lane's result.
    """
    declared = dict(kinds or {})
    named = None if wrt is None else list(wrt)
    for name in (*(named or ()), *declared):
        if name not in program.inputs:
            raise NdvmError("E-OPTION", f"the program has no input {name}",
                            help=f"its inputs are {', '.join(program.inputs) or 'none'}")
    dtype = np.float32 if program.machine.precision == "f32" else np.float64

    def inputs_of(arrays: Mapping[str, Any], lanes: Optional[int]) -> Dict[str, Any]:
        given = {}
        for name, one in arrays.items():
            kind = declared.get(name, "number")
            array = np.asarray(one)
            if array.ndim > _RANKS[kind] and array.shape[0] == 1 and lanes != 1:
                array = array[0]
            if kind == "number":
                given[name] = array if array.ndim else float(array)
            else:
                given[name] = _Tensor(kind, array.astype("<f8"))
        return given

    def evaluate(arrays: Mapping[str, Any]) -> np.ndarray:
        lanes = _lanes(arrays, declared)
        values = Evaluation(*program.run("evaluate", inputs_of(arrays, lanes), {})).values
        return np.asarray(values, dtype).reshape((*(() if lanes is None else (lanes,)), *shape))

    def pull_back(arrays: Mapping[str, Any], adjoint: Any, names: Tuple[str, ...]) -> Any:
        lanes = _lanes(arrays, declared)
        options = {"wrt": list(names), "seed": np.asarray(adjoint, np.float64), "reduce": True}
        result = Gradient(*program.run("gradient", inputs_of(arrays, lanes), options))
        return {name: np.asarray(result.gradients[name], dtype).reshape(arrays[name].shape)
                for name in names}

    @jax.custom_vjp
    def call(arrays: Dict[str, Any]) -> Any:
        lanes = _lanes(arrays, declared)
        out = jax.ShapeDtypeStruct((*(() if lanes is None else (lanes,)), *shape), dtype)
        return jax.pure_callback(evaluate, out, arrays)

    def forward(arrays: Dict[str, Any]) -> Any:
        return call(arrays), arrays

    def backward(arrays: Dict[str, Any], adjoint: Any) -> Any:
        names = tuple(name for name in arrays if named is None or name in named)
        out = {name: jax.ShapeDtypeStruct(arrays[name].shape, dtype) for name in names}
        slopes = jax.pure_callback(
            lambda given, seed: pull_back(given, seed, names), out, arrays, adjoint)
        return ({name: slopes[name].astype(one.dtype) if name in slopes else jnp.zeros_like(one)
                 for name, one in arrays.items()},)

    call.defvjp(forward, backward)

    def apply(inputs: Optional[Mapping[str, Any]] = None, **keywords: Any) -> Any:
        return call({name: jnp.asarray(one, dtype)
                     for name, one in {**(inputs or {}), **keywords}.items()})

    return apply


__all__ = ["operation"]
