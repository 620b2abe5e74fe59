"""Values between Python and the Node process: inputs and columns out, results back."""

from __future__ import annotations

import math
import numbers
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._frames import ArrayList
from .errors import NdvmError


class Tensor:
    """A vector or matrix input, made by ``vec`` and ``mat``."""

    def __init__(self, kind: str, array: np.ndarray) -> None:
        self.kind = kind
        self.array = array


class Integer:
    """A structural integer, made by ``int_``: a step count or size, the same in every lane."""

    def __init__(self, value: int) -> None:
        self.value = value


def refuse(message: str, help: str, **facts: Any) -> NdvmError:
    return NdvmError("E-INPUT", message, help=help, facts=facts)


def vec(values: Any) -> Tensor:
    """A vector that all lanes share; from an array of rank 2, one vector for each lane."""
    return Tensor("vector", _numbers(values, "vec", (1, 2)))


def mat(values: Any) -> Tensor:
    """A matrix that all lanes share; from an array of rank 3, one matrix for each lane."""
    return Tensor("matrix", _numbers(values, "mat", (2, 3)))


def int_(value: int) -> Integer:
    """A structural integer: a step count or a size, never differentiated."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise refuse(f"int_ takes a whole number, got {value!r}", "pass a plain number instead")
    return Integer(int(value))


def _numbers(values: Any, name: str, ranks: Sequence[int]) -> np.ndarray:
    array = reals(values, name)
    if array.ndim not in ranks:
        wanted = " or ".join(str(rank) for rank in ranks)
        raise refuse(
            f"{name} has shape {list(array.shape)}", f"it takes arrays of rank {wanted}",
            names=[name],
        )
    return array


def reals(values: Any, name: str) -> np.ndarray:
    """Numbers as float64, float32 stays; what a mask hides is missing, NaN. Refuses what are no real numbers."""
    try:
        array = np.asarray(_unmasked(values))
        if array.dtype == object and array.size:
            if not all(isinstance(one, numbers.Real) for one in array.ravel()):
                raise TypeError
            array = array.astype(np.float64)
    except OverflowError as error:
        raise _too_large(name) from error
    except (TypeError, ValueError) as error:
        raise refuse(f"{name} holds something that is not a number", "give numbers",
                     names=[name]) from error
    if array.dtype.kind not in "fiub":
        raise refuse(
            f"{name} is of type {array.dtype}, not of real numbers",
            "convert it: numpy.asarray(x, dtype=float)", names=[name],
        )
    if array.dtype == np.float32:
        return array.astype("<f4", copy=False)
    return array.astype("<f8", copy=False)


def _unmasked(values: Any) -> Any:
    """NaN where a mask hides something: NumPy would give the number behind the mask."""
    if not np.ma.is_masked(values) or values.dtype.kind not in "fiub":
        return values
    kept = values if values.dtype.kind == "f" else values.astype(np.float64)
    return kept.filled(np.nan)


def _too_large(name: str) -> NdvmError:
    return refuse(f"{name} holds a whole number that is too large for a float",
                  "numbers go up to 1.8e308", names=[name])


_F4 = np.dtype("<f4")
_F8 = np.dtype("<f8")


def encode(name: str, value: Any) -> Tuple[str, Any]:
    """One input as its kind and an array: a number is shared by all lanes, an array of rank 1 has
    one value for each. An integer is its kind and itself."""
    if type(value) is np.ndarray and (value.dtype is _F8 or value.dtype is _F4):
        array = value
    elif type(value) is float:
        return "number", np.float64(value)
    elif isinstance(value, Tensor):
        return value.kind, value.array
    elif isinstance(value, Integer):
        return "int", value.value
    elif isinstance(value, numbers.Real):
        try:
            return "number", np.float64(value)
        except OverflowError as error:
            raise _too_large(name) from error
    else:
        array = reals(value, name)
    if array.ndim == 1:
        return "lanes", array
    if array.ndim == 0:
        return "number", np.float64(array)
    raise refuse(
        f"input {name} has shape {list(array.shape)}",
        f"an array of rank 1 has one value for each lane; use vec({name}) or mat({name}) for "
        "vectors and matrices", names=[name],
    )


def input_json(name: str, value: Any, arrays: ArrayList) -> Any:
    """One input as a header describes it."""
    kind, sent = encode(name, value)
    return {"int": sent} if kind == "int" else {**arrays.add(sent), "kind": kind}


def _is_missing(cell: Any) -> bool:
    """None, NaN, and what data frames have for a missing value of any type."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, numbers.Real) and cell != cell


def _cells_of(value: Any) -> "np.ndarray | List[Optional[str]]":
    """Words if all cells are, or an array: what is missing among them is None, among numbers NaN."""
    # NumPy would make words of all that stands beside one.
    has_words = isinstance(value, (list, tuple)) and any(isinstance(one, str) for one in value)
    array = np.asarray(_unmasked(value), object if has_words else None)
    if array.dtype.kind not in "USO":
        return array
    hidden = np.ma.getmaskarray(value).ravel()
    cells = [None if out or _is_missing(one) else one for one, out in zip(array.ravel(), hidden)]
    shown = [one for one in cells if one is not None]
    are_words = len(shown) > 0 and all(isinstance(one, str) for one in shown)
    if array.dtype.kind != "O" or has_words or are_words:
        return [None if one is None else str(one) for one in cells]
    gaps = np.empty(len(cells), object)
    gaps[:] = [math.nan if one is None else one for one in cells]
    return gaps.reshape(array.shape)


def column_json(name: str, value: Any, arrays: ArrayList) -> Any:
    """A column of data: numbers, or words that name groups."""
    if isinstance(value, (Tensor, Integer)) or np.isscalar(value):
        return input_json(name, value, arrays)
    cells = _cells_of(value)
    if isinstance(cells, list):
        return cells
    column = reals(cells, name)
    if column.ndim != 1:
        raise refuse(f"column {name} has shape {list(column.shape)}", "columns have rank 1",
                     names=[name])
    return {**arrays.add(column), "kind": "lanes"}


def columns_of(data: Any) -> Dict[str, Any]:
    """Columns by name, from a mapping or a data frame. Names that are not texts become texts."""
    is_frame = hasattr(data, "columns") and hasattr(data, "__getitem__")
    if not is_frame and not isinstance(data, Mapping):
        raise refuse(
            f"data are {type(data).__name__}", "give columns by name: a mapping or a data frame"
        )
    columns: Dict[str, Any] = {}
    for name in data.columns if is_frame else data:
        if str(name) in columns:
            raise refuse(f"two columns are called {name}", "rename one of them", names=[str(name)])
        columns[str(name)] = data[name]
    return columns


def data_json(data: Any, arrays: ArrayList) -> Dict[str, Any]:
    """Columns as a header describes them."""
    return {name: column_json(name, one, arrays) for name, one in columns_of(data).items()}


def option_json(name: str, value: Any) -> Any:
    """An option as a header has it: NumPy's numbers and arrays as Python's own, and numbers that JSON
    has no word for as words. ``name`` is for messages."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, numbers.Integral):
        try:
            float(int(value))
        except OverflowError as error:
            raise NdvmError(
                "E-OPTION", f"the option {name} is a whole number that is too large for a float",
                help="numbers go up to 1.8e308", facts={"option": name},
            ) from error
        return int(value)
    if isinstance(value, numbers.Real):
        number = float(value)
        return number if math.isfinite(number) else {"number": _word_of(number)}
    if isinstance(value, Mapping):
        return {str(key): option_json(f"{name}.{key}", one) for key, one in value.items()}
    if hasattr(value, "tolist"):
        return option_json(name, value.tolist())
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)):
        return [option_json(name, one) for one in value]
    raise NdvmError(
        "E-OPTION", f"the option {name} is of the type {type(value).__name__}",
        help="options are numbers, texts, lists and mappings of them", facts={"option": name},
    )


def _word_of(number: float) -> str:
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def options_json(options: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: option_json(name, one) for name, one in options.items()}


_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
#: The same for a number by itself, of which JSON also loses the sign of zero.
_NUMBERS = {**_WORDS, "-0": -0.0}
_ATOMS = frozenset((float, int, str, bool, type(None)))


def plain(value: Any) -> Any:
    """Numbers that JSON has no word for, back from their words. ``number`` may be a user's name, too:
    what it stands for is no such word then."""
    if type(value) is dict:
        word = value.get("number") if len(value) == 1 else None
        if type(word) is str and word in _NUMBERS:
            return _NUMBERS[word]
        return {key: one if type(one) in _ATOMS else plain(one) for key, one in value.items()}
    if type(value) is list:
        return [one if type(one) in _ATOMS else plain(one) for one in value]
    return value


#: Where the JSON of a fit holds names, which may be such words themselves: a group is called NaN where a
#: table says so. True where the value is one; of a dictionary, which of its fields.
_NAMES_OF_A_FIT: Any = {
    "parameters": True,
    "assumed": True,
    "covariance": {"names": True},
    "identifiability": {"atBounds": True, "correlated": True},
    "targets": {"name": True},
    "diagnostics": {"predicateOnly": True, "runaways": {"name": True}},
    "model": {
        "columns": True,
        "targets": {"name": True},
        "groups": True,
        "groupsBy": True,
        "free": {"label": True, "input": True},
    },
}


def unworded(value: Any, names: Any = _NAMES_OF_A_FIT) -> Any:
    """As ``plain``, for fits, which write such numbers as bare words. Names stay as they are."""
    if names is True:
        return value
    if isinstance(value, str):
        return _WORDS.get(value, value)
    if isinstance(value, dict):
        return {key: unworded(one, names.get(key) if names else None) for key, one in value.items()}
    if isinstance(value, list):
        return [unworded(one, names) for one in value]
    return value


def datum(value: Any) -> Any:
    """A value of the language: lists, booleans, numbers, symbols as texts, vectors as arrays,
    dotted pairs as ``{"list": …, "tail": …}``."""
    if isinstance(value, dict):
        if set(value) == {"vector"}:
            return np.array([plain(one) for one in value["vector"]], dtype=float)
        if set(value) == {"list", "tail"}:
            # As deep in calls as a list is: Python ends at some depth of them.
            return {"list": [datum(one) for one in value["list"]], "tail": datum(value["tail"])}
        number = plain(value) if set(value) == {"number"} else None
        return number if isinstance(number, float) else {key: datum(one) for key, one in value.items()}
    if isinstance(value, list):
        return [datum(one) for one in value]
    return value


def array_of(reference: Optional[Mapping[str, int]], arrays: List[np.ndarray]) -> np.ndarray:
    if reference is None:
        raise NdvmError("E-PROTOCOL", "an answer has no array where one belongs")
    return arrays[reference["$array"]]
