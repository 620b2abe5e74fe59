"""The five programs written by hand in JAX: what staging costs, and what a compiled call costs.

Reads a job as JSON from standard input, writes results as JSON. Staging is timed with a cleared cache:
tracing, lowering and compiling of value and gradient, up to the first result.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp


def scalar(p, _):
    return p["alpha"] * p["x"] + p["beta"]


def michaelis(p, _):
    return p["Vmax"] * p["S"] / (p["Km"] + p["S"])


def oscillator(p, _):
    return p["A"] * jnp.exp(-p["b"] * p["t"]) * jnp.cos(p["omega"] * p["t"])


def logistic(p, _):
    return jax.lax.fori_loop(0, 16, lambda _, x: p["r"] * x * (1 - x), p["x0"])


def kalman(p, matrices):
    eye = jnp.eye(2)

    def step(carry, y):
        x, P, total = carry
        predicted = P + p["q"] * eye
        e = y - x
        S = predicted + p["r"] * eye
        inverse = jnp.linalg.inv(S)
        gain = predicted @ inverse
        cost = jnp.log(jnp.linalg.det(S)) + e @ (inverse @ e)
        return (x + gain @ e, (eye - gain) @ predicted, total + cost), None

    start = (jnp.zeros(2), eye, jnp.float32(0))
    (_, _, total), _ = jax.lax.scan(step, start, matrices["obs"])
    return total


MODELS = {f.__name__: f for f in (scalar, michaelis, oscillator, logistic, kalman)}


def times(call, seconds, least):
    samples = []
    deadline = time.perf_counter() + seconds
    while len(samples) < least or time.perf_counter() < deadline:
        started = time.perf_counter()
        for _ in range(10):
            jax.block_until_ready(call())
        samples.append((time.perf_counter() - started) * 1e5)
    return samples


def main():
    job = json.load(sys.stdin)
    results = {}
    for program in job["programs"]:
        model = MODELS[program["name"]]
        numbers = {name: jnp.float32(x) for name, x in program["numbers"].items()}
        matrices = {
            name: jnp.array(m["data"], jnp.float32).reshape(m["rows"], m["cols"])
            for name, m in program["matrices"].items()
        }
        staging = []
        for _ in range(job["stagings"]):
            jax.clear_caches()
            gradient = jax.jit(jax.value_and_grad(lambda p: model(p, matrices)))
            started = time.perf_counter()
            jax.block_until_ready(gradient(numbers))
            staging.append((time.perf_counter() - started) * 1e6)
        forward = jax.jit(lambda p: model(p, matrices))
        value, gradients = gradient(numbers)
        forward(numbers)
        results[program["name"]] = {
            "value": float(value),
            "gradients": [float(gradients[name]) for name in program["numbers"]],
            "staging": staging,
            "forward": times(lambda: forward(numbers), job["seconds"], job["least"]),
            "gradient": times(lambda: gradient(numbers), job["seconds"], job["least"]),
        }
    json.dump(results, sys.stdout)


main()
