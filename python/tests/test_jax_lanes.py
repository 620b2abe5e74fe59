"""Lanes and gradients of JAX operations, with a stand-in for JAX: shapes, shared axes and refusals
are ours."""

import itertools
import sys

import numpy as np
import pytest
import stand_in_jax

import ndvm


@pytest.fixture
def jax_operation(monkeypatch):
    """``ndvm.jax.operation``, and a function that gives the slopes of an operation's sum."""
    for name, module in stand_in_jax.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    stand_in_jax.forget()
    calls = []
    jax = sys.modules["jax"]
    custom = jax.custom_vjp
    def remembered(function):
        calls.append(custom(function))
        return calls[-1]

    monkeypatch.setattr(jax, "custom_vjp", remembered)
    from ndvm.jax import operation

    def slopes(given):
        values, kept = calls[-1].forward(given)
        return calls[-1].backward(kept, np.ones_like(values))[0]

    yield operation, slopes
    stand_in_jax.forget()


SHAPES = [(), (1,), (5,)]


@pytest.mark.parametrize("shapes", itertools.product(SHAPES, repeat=3))
def test_axes_of_one_are_shared_in_any_order_of_arguments(jax_operation, shapes):
    operation, slopes = jax_operation
    op = operation(ndvm.Machine().load("(+ (* a b) c)"))
    a, b, c = (np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape) for shape in shapes)
    want = a * b + c
    np.testing.assert_array_equal(op(a=a, b=b, c=c), want)
    found = slopes({"a": a, "b": b, "c": c})
    whole = {"a": np.broadcast_to(b, want.shape), "b": np.broadcast_to(a, want.shape)}
    whole["c"] = np.ones_like(want)
    for name, one in (("a", a), ("b", b), ("c", c)):
        slope = whole[name].sum() if one.size < want.size else whole[name]
        np.testing.assert_allclose(found[name], np.reshape(slope, one.shape), rtol=1e-14)


@pytest.mark.parametrize("one, other", [(5, 4), (4, 5), (2, 3)])
def test_axes_that_do_not_fit_are_refused(jax_operation, one, other):
    op = jax_operation[0](ndvm.Machine().load("(* a b)"))
    with pytest.raises(ndvm.NdvmError, match=f"input b has {other} lanes, but another has {one}") as told:
        op(a=np.ones(one), b=np.ones(other))
    assert told.value.facts["names"] == ["b"]


@pytest.mark.parametrize("lanes", [None, 1, 3])
def test_vectors_and_matrices_by_lane_and_shared(jax_operation, lanes):
    operation, slopes = jax_operation
    op = operation(ndvm.Machine().load("(vsum (matvec M x))"), kinds={"M": "matrix", "x": "vector"})
    M = np.arange(6.0).reshape(2, 3)
    x = np.arange(3.0) if lanes is None else np.arange(3.0 * lanes).reshape(lanes, 3)
    np.testing.assert_allclose(op(M=M, x=x), (x @ M.T).sum(-1))
    found = slopes({"M": M, "x": x})
    np.testing.assert_allclose(found["M"], np.broadcast_to(x.reshape(-1, 3).sum(0), (2, 3)))
    np.testing.assert_allclose(found["x"], np.broadcast_to(M.sum(0), x.shape))


def test_inputs_that_are_not_asked_for_have_slopes_of_zero(jax_operation):
    operation, slopes = jax_operation
    op = operation(ndvm.Machine().load("(* a b)"), wrt=["b"])
    assert op(a=3.0, b=4.0) == 12
    found = slopes({"a": np.array(3.0), "b": np.array(4.0)})
    assert {name: float(one) for name, one in found.items()} == {"a": 0, "b": 3}


def test_results_that_are_vectors_have_the_declared_shape(jax_operation):
    op = jax_operation[0](ndvm.Machine().load("(vec a (* 2 a) 5)"), shape=(3,))
    assert op(a=2.0).tolist() == [2, 4, 5]
    assert op(a=np.array([1.0, 3.0])).tolist() == [[1, 2, 5], [3, 6, 5]]


def test_undeclared_vectors_and_strange_names_are_refused(jax_operation):
    program = ndvm.Machine().load("(* a b)")
    with pytest.raises(ndvm.NdvmError, match="input a has shape"):
        jax_operation[0](program)(a=np.ones((2, 2)), b=1.0)
    for wrong in ({"wrt": ["z"]}, {"kinds": {"z": "vector"}}):
        with pytest.raises(ndvm.NdvmError, match="the program has no input z"):
            jax_operation[0](program, **wrong)


def test_arithmetic_is_that_of_the_machine(jax_operation):
    for precision, dtype in (("f32", np.float32), ("f64", np.float64)):
        op = jax_operation[0](ndvm.Machine(precision).load("(* a a)"))
        assert np.asarray(op(a=np.array([0.1, 0.2]))).dtype == dtype
