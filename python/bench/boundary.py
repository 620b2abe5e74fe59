"""What the way from Python costs: value and gradient at 1, 256 and 100,000 lanes, through NumPy and
PyTorch, f32; and the 247 programs of the paper's stream where NDVM_CORPUS names them.

    python3 python/bench/boundary.py [--quick]

One call of PyTorch's operation brings values and gradients in one exchange ("call"); the step that
follows sums the values and runs autograd backward, which asks the process for nothing ("step").
Minimum of many short runs. `npm run bench -- boundary` prints core alone.
"""

import json
import os
import sys
import time
import zlib
from pathlib import Path

import numpy as np

import ndvm

QUICK = "--quick" in sys.argv
KALMAN = """
(loop ((k 0) (x (vec 0.0 0.0)) (P (mat (vec 1.0 0.0) (vec 0.0 1.0))) (total 0.0))
  (if (= k 80) total
      (let* ((Q (scale q (eye 2))) (R (scale r (eye 2))) (predicted (+ P Q))
             (e (- (ref obs k) x)) (S (+ predicted R)) (inverse (inv S))
             (gain (matmul predicted inverse)) (next (+ x (matvec gain e)))
             (left (matmul (- (eye 2) gain) predicted))
             (cost (+ (log (det S)) (dot e (matvec inverse e)))))
        (recur (+ k 1) next left (+ total cost)))))"""
i = np.arange(160)
OBS = (np.sin(i * 0.37) + 0.3 * np.cos(i * 1.91)).reshape(80, 2)
MODELS = [
    ("damped oscillator", "(* A (* (exp (- 0 (* b t))) (cos (* omega t))))",
     {"A": 1.0, "b": 0.3, "omega": 2.0, "t": 1.5}, {}),
    ("Kalman T=80", KALMAN, {"q": 0.05, "r": 0.1}, {"obs": OBS}),
]


def fastest(call):
    call()
    best = float("inf")
    end = time.perf_counter() + (0.2 if QUICK else 3.0)
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best * 1e6


def lanes_of(params, lanes):
    spread = 1 + 0.1 * np.arange(lanes) / lanes
    return {name: (value * spread).astype(np.float32) for name, value in params.items()}


def checksum(array):
    return f"{zlib.crc32(np.asarray(array, dtype=np.float32).tobytes()):08x}"


def main():
    machine = ndvm.Machine(precision="f32")
    try:
        import torch

        from ndvm.torch import operation
    except ImportError:
        torch = None
        print("PyTorch is not installed: its rows are left out")
    print(f"{'':18} {'':8} {'NumPy':>10} {'PyTorch':>10} {'PyTorch':>10} {'NumPy':>9}")
    print(f"{'program':18} {'lanes':>8} {'call µs':>10} {'call µs':>10} {'step µs':>10} "
          f"{'per lane':>9}  checksum")
    for name, source, params, matrices in MODELS:
        program = machine.load(source)
        wrt = list(params)
        for lanes in (1, 256) if QUICK else (1, 256, 100_000):
            given = lanes_of(params, lanes)
            fixed = {key: ndvm.mat(one) for key, one in matrices.items()}
            inputs = {**given, **fixed}
            numpy = fastest(lambda: program.gradient(inputs, wrt=wrt))
            sums = checksum(program.gradient(inputs, wrt=wrt).gradients[wrt[0]])
            call_took = step_took = "-"
            if torch is not None:
                op = operation(program, wrt=wrt, kinds={key: "matrix" for key in matrices})
                leaves = {key: torch.tensor(one, requires_grad=True) for key, one in given.items()}
                others = {key: torch.tensor(one) for key, one in matrices.items()}

                def step():
                    for one in leaves.values():
                        one.grad = None
                    op({**leaves, **others}).sum().backward()

                call_took = f"{fastest(lambda: op({**leaves, **others})):.1f}"
                step_took = f"{fastest(step):.1f}"
                assert checksum(leaves[wrt[0]].grad) == sums, "PyTorch has other bits"
            print(f"{name:18} {lanes:8} {numpy:10.1f} {call_took:>10} {step_took:>10} "
                  f"{numpy / lanes:9.3f}  {sums}")
    print("paper, its boundary to PyTorch: 630 µs at one lane, 29 µs a lane at 256")
    stream(machine)


def stream(machine):
    folder = os.environ.get("NDVM_CORPUS")
    if not folder:
        print("the stream of 247 programs is not run: NDVM_CORPUS does not name the external cases")
        return
    file = json.loads((Path(folder) / "reference/cosearch_flat.json").read_text())
    task = file["task"]
    programs = [one["src"] for one in file["candidates"]]
    data = {"x": task["xtr"], "y": task["ytr"]}
    took = fastest(lambda: ndvm.fit_many(programs, data, "y", machine=machine, optimiser="adam",
                                         steps=50, load={"domain": "clamp"}))
    print(f"fit_many over {len(programs)} programs: {len(programs) / took * 1e6:,.0f} fits/s")


if __name__ == "__main__":
    main()
