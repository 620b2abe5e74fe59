"""Fits that a user of Python would write: SciPy's curve_fit, Levenberg–Marquardt in JAX, and CasADi with Ipopt.

Reads a job as JSON from standard input, writes constants and microseconds of every fit as JSON. All in float64.
"cold" begins with the formula, so it stages it; "warm" is a fit with what the first one built.
"""

import json
import math
import os
import sys
import time

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import numpy as np


def formula(curve, functions):
    # The formula comes from our own list of curves.
    return eval(f"lambda x, {', '.join(curve['start'])}: {curve['model']}", dict(functions))


def scipy(curve):
    from scipy.optimize import curve_fit

    model = formula(curve, {"exp": np.exp, "cos": np.cos})
    x, y = np.array(curve["x"]), np.array(curve["y"])
    start = list(curve["start"].values())
    return lambda: curve_fit(model, x, y, p0=start, method="lm")[0]


def jax(curve):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    jax.clear_caches()
    model = formula(curve, {"exp": jnp.exp, "cos": jnp.cos})
    x, y = jnp.array(curve["x"]), jnp.array(curve["y"])
    start = jnp.array(list(curve["start"].values()))
    residuals = lambda p: model(x, *p) - y

    def step(state):
        p, loss, damping, _, count = state
        J, r = jax.jacfwd(residuals)(p), residuals(p)
        A = J.T @ J
        moved = p - jnp.linalg.solve(A + damping * jnp.diag(jnp.diag(A)), J.T @ r)
        fresh = jnp.sum(residuals(moved) ** 2)
        is_better = fresh < loss
        gain = jnp.where(is_better, (loss - fresh) / loss, 1.0)
        return (
            jnp.where(is_better, moved, p),
            jnp.where(is_better, fresh, loss),
            jnp.where(is_better, damping / 10, damping * 10),
            gain,
            count + 1,
        )

    def solve(p):
        first = (p, jnp.sum(residuals(p) ** 2), 1e-3, 1.0, 0)
        going = lambda state: (state[3] > 1e-12) & (state[4] < 100)
        return jax.lax.while_loop(going, step, first)[0]

    solver = jax.jit(solve)
    return lambda: np.asarray(jax.block_until_ready(solver(start)))


def casadi(curve):
    import casadi as ca

    names = list(curve["start"])
    p = ca.SX.sym("p", len(names))
    model = formula(curve, {"exp": ca.exp, "cos": ca.cos})
    x, y = ca.DM(curve["x"]), ca.DM(curve["y"])
    residuals = model(x, *(p[i] for i in range(len(names)))) - y
    options = {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.tol": 1e-10}
    solver = ca.nlpsol("s", "ipopt", {"x": p, "f": ca.dot(residuals, residuals)}, options)
    start = list(curve["start"].values())
    return lambda: np.array(solver(x0=start)["x"]).ravel()


PEERS = {"SciPy": scipy, "JAX": jax, "CasADi": casadi}


def measure(make, curve, rounds, colds):
    cold = []
    for _ in range(colds):
        started = time.perf_counter()
        fit = make(curve)
        params = fit()
        cold.append((time.perf_counter() - started) * 1e6)
    warm = []
    for _ in range(rounds):
        started = time.perf_counter()
        params = fit()
        warm.append((time.perf_counter() - started) * 1e6)
    if not all(math.isfinite(x) for x in params):
        raise ValueError(f"{curve['name']}: constants that are not finite")
    return {"params": [float(x) for x in params], "cold": cold, "warm": warm}


job = json.load(sys.stdin)
json.dump(
    {
        name: {curve["name"]: measure(PEERS[name], curve, job["rounds"], job["colds"]) for curve in job["curves"]}
        for name in job["peers"]
    },
    sys.stdout,
)
