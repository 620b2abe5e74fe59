"""The five programs written by hand in JAX: what staging costs, and what a compiled call costs.

Reads a job as JSON from standard input, writes results as JSON.

  suite   staging (tracing, lowering and compiling of value and gradient up to the first result, with a
          cleared cache), and calls of the compiled forward and of value with gradient
  lanes   value with gradient of the Kalman program, vmapped over q and r

Numbers are float32. JAX_PLATFORMS, set by who starts this, says on what it runs.
"""

import json
import os
import sys
import time

if os.environ.get("JAX_PLATFORMS") == "cpu":
    # XLA takes as many threads as it sees cores; every other figure is of one.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import jax
import jax.numpy as jnp
import numpy as np


def scalar(p, _):
    return p["alpha"] * p["x"] + p["beta"]


def michaelis(p, _):
    return p["Vmax"] * p["S"] / (p["Km"] + p["S"])


def oscillator(p, _):
    return p["A"] * jnp.exp(-p["b"] * p["t"]) * jnp.cos(p["omega"] * p["t"])


def logistic(p, _):
    # Reverse mode needs a loop whose length is known: fori_loop becomes a scan.
    return jax.lax.fori_loop(0, 16, lambda _, x: p["r"] * x * (1 - x), p["x0"])


def kalman(p, matrices):
    """Element by element, and steps run again backwards: of the forms tried, XLA makes the fastest code of this one."""

    def step(carry, y):
        x0, x1, p00, p01, p10, p11, total = carry
        # predicted = P + qI, S = predicted + rI
        a, d = p00 + p["q"], p11 + p["q"]
        s00, s11 = a + p["r"], d + p["r"]
        determinant = s00 * s11 - p01 * p10
        i00, i01, i10, i11 = s11 / determinant, -p01 / determinant, -p10 / determinant, s00 / determinant
        g00, g01 = a * i00 + p01 * i10, a * i01 + p01 * i11
        g10, g11 = p10 * i00 + d * i10, p10 * i01 + d * i11
        e0, e1 = y[0] - x0, y[1] - x1
        cost = jnp.log(determinant) + e0 * (i00 * e0 + i01 * e1) + e1 * (i10 * e0 + i11 * e1)
        left = (1 - g00, -g01, -g10, 1 - g11)
        after = (
            x0 + g00 * e0 + g01 * e1,
            x1 + g10 * e0 + g11 * e1,
            left[0] * a + left[1] * p10,
            left[0] * p01 + left[1] * d,
            left[2] * a + left[3] * p10,
            left[2] * p01 + left[3] * d,
            total + cost,
        )
        return after, None

    zero, one = jnp.float32(0), jnp.float32(1)
    start = (zero, zero, one, zero, zero, one, zero)
    return jax.lax.scan(jax.checkpoint(step), start, matrices["obs"])[0][-1]


MODELS = {f.__name__: f for f in (scalar, michaelis, oscillator, logistic, kalman)}
CALLS = 10


MOST = 200


def times(call, seconds, least):
    samples = []
    jax.block_until_ready(call())
    deadline = time.perf_counter() + seconds
    while len(samples) < least or (len(samples) < MOST and time.perf_counter() < deadline):
        started = time.perf_counter()
        for _ in range(CALLS):
            jax.block_until_ready(call())
        samples.append((time.perf_counter() - started) * 1e6 / CALLS)
    return samples


def arrays_of(program):
    return {
        name: jnp.array(np.array(m["data"], np.float32).reshape(m["rows"], m["cols"]))
        for name, m in program["matrices"].items()
    }


def staged(model, matrices):
    return jax.jit(jax.value_and_grad(lambda p: model(p, matrices)))


def suite(job):
    results = {}
    for program in job["programs"]:
        model = MODELS[program["name"]]
        numbers = {name: jnp.float32(x) for name, x in program["numbers"].items()}
        matrices = arrays_of(program)
        staging = []
        deadline = time.perf_counter() + 4 * job["seconds"]
        while len(staging) < job["stagings"]:
            if len(staging) >= job["stagingsLeast"] and time.perf_counter() > deadline:
                break
            jax.clear_caches()
            gradient = staged(model, matrices)
            started = time.perf_counter()
            jax.block_until_ready(gradient(numbers))
            staging.append((time.perf_counter() - started) * 1e6)
        forward = jax.jit(lambda p: model(p, matrices))
        value, gradients = gradient(numbers)
        results[program["name"]] = {
            "value": float(value),
            "gradients": [float(gradients[name]) for name in program["numbers"]],
            "staging": staging,
            "forward": times(lambda: forward(numbers), job["seconds"], job["least"]),
            "gradient": times(lambda: gradient(numbers), job["seconds"], job["least"]),
        }
    return results


def lanes(job):
    program = job["program"]
    matrices = arrays_of(program)
    model = MODELS[program["name"]]
    wide = jax.jit(jax.vmap(jax.value_and_grad(lambda p: model(p, matrices))))
    results = {}
    for size, columns in job["columns"].items():
        numbers = {name: jnp.array(np.array(xs, np.float32)) for name, xs in columns.items()}
        value, gradients = wide(numbers)
        ends = [0, len(value) - 1]
        results[size] = {
            "ends": [[float(value[i]), *(float(gradients[n][i]) for n in columns)] for i in ends],
            "samples": times(lambda: wide(numbers), job["seconds"], job["least"]),
        }
    return results


job = json.load(sys.stdin)
found = {"suite": suite, "lanes": lanes}[job["job"]](job)
json.dump({"platform": jax.default_backend(), "results": found}, sys.stdout)
