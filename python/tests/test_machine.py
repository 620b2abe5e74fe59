"""Programs from Python: inputs of every kind, results, errors."""

import numpy as np
import pytest

import ndvm


def test_values_and_gradients_by_lane(decay):
    result = decay.gradient(a=2.0, k=-0.5, t=np.array([0, 1, 2.0]), wrt=["a", "k"])
    t = np.array([0, 1, 2.0])
    np.testing.assert_allclose(result.values, 2 * np.exp(-0.5 * t), rtol=1e-15)
    np.testing.assert_allclose(result.gradients["a"], np.exp(-0.5 * t), rtol=1e-15)
    np.testing.assert_allclose(result.gradients["k"], 2 * t * np.exp(-0.5 * t), rtol=1e-15)
    assert set(result.gradients) == {"a", "k"}


def test_a_run_without_lanes_has_no_lane_axis(decay):
    result = decay.gradient(a=2.0, k=0.0, t=1.0)
    assert result.values.shape == ()
    assert result.gradients["k"].shape == ()
    assert decay.gradient(a=[2.0], k=0.0, t=1.0).values.shape == (1,)


def test_reduce_sums_over_lanes_that_share_an_input(decay):
    result = decay.gradient(a=2.0, k=0.0, t=np.arange(5.0), reduce=True)
    assert result.gradients["a"] == 5.0
    assert result.gradients["k"] == 20.0
    assert result.gradients["t"].shape == (5,)


def test_vectors_and_matrices(machine):
    program = machine.load("(matvec M x)")
    shared = program.evaluate(M=ndvm.mat([[1, 2], [3, 4]]), x=ndvm.vec([1, -1]))
    assert shared.values.tolist() == [-1, -1]
    lanes = program.evaluate(M=ndvm.mat([[1, 2], [3, 4]]), x=ndvm.vec([[1, 0], [0, 1], [1, 1]]))
    assert lanes.values.tolist() == [[1, 3], [2, 4], [3, 7]]
    found = program.jacobian(M=ndvm.mat([[1, 2], [3, 4]]), x=ndvm.vec([1, -1]), wrt=["x"])
    assert found.jacobians["x"].tolist() == [[1, 2], [3, 4]]
    seeded = program.gradient(M=ndvm.mat([[1, 2], [3, 4]]), x=ndvm.vec([1, -1]), seed=[1, 0])
    assert seeded.gradients["x"].tolist() == [1, 2]
    assert seeded.gradients["M"].tolist() == [[1, -1], [0, 0]]


@pytest.mark.parametrize(
    "t",
    [
        np.arange(6.0)[::2],
        np.arange(3, dtype=">f8"),
        np.arange(3, dtype=np.int64),
        np.arange(3, dtype=np.float16),
        [0, 1, 2],
        (0.0, 1.0, 2.0),
        np.asfortranarray(np.arange(9.0).reshape(3, 3))[:, 0] * 0 + np.arange(3),
        np.array([0, 1, 2], dtype=object),
        range(3),
    ],
    ids=["strided", "big-endian", "int64", "float16", "list", "tuple", "column", "object", "range"],
)
def test_arrays_of_every_layout_are_the_same_numbers(decay, t):
    expected = 2 * np.exp(-0.5 * np.asarray(t, dtype=float))
    np.testing.assert_allclose(decay.evaluate(a=2, k=-0.5, t=t).values, expected, rtol=1e-15)


@pytest.mark.parametrize(
    "t, words",
    [
        ("text", "not of real numbers"),
        (np.array(["a", "b"]), "not of real numbers"),
        (np.array([object()]), "not a number"),
        (np.zeros((2, 2)), "has shape [2, 2]"),
        (np.array([1j]), "not of real numbers"),
        (np.array([]), "no lanes"),
        (None, "not"),
    ],
)
def test_what_is_no_number_is_refused_by_name(decay, t, words):
    with pytest.raises(ndvm.NdvmError) as caught:
        decay.evaluate(a=2, k=-0.5, t=t)
    assert caught.value.code == "E-INPUT"
    assert words in str(caught.value)


def test_not_a_number_stays_in_its_lane(decay):
    result = decay.gradient(a=[1.0, np.nan, 3.0], k=0.0, t=1.0)
    assert np.isnan(result.values[1]) and result.values[[0, 2]].tolist() == [1, 3]
    assert [one["lane"] for one in result.non_finite] == [1]


def test_lanes_that_fail_are_listed(machine):
    program = machine.load("(if (< x 0) (car x) x)")
    result = program.evaluate(x=[1.0, -1.0])
    assert [(lane, error.code) for lane, error in result.failures] == [(1, "E-TYPE")]
    assert result.values[0] == 1 and np.isnan(result.values[1])


def test_results_that_are_no_numbers(machine):
    result = machine.load("(list x 'word #t (vec 1 2) '())").evaluate(x=3)
    number, word, truth, vector, empty = result.datum()
    assert (number, word, truth, empty) == (3, "word", True, [])
    assert vector.tolist() == [1, 2]
    with pytest.raises(ndvm.NdvmError, match="E-RESULT"):
        result.values


def test_errors_show_the_place_and_a_way_out(machine):
    with pytest.raises(ndvm.NdvmError) as caught:
        machine.load("(+ 1\n   (sine x))", file="model.scm")
    error = caught.value
    assert error.code == "E-UNBOUND"
    assert error.help and "sin" in error.help
    assert error.span == (9, 13)
    text = str(error)
    assert "model.scm:2:5" in text and "^^^^" in text


def test_budgets_are_typed_errors_and_the_machine_goes_on(machine, decay):
    endless = machine.load("(loop ((i 0)) (recur (+ i x)))")
    with pytest.raises(ndvm.NdvmError) as caught:
        endless.evaluate(x=1, steps_max=10_000)
    assert caught.value.code == "E-STEPS"
    assert decay.evaluate(a=1, k=0, t=0).values == 1


def test_inputs_with_the_names_of_options_or_keywords(machine):
    program = machine.load("(+ lanes lambda timeout)", inputs=["lanes", "lambda", "timeout"])
    assert program.evaluate({"lanes": 1, "lambda": 2, "timeout": 3}).values == 6


def test_two_precisions():
    f32 = ndvm.Machine(precision="f32").load("(/ 1 x)").evaluate(x=3).values
    assert f32 == np.float32(1) / np.float32(3)
    with pytest.raises(ndvm.NdvmError, match="f32 or f64"):
        ndvm.Machine(precision="f16")


def test_exports(machine):
    assert machine.load("(* a x)").export("math", {"a": 2}) == "2·x"


def test_programs_and_errors_can_be_pickled(decay):
    import pickle

    again = pickle.loads(pickle.dumps(decay))
    assert again.evaluate(a=3, k=0, t=0).values == 3
    error = pickle.loads(pickle.dumps(ndvm.NdvmError("E-INPUT", "words", help="way out")))
    assert (error.code, error.help) == ("E-INPUT", "way out")


def test_calls_again_take_the_new_numbers(decay):
    for a in (2.0, np.float32(3), 4, np.array([5.0, 6.0]), np.array([7, 8], np.float32), [9.0, 1.0]):
        for k in (-0.5, 0.25):
            result = decay.gradient(a=a, k=k, t=2.0, wrt=["a"])
            np.testing.assert_allclose(result.values, np.asarray(a, float) * np.exp(2 * k))
            np.testing.assert_allclose(
                result.gradients["a"], np.full(np.shape(a), np.exp(2 * k)))
    columns = np.arange(12.0).reshape(3, 4)
    for column in columns.T:  # not contiguous
        assert decay.evaluate(a=column, k=0, t=0).values.tolist() == column.tolist()


def test_a_call_again_may_come_to_something_else(machine):
    program = machine.load("(if (< x 0) (vec x x) (sqrt (- 4 x)))")
    for _ in range(2):
        assert program.evaluate(x=4.0).values == 0
        assert program.evaluate(x=-1.0).values.tolist() == [-1, -1]
        bad = program.evaluate(x=5.0)
        assert np.isnan(bad.values) and len(bad.non_finite) == 1
        assert program.evaluate(x=3.0).non_finite == []
    seeded = machine.load("(vec a (* a a))")
    for seed in ([1.0, 0.0], [0.0, 1.0]):
        assert seeded.gradient(a=3.0, seed=seed).gradients["a"] == seed[0] + 6 * seed[1]
    with pytest.raises(ndvm.NdvmError, match="seed"):
        seeded.gradient(a=3.0, seed=float("nan"))


def test_results_may_be_changed_and_keep_their_numbers(decay):
    first = decay.evaluate(a=[1.0, 2.0], k=0, t=0)
    first.values[0] = 7
    first.failures.append((0, ndvm.NdvmError("E-INPUT", "mine")))
    second = decay.evaluate(a=[3.0, 4.0], k=0, t=0)
    assert first.values.tolist() == [7, 2] and second.values.tolist() == [3, 4]
    assert second.failures == []


def test_an_option_overwrote_the_input_of_its_name(machine):
    program = machine.load("(+ a (* 10 lanes))")
    assert program.evaluate(a=1.0, lanes=2.0).values == 21
    assert program.evaluate({"a": 1.0}, lanes=2.0).values == 21
    assert program.evaluate({"a": 1.0, "lanes": 2.0}, lanes=3).values.tolist() == [21, 21, 21]
    seeded = machine.load("(* a seed)").gradient({"a": 3.0, "seed": 5.0}, seed=2.0, wrt=["a"])
    assert seeded.values == 15 and seeded.gradients["a"] == 10
    wrt = machine.load("(* a wrt)")
    assert set(wrt.gradient({"a": 3.0, "wrt": 5.0}, wrt=["wrt"]).gradients) == {"wrt"}
    assert wrt.jacobian({"a": 3.0, "wrt": 5.0}, wrt=["a"]).jacobians["a"] == 5
    timeout = machine.load("(* 2 timeout)")
    assert timeout.evaluate({"timeout": 4.0}, timeout=60).values == 8
    assert timeout.evaluate(timeout=4.0).values == 8
    inputs = machine.load("(* 2 inputs)")
    assert inputs.evaluate({"inputs": 4.0}).values == 8
    with pytest.raises(ndvm.NdvmError, match="inputs are float, not a mapping"):
        inputs.evaluate(inputs=4.0)
