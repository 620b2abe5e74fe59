"""The author's differentiable meta-circular interpreter, from a checkout that NDVM_DMCI names.

A driver of ours; nothing of the checkout is copied. The program is compiled to data once, as the author's
own harness does, and every call walks the evaluator's graph, which walks the program.
"""

import cProfile
import os
import pstats
import sys
import time

import torch

sys.path.insert(0, os.environ["NDVM_DMCI"])

from neural_compiler.dmci import as_matrix, compile_dmci  # noqa: E402
from neural_compiler.evaluator import evaluate  # noqa: E402
from neural_compiler.runtime.tagged_value import make_float, unwrap_number  # noqa: E402

LIMITS = dict(max_iter=2_000_000, max_depth=2_000_000, max_heap=8_000_000)
sys.setrecursionlimit(20_000)

# What functions are for: the name of a function first, then its file.
BY_NAME = {
    "soft_select": "dispatch",
    "tagged_if": "dispatch",
    "_op_eq": "dispatch",
    "_op_eqv": "dispatch",
    "_op_equal": "dispatch",
    "_deep_equal": "dispatch",
    "_op_cons": "heap",
    "_op_car": "heap",
    "_op_cdr": "heap",
    "_op_list": "heap",
    "_op_length": "heap",
    "_op_append": "heap",
    "_op_reverse": "heap",
    "materialize_quote": "boxing",
}
BY_FILE = {
    "tagged_value.py": "boxing",
    "symbols.py": "boxing",
    "heap.py": "heap",
    "tagged_ops.py": "other",
    "primitives.py": "arithmetic",
    "engine.py": "walking",
    "builder.py": "walking",
}
WALKS = ("eval", "trace_loop")
FLOATS_OF_VALUE = 14


def bucket_of(entry):
    file, _, name = entry
    if "neural_compiler" not in file:
        return None
    if name.startswith("_op_") and name.endswith("_p"):
        return "boxing"
    file = os.path.basename(file)
    # `_op_eq` is arithmetic where it compares numbers.
    if file != "primitives.py" and name in BY_NAME:
        return BY_NAME[name]
    return BY_FILE.get(file, "walking")


class DmciRun:
    def __init__(self, source, numbers, matrices):
        self.graph = compile_dmci(source)
        self.leaves = {
            name: torch.tensor(x, dtype=torch.float32, requires_grad=True) for name, x in numbers.items()
        }
        self.matrices = {
            name: as_matrix(torch.tensor(m["data"], dtype=torch.float32).reshape(m["rows"], m["cols"]))
            for name, m in matrices.items()
        }

    def prepare(self, leaves=None):
        given = leaves or self.leaves
        lanes = max([leaf.numel() for leaf in given.values() if leaf.dim() > 0], default=0)
        wide = lambda leaf: leaf * torch.ones(lanes) if lanes > 0 and leaf.dim() == 0 else leaf
        bound = {name: make_float(wide(leaf)) for name, leaf in given.items()}
        bound.update(self.matrices)
        return lambda: unwrap_number(evaluate(self.graph, bound, **LIMITS))

    def forward(self, leaves=None):
        call = self.prepare(leaves)
        started = time.process_time()
        value = call()
        self.took = time.process_time() - started
        return value if value.dim() == 0 or value.numel() > 1 else value.reshape(())

    def bucket(self, entry):
        return bucket_of(entry)

    def counts(self):
        """Calls of one more forward, counted as the author counts them: not those of recursion."""
        call = self.prepare()
        profiler = cProfile.Profile()
        profiler.enable()
        call()
        profiler.disable()
        totals = {"boxing": 0, "walking": 0, "arithmetic": 0, "constructions": 0}
        for entry, (calls, _, _, _, _) in pstats.Stats(profiler).stats.items():
            bucket = bucket_of(entry)
            # Comprehensions and helpers of the walk are no walking calls.
            is_helper = bucket == "walking" and not entry[2].lstrip("_").startswith(WALKS)
            if bucket in totals and not is_helper:
                totals[bucket] += calls
            if entry[2] == "_make":
                totals["constructions"] += calls
        return {
            "constructions": totals["constructions"],
            "bytes": 4 * FLOATS_OF_VALUE * totals["constructions"],
            "boxing": totals["boxing"],
            "walks": totals["walking"],
            "arithmetic": totals["arithmetic"],
        }

    def gradients(self, value):
        found = torch.autograd.grad(value.sum(), list(self.leaves.values()), allow_unused=True)
        return {
            name: (torch.zeros(()) if g is None else g) for name, g in zip(self.leaves, found)
        }
