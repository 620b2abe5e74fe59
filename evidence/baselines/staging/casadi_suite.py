"""The five programs written by hand in CasADi: SX graphs of value and gradient, loops unrolled.

Reads a job as JSON from standard input, writes results as JSON. Two ways: CasADi's own virtual machine, and
C that it generates and a compiler builds (jit). Calls go through buffers, the cheapest way that Python has.
Numbers are float64.
"""

import json
import os
import shutil
import sys
import tempfile
import time

import casadi as ca
import numpy as np


def scalar(p, _):
    return p["alpha"] * p["x"] + p["beta"]


def michaelis(p, _):
    return p["Vmax"] * p["S"] / (p["Km"] + p["S"])


def oscillator(p, _):
    return p["A"] * ca.exp(-p["b"] * p["t"]) * ca.cos(p["omega"] * p["t"])


def logistic(p, _):
    x = p["x0"]
    for _ in range(16):
        x = p["r"] * x * (1 - x)
    return x


def kalman(p, matrices):
    eye = ca.SX.eye(2)
    x, P, total = ca.SX.zeros(2), eye, 0
    for y in matrices["obs"]:
        predicted = P + p["q"] * eye
        e = y - x
        S = predicted + p["r"] * eye
        inverse = ca.inv(S)
        gain = predicted @ inverse
        total += ca.log(ca.det(S)) + ca.dot(e, inverse @ e)
        x = x + gain @ e
        P = (eye - gain) @ predicted
    return total


MODELS = {f.__name__: f for f in (scalar, michaelis, oscillator, logistic, kalman)}
WAYS = {
    "CasADi": {},
    "CasADi in C": {"jit": True, "compiler": "shell", "jit_options": {"flags": ["-O3"]}},
}


class Called:
    """A function behind buffers."""

    def __init__(self, function, numbers):
        self.input = np.array(numbers)
        self.outputs = [np.zeros(function.sparsity_out(i).nnz()) for i in range(function.n_out())]
        self.buffer, self.call = function.buffer()
        self.buffer.set_arg(0, memoryview(self.input))
        for i, output in enumerate(self.outputs):
            self.buffer.set_res(i, memoryview(output))


def build(program, options, with_gradient):
    names = list(program["numbers"])
    symbols = ca.SX.sym("p", len(names))
    matrices = {n: np.array(m["data"]).reshape(m["rows"], m["cols"]) for n, m in program["matrices"].items()}
    value = MODELS[program["name"]]({name: symbols[i] for i, name in enumerate(names)}, matrices)
    outputs = [value, ca.densify(ca.gradient(value, symbols))] if with_gradient else [value]
    return ca.Function("f", [symbols], outputs, options)


MOST = 200


def times(call, seconds, least, calls):
    samples = []
    call()
    deadline = time.perf_counter() + seconds
    while len(samples) < least or (len(samples) < MOST and time.perf_counter() < deadline):
        started = time.perf_counter()
        for _ in range(calls):
            call()
        samples.append((time.perf_counter() - started) * 1e6 / calls)
    return samples


def measure(program, options, job):
    # The gate compares with numbers that went through single precision.
    numbers = [float(np.float32(x)) for x in program["numbers"].values()]
    staging = []
    deadline = time.perf_counter() + 4 * job["seconds"]
    while len(staging) < job["stagings"]:
        if len(staging) >= job["stagingsLeast"] and time.perf_counter() > deadline:
            break
        started = time.perf_counter()
        gradient = Called(build(program, options, True), numbers)
        gradient.call()
        staging.append((time.perf_counter() - started) * 1e6)
    forward = Called(build(program, options, False), numbers)
    calls = 5 if program["name"] == "kalman" else 200
    return {
        "value": float(gradient.outputs[0][0]),
        "gradients": [float(x) for x in gradient.outputs[1]],
        "staging": staging,
        "forward": times(forward.call, job["seconds"], job["least"], calls),
        "gradient": times(gradient.call, job["seconds"], job["least"], calls),
    }


def main():
    job = json.load(sys.stdin)
    results = {}
    for way, options in WAYS.items():
        if options and shutil.which("gcc") is None:
            continue
        results[way] = {program["name"]: measure(program, options, job) for program in job["programs"]}
    return results


# The compiler writes its files where it is started.
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    found = main()
    os.chdir("/")
json.dump(found, sys.stdout)
