"""Programs as PyTorch operations: tensors in, a tensor out, and autograd works."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._values import Tensor as _Tensor
from ._values import refuse
from .errors import NdvmError
from .machine import Machine, Program

try:
    import torch
except ImportError as error:
    raise ImportError("ndvm.torch needs PyTorch, which is not installed here") from error

_RANKS = {"number": 0, "vector": 1, "matrix": 2}


class _Argument:
    """One tensor of a call, as numbers, and which axis of it is the lanes."""

    def __init__(self, name: str, tensor: torch.Tensor, kind: str) -> None:
        if not tensor.is_floating_point() and tensor.dtype not in (
            torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8,
        ):
            raise refuse(f"input {name} is {tensor.dtype}, not of real numbers",
                         f"convert it: {name}.double()", names=[name])
        extra = tensor.ndim - _RANKS[kind]
        if extra not in (0, 1):
            raise refuse(
                f"input {name} has shape {list(tensor.shape)}, but it is declared as a {kind}",
                f"give rank {_RANKS[kind]} to share it, one more for a {kind} in each lane; "
                f"declare others: kinds={{'{name}': 'vector'}}", names=[name],
            )
        self.name = name
        self.kind = kind
        self.shape = tensor.shape
        self.dtype = tensor.dtype
        self.device = tensor.device
        self.lanes: Optional[int] = tensor.shape[0] if extra == 1 else None
        self.array = _array(tensor)

    def input(self, lanes: Optional[int]) -> Any:
        """What the program takes: a lane axis of length 1 beside longer ones is shared."""
        array = self.array
        if self.lanes == 1 and lanes != 1:
            array = array[0]
        if self.kind == "number":
            return array if array.ndim else array[()]
        return _Tensor(self.kind, array)

    def gradient(self, flat: np.ndarray, lanes: Optional[int]) -> torch.Tensor:
        """Gradients by lane as the tensor's own: summed over lanes that share it."""
        if (self.lanes is None or self.lanes != lanes) and lanes is not None:
            flat = _sum_lanes(flat)
        return torch.from_numpy(np.array(flat)).reshape(self.shape).to(
            device=self.device, dtype=self.dtype)


def _array(tensor: torch.Tensor) -> np.ndarray:
    array = tensor.detach().cpu()
    if array.dtype not in (torch.float32, torch.float64):
        array = array.double()
    return array.contiguous().numpy()


def _sum_lanes(values: np.ndarray) -> np.ndarray:
    """Sums along the first axis as NDVM does everywhere: eight partial sums, then a fixed tree."""
    values = values.astype(np.float64)
    partials = np.zeros((8, *values.shape[1:]))
    for index in range(8):
        part = values[index::8]
        if len(part):
            # A running sum keeps the order of the rows; numpy's own sum pairs them up.
            partials[index] = np.add.accumulate(part, axis=0)[-1] if len(part) > 1 else part[0] + 0.0
    while len(partials) > 1:
        partials = partials[0::2] + partials[1::2]
    return partials[0]


def _lanes_of(arguments: Sequence[_Argument]) -> Optional[int]:
    with_lanes = [one for one in arguments if one.lanes is not None]
    widest = next((one for one in with_lanes if one.lanes != 1),
                  with_lanes[0] if with_lanes else None)
    for one in with_lanes:
        if widest is not None and one.lanes not in (1, widest.lanes):
            raise refuse(
                f"input {one.name} has {one.lanes} lanes, but {widest.name} has {widest.lanes}",
                "tensors with a lane axis must agree in it", names=[one.name, widest.name],
            )
    return None if widest is None else widest.lanes


class _Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, call: "_Call", *tensors: torch.Tensor) -> torch.Tensor:
        ctx.call = call
        return call.forward()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, adjoint: torch.Tensor) -> Any:
        call: _Call = ctx.call
        wanted = [name for name, is_wanted in zip(call.wrt, ctx.needs_input_grad[1:]) if is_wanted]
        gradients = call.backward(adjoint, wanted)
        return (None, *(gradients.get(name) for name in call.wrt))


class _Call:
    """One call of an operation: its numbers are read once."""

    def __init__(self, operation: "Operation", tensors: Mapping[str, torch.Tensor],
                 others: Mapping[str, Any]) -> None:
        self.program = operation.program
        self.limits = operation.limits
        arguments = [_Argument(name, one, operation.kinds.get(name, "number"))
                     for name, one in tensors.items()]
        self.arguments = {one.name: one for one in arguments}
        self.wrt = [name for name in tensors if operation.wrt is None or name in operation.wrt]
        self.lanes = _lanes_of(arguments)
        self.inputs = {**others, **{one.name: one.input(self.lanes) for one in arguments}}
        like = next(iter(tensors.values()), None)
        floating = [one for one in tensors.values() if one.is_floating_point()]
        self.device = like.device if like is not None else torch.device("cpu")
        self.dtype = torch.promote_types(
            torch.float32 if operation.program.machine.precision == "f32" else torch.float64,
            torch.float32,
        ) if not floating else _result_type(floating)
        self._slopes: Optional[Dict[str, np.ndarray]] = None
        self.needs_gradient = torch.is_grad_enabled() and any(
            tensors[name].requires_grad for name in self.wrt)

    def forward(self) -> torch.Tensor:
        if self.lanes == 0:
            return torch.zeros(0, dtype=self.dtype, device=self.device)
        if not self.needs_gradient:
            return self._tensor(self.program.evaluate(self.inputs, **self.limits).values)
        try:
            # One pass for values and derivatives; the backward pass then only multiplies.
            result = self.program.gradient(self.inputs, wrt=self.wrt, **self.limits)
            self._slopes = result.gradients
            return self._tensor(result.values)
        except NdvmError as error:
            if error.code != "E-RESULT":
                raise
            return self._tensor(self.program.evaluate(self.inputs, **self.limits).values)

    def backward(self, adjoint: torch.Tensor, wanted: List[str]) -> Dict[str, torch.Tensor]:
        if self.lanes == 0:
            return {name: torch.zeros_like(adjoint).expand(self.arguments[name].shape)
                    for name in wanted}
        seeds = _array(adjoint)
        slopes = self._slopes
        if slopes is None:
            slopes = self.program.gradient(
                self.inputs, wrt=wanted, seed=seeds, **self.limits).gradients
        else:
            slopes = {name: one * seeds.reshape(seeds.shape + (1,) * (one.ndim - seeds.ndim))
                      for name, one in slopes.items()}
        return {name: self.arguments[name].gradient(slopes[name], self.lanes) for name in wanted}

    def _tensor(self, values: np.ndarray) -> torch.Tensor:
        if self.lanes is not None and values.ndim == 0:
            values = values.reshape(1)
        return torch.from_numpy(np.array(values)).to(device=self.device, dtype=self.dtype)


def _result_type(tensors: Sequence[torch.Tensor]) -> torch.dtype:
    dtype = tensors[0].dtype
    for one in tensors[1:]:
        dtype = torch.promote_types(dtype, one.dtype)
    return dtype


class Operation:
    """A program as an operation. Calls take inputs by name; tensors may be on any device."""

    def __init__(
        self,
        program: Program,
        wrt: Optional[Sequence[str]] = None,
        kinds: Optional[Mapping[str, str]] = None,
        **limits: Any,
    ) -> None:
        self.program = program
        self.wrt = None if wrt is None else list(wrt)
        self.kinds = dict(kinds or {})
        self.limits = limits
        for name in (*(self.wrt or ()), *self.kinds):
            if name not in program.inputs:
                raise NdvmError("E-OPTION", f"the program has no input {name}",
                                help=f"its inputs are {', '.join(program.inputs) or 'none'}",
                                facts={"names": [name]})
        for name, kind in self.kinds.items():
            if kind not in _RANKS:
                raise NdvmError("E-OPTION", f"the kind of input {name} is {kind!r}",
                                help="kinds are number, vector and matrix", facts={"names": [name]})

    def __call__(self, inputs: Optional[Mapping[str, Any]] = None, **named: Any) -> torch.Tensor:
        given = {**(inputs or {}), **named}
        tensors = {name: one for name, one in given.items() if isinstance(one, torch.Tensor)}
        others = {name: one for name, one in given.items() if name not in tensors}
        for name, one in tensors.items():
            if one.requires_grad and self.wrt is not None and name not in self.wrt:
                raise refuse(
                    f"input {name} requires a gradient, but wrt does not name it",
                    f"add {name} to wrt, or pass {name}.detach()", names=[name],
                )
        call = _Call(self, tensors, others)
        return _Function.apply(call, *(tensors[name] for name in call.wrt))

    def __repr__(self) -> str:
        return f"<Operation of {self.program!r}>"


def operation(
    program: Program,
    wrt: Optional[Sequence[str]] = None,
    kinds: Optional[Mapping[str, str]] = None,
    **limits: Any,
) -> Operation:
    """A program as an operation with gradients for ``wrt`` (default: every tensor of a call).

    ``kinds`` declares inputs that are not numbers: ``{"obs": "matrix"}``. A tensor of the kind's own
    rank is shared by all lanes; one more axis in front is the lanes. Other keywords limit each call:
    ``timeout``, ``steps_max``, ``tape_bytes_max``.
    """
    return Operation(program, wrt, kinds, **limits)


_machines: Dict[str, Machine] = {}
_programs: Dict[Tuple[str, str, Tuple[str, ...]], Program] = {}
_PROGRAMS_MAX = 256


def ndvm_forward(
    src: str,
    params: Mapping[str, torch.Tensor],
    matrices: Optional[Mapping[str, torch.Tensor]] = None,
) -> torch.Tensor:
    """The paper's call: a program's text, its scalars and its matrices; domain "clamp"."""
    matrices = matrices or {}
    names = (*params, *matrices)
    is_f64 = any(one.dtype == torch.float64 for one in (*params.values(), *matrices.values()))
    precision = "f64" if is_f64 else "f32"
    key = (precision, src, names)
    program = _programs.get(key)
    if program is None:
        if len(_programs) >= _PROGRAMS_MAX:
            _programs.pop(next(iter(_programs)))
        machine = _machines.setdefault(precision, Machine(precision))
        program = _programs[key] = machine.load(src, inputs=names, domain="clamp")
    kinds = {name: "matrix" if one.ndim >= 2 else "vector" for name, one in matrices.items()}
    return Operation(program, kinds=kinds)({**params, **matrices})


__all__: List[str] = ["Operation", "ndvm_forward", "operation"]
