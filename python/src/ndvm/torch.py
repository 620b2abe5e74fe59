"""Programs as PyTorch operations: tensors in, a tensor out, and autograd works."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np

from ._values import Tensor as _Tensor
from ._values import refuse
from .errors import NdvmError
from .machine import Evaluation, Gradient, Machine, Program

try:
    import torch
except ImportError as error:
    raise ImportError("ndvm.torch needs PyTorch, which is not installed here") from error

_RANKS = {"number": 0, "vector": 1, "matrix": 2}


_DTYPES = {torch.float32: np.dtype("<f4"), torch.float64: np.dtype("<f8")}
_CPU = torch.device("cpu")
_INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)
#: Options of a run that an operation passes on; the others are its own to choose.
_LIMITS = ("timeout", "steps_max", "tape_bytes_max", "time_max", "chunk", "replay")
#: Plans that an operation keeps; with more kinds of tensors they are made anew.
_PLANS_MAX = 64


class _Argument:
    """One tensor of a call: its kind, which axis of it is the lanes, and what its gradient is like."""

    def __init__(self, name: str, tensor: torch.Tensor, kind: str) -> None:
        if not tensor.is_floating_point() and tensor.dtype not in _INTEGERS:
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
        self.shape = tuple(tensor.shape)
        self.dtype = tensor.dtype
        self.device = tensor.device
        self.lanes: Optional[int] = tensor.shape[0] if extra == 1 else None
        #: Whether NumPy can look at its memory.
        self.is_near = tensor.device == _CPU and tensor.dtype in _DTYPES
        #: Whether its only lane is shared by all.
        self.is_single = False
        #: Whether lanes share it, so that its gradient is their sum.
        self.is_shared = False

    def settle(self, lanes: Optional[int]) -> None:
        """Takes note of how many lanes the call has: a lane axis of 1 beside longer ones is shared."""
        self.is_single = self.lanes == 1 and lanes != 1
        self.is_shared = lanes is not None and self.lanes != lanes

    def input(self, tensor: torch.Tensor) -> Any:
        """What the program takes."""
        array = tensor.detach().numpy() if self.is_near else _array(tensor)
        if self.is_single:
            array = array[0]
        return array if self.kind == "number" else _Tensor(self.kind, array)

    def gradient(self, slopes: np.ndarray, seeds: np.ndarray) -> torch.Tensor:
        """Slopes by lane, times the result's adjoints, as the tensor's own gradient."""
        if slopes.ndim != seeds.ndim:
            seeds = seeds.reshape(seeds.shape + (1,) * (slopes.ndim - seeds.ndim))
        return self.sum(slopes * seeds)

    def sum(self, gradient: np.ndarray) -> torch.Tensor:
        """Gradients by lane as the tensor's own: summed over lanes that share it."""
        if self.is_shared:
            gradient = _sum_lanes(gradient)
        if gradient.shape != self.shape:
            gradient = gradient.reshape(self.shape)
        return _tensor(gradient, self.dtype, self.device)


def _array(tensor: torch.Tensor) -> np.ndarray:
    """A tensor's numbers; a view of them where NumPy can look at its memory."""
    tensor = tensor.detach()
    if tensor.dtype not in _DTYPES:
        tensor = tensor.double()
    return (tensor if tensor.device == _CPU else tensor.cpu()).numpy()


def _tensor(array: np.ndarray, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """A tensor of numbers that nobody else holds. NumPy converts faster than PyTorch."""
    wanted = _DTYPES.get(dtype)
    if wanted is not None and device == _CPU:
        return torch.from_numpy(np.asarray(array, wanted))
    return torch.from_numpy(np.asarray(array)).to(device=device, dtype=dtype)


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
        return (None, *call.backward(adjoint, ctx.needs_input_grad[1:]))


class _Plan:
    """What follows from the types and shapes of a call's tensors."""

    def __init__(self, operation: "Operation", tensors: Mapping[str, torch.Tensor]) -> None:
        for name, one in tensors.items():
            if one.requires_grad and operation.wrt is not None and name not in operation.wrt:
                raise refuse(
                    f"input {name} requires a gradient, but wrt does not name it",
                    f"add {name} to wrt, or pass {name}.detach()", names=[name],
                )
        self.arguments = [_Argument(name, one, operation.kinds.get(name, "number"))
                          for name, one in tensors.items()]
        self.lanes = _lanes_of(self.arguments)
        for one in self.arguments:
            one.settle(self.lanes)
        is_enabled = torch.is_grad_enabled()
        #: The inputs that gradients are taken by.
        self.wrt = [one for one in self.arguments if is_enabled and tensors[one.name].requires_grad]
        self.names = [one.name for one in self.wrt]
        floating = [one for one in tensors.values() if one.is_floating_point()]
        like = next(iter(tensors.values()), None)
        self.device = like.device if like is not None else torch.device("cpu")
        is_f32 = operation.program.machine.precision == "f32"
        self.dtype = _result_type(floating) if floating else (
            torch.float32 if is_f32 else torch.float64)

    def tensor(self, values: np.ndarray) -> torch.Tensor:
        """A result as a tensor; nobody else holds its numbers."""
        if self.lanes is not None and values.ndim == 0:
            values = values.reshape(1)
        return _tensor(values, self.dtype, self.device)


class _Call:
    """One call of an operation: its numbers are read once."""

    __slots__ = ("operation", "plan", "inputs", "_slopes")

    def __init__(self, operation: "Operation", plan: _Plan, inputs: Dict[str, Any]) -> None:
        self.operation = operation
        self.plan = plan
        self.inputs = inputs
        self._slopes: Optional[Dict[str, np.ndarray]] = None

    def forward(self) -> torch.Tensor:
        plan = self.plan
        if plan.lanes == 0:
            return torch.zeros(0, dtype=plan.dtype, device=plan.device)
        program, limits = self.operation.program, self.operation.limits
        if plan.wrt:
            try:
                # One pass for values and derivatives; the backward pass then only multiplies.
                result = Gradient(*program.run(
                    "gradient", self.inputs, {**limits, "wrt": plan.names}))
                self._slopes = result.gradients
                return plan.tensor(result.values)
            except NdvmError as error:
                if error.code != "E-RESULT":
                    raise
        return plan.tensor(Evaluation(*program.run("evaluate", self.inputs, limits)).values)

    def backward(self, adjoint: torch.Tensor, wanted: Sequence[bool]) -> List[Any]:
        plan, slopes = self.plan, self._slopes
        if plan.lanes == 0:
            return [adjoint.new_zeros(one.shape, dtype=one.dtype) if is_wanted else None
                    for one, is_wanted in zip(plan.wrt, wanted)]
        seeds = _array(adjoint)
        if slopes is not None:
            return [one.gradient(slopes[one.name], seeds) if is_wanted else None
                    for one, is_wanted in zip(plan.wrt, wanted)]
        names = [name for name, is_wanted in zip(plan.names, wanted) if is_wanted]
        options = {**self.operation.limits, "wrt": names, "seed": seeds}
        found = Gradient(*self.operation.program.run("gradient", self.inputs, options)).gradients
        return [one.sum(found[one.name]) if is_wanted else None
                for one, is_wanted in zip(plan.wrt, wanted)]


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
        for name in limits:
            if name not in _LIMITS:
                raise NdvmError("E-OPTION", f"an operation has no option {name}",
                                help=f"options are {', '.join(_LIMITS)}", facts={"option": name})
        self._plans: Dict[Any, _Plan] = {}
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
        given: Dict[str, Any] = named if inputs is None else {**inputs, **named}
        described: List[Any] = [torch.is_grad_enabled()]
        for name, one in given.items():
            if isinstance(one, torch.Tensor):
                described.append((name, one.dtype, one.shape, one.device, one.requires_grad))
        key = tuple(described)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._make_plan(key, given)
        values = dict(given)
        for argument in plan.arguments:
            values[argument.name] = argument.input(given[argument.name])
        call = _Call(self, plan, values)
        if not plan.wrt:
            return call.forward()
        return _Function.apply(call, *[given[name] for name in plan.names])

    def _make_plan(self, key: Any, given: Mapping[str, Any]) -> _Plan:
        tensors = {name: one for name, one in given.items() if isinstance(one, torch.Tensor)}
        plan = _Plan(self, tensors)
        if len(self._plans) >= _PLANS_MAX:
            self._plans.clear()
        self._plans[key] = plan
        return plan

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_plans": {}}

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
_operations: Dict[Any, Operation] = {}
_OPERATIONS_MAX = 256


def ndvm_forward(
    src: str,
    params: Mapping[str, torch.Tensor],
    matrices: Optional[Mapping[str, torch.Tensor]] = None,
) -> torch.Tensor:
    """The paper's call: a program's text, its scalars and its matrices; domain "clamp"."""
    matrices = matrices or {}
    is_f64 = any(one.dtype == torch.float64 for one in (*params.values(), *matrices.values()))
    precision = "f64" if is_f64 else "f32"
    kinds = {name: "matrix" if one.ndim >= 2 else "vector" for name, one in matrices.items()}
    key = (precision, src, tuple(params), tuple(kinds.items()))
    found = _operations.get(key)
    if found is None:
        if len(_operations) >= _OPERATIONS_MAX:
            _operations.pop(next(iter(_operations)))
        machine = _machines.setdefault(precision, Machine(precision))
        program = machine.load(src, inputs=(*params, *matrices), domain="clamp")
        found = _operations[key] = Operation(program, kinds=kinds)
    return found({**params, **matrices})


__all__: List[str] = ["Operation", "ndvm_forward", "operation"]
