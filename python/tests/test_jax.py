"""Programs as JAX operations, where JAX is installed."""

import numpy as np
import pytest

import ndvm

jax = pytest.importorskip("jax", reason="JAX is not installed on this computer")


def test_values_and_gradients_also_under_jit():
    from ndvm.jax import operation

    jax.config.update("jax_enable_x64", True)
    program = ndvm.Machine().load("(* a (exp (* k t)))")
    op = operation(program, wrt=["a", "k"])
    t = np.linspace(0, 2, 7)

    def loss(a, k):
        return op(a=a, k=k, t=t).sum()

    for call in (jax.grad(loss, (0, 1)), jax.jit(jax.grad(loss, (0, 1)))):
        a, k = call(2.0, -0.5)
        np.testing.assert_allclose(a, np.exp(-0.5 * t).sum(), rtol=1e-12)
        np.testing.assert_allclose(k, (2 * t * np.exp(-0.5 * t)).sum(), rtol=1e-12)


def test_vectors_for_each_lane():
    from ndvm.jax import operation

    program = ndvm.Machine().load("(dot x x)")
    op = operation(program, kinds={"x": "vector"})
    x = np.arange(6.0).reshape(3, 2)
    np.testing.assert_allclose(op(x=x), (x * x).sum(1))
    np.testing.assert_allclose(jax.grad(lambda x: op(x=x).sum())(x), 2 * x)


def test_the_adjoint_overwrote_an_input_called_seed():
    from ndvm.jax import operation

    jax.config.update("jax_enable_x64", True)
    names = ["seed", "reduce", "wrt"]
    op = operation(ndvm.Machine().load("(* seed (* reduce wrt))", inputs=names))
    slopes = jax.grad(lambda given: 3 * op(given))({"seed": 2.0, "reduce": 5.0, "wrt": 7.0})
    assert {name: float(one) for name, one in slopes.items()} == {
        "seed": 105, "reduce": 42, "wrt": 30}
