"""Calibration and search from Python."""

import math
import pickle

import numpy as np
import pytest

import ndvm


@pytest.fixture(scope="module")
def rows():
    t = np.linspace(0, 4, 40)
    noise = 0.01 * np.sin(37.0 * np.arange(40))
    return {"t": t, "y": 2.0 * np.exp(-0.7 * t) + noise}


def test_fit_finds_the_constants_with_errors(decay, rows):
    result = ndvm.fit(decay, rows, "y", {"k": (-2.0, 0.0)}, restarts=4, seed=1)
    assert result.params["a"] == pytest.approx(2, abs=0.02)
    assert result.params["k"] == pytest.approx(-0.7, abs=0.02)
    assert 0 < result.standard_errors["k"] < 0.02
    low, high = result.intervals["a"]
    assert low < result.params["a"] < high
    assert result.has_converged
    np.testing.assert_allclose(result.fitted_values, result.predict({"t": rows["t"]}))
    assert "e^" in result.latex()
    html = result._repr_html_()
    assert "<table>" in html and "<svg" in html


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("column", ["t", "y"])
def test_numbers_behind_a_mask_were_fitted_as_if_nothing_hid_them(column, dtype):
    numbers = {"t": np.arange(6).astype(dtype), "y": (2 * np.arange(6) + 1).astype(dtype)}
    data = {**numbers, column: np.ma.masked_array(numbers[column], mask=numbers["t"] == 3)}
    with pytest.raises(ndvm.NdvmError, match=f"column {column} has no value in row 4"):
        ndvm.fit("(+ a (* b t))", data, "y")
    # A mask that hides nothing changes nothing.
    shown = {name: np.ma.masked_array(one, mask=False) for name, one in numbers.items()}
    assert ndvm.fit("(+ a (* b t))", shown, "y").params["b"] == pytest.approx(2)


def test_a_group_behind_a_mask_was_taken_for_the_word_there():
    groups = np.ma.masked_array(["u", "v", "u", "v"], mask=[0, 0, 1, 0])
    data = {"t": np.arange(4.0), "y": np.arange(4.0), "g": groups}
    with pytest.raises(ndvm.NdvmError, match="column g has no value in row 3"):
        ndvm.fit("(* a t)", data, "y", groups={"by": "g", "params": ["a"]})


@pytest.mark.parametrize("missing", [None, math.nan])
def test_a_missing_cell_is_told_by_its_row_and_not_as_something_that_is_not_a_number(missing):
    data = {"t": np.arange(4.0), "y": [1.0, 2.0, missing, 4.0]}
    with pytest.raises(ndvm.NdvmError, match="column y has no value in row 3"):
        ndvm.fit("(* a t)", data, "y")
    words = {"t": np.arange(4.0), "y": np.arange(4.0), "g": ["u", missing, "u", "v"]}
    with pytest.raises(ndvm.NdvmError, match="column g has no value in row 2"):
        ndvm.fit("(* a t)", words, "y", groups={"by": "g", "params": ["a"]})
    mixed = {"t": np.arange(4.0), "y": np.arange(4.0), "g": [1, "v", 1, "v"]}
    fitted = ndvm.fit("(* a t)", mixed, "y", groups={"by": "g", "params": ["a"]})
    assert sorted(fitted.params) == ["a[1]", "a[v]"]


def test_lanes_behind_a_mask_are_not_numbers():
    program = ndvm.Machine().load("(* 2 t)")
    for dtype in (np.float64, np.float32, np.int32):
        t = np.ma.masked_array(np.arange(3).astype(dtype), mask=[0, 1, 0])
        np.testing.assert_array_equal(program.evaluate(t=t).values, [0, np.nan, 4])


def test_a_program_given_as_text_and_options_by_their_python_names(rows):
    result = ndvm.fit(
        "(* a (exp (* k t)))", rows, "y",
        {"a": 1.0, "k": {"start": -0.1, "bounds": (-3, 0)}},
        weights=np.ones(40), loss="huber", huber_width=0.5, level=0.9,
    )
    assert result.params["k"] == pytest.approx(-0.7, abs=0.02)


def test_a_data_frame_and_progress(decay, rows):
    pandas = pytest.importorskip("pandas")
    told = []
    result = ndvm.fit(decay, pandas.DataFrame(rows), "y", restarts=8, seed=2,
                      on_progress=told.append)
    assert result.r2 > 0.99
    assert all("bestLoss" in one for one in told)


def test_options_that_do_not_exist_are_named(decay, rows):
    with pytest.raises(ndvm.NdvmError, match="fit has no option restart"):
        ndvm.fit(decay, rows, "y", restart=3)
    with pytest.raises(ndvm.NdvmError, match="E-"):
        ndvm.fit(decay, rows, "z")


def test_a_fit_goes_on_from_its_json(decay, rows):
    first = ndvm.fit(decay, rows, "y", {"a": 1.0, "k": 0.0}, optimiser="adam", steps=5)
    more = ndvm.fit(decay, rows, "y", {"a": 1.0, "k": 0.0}, optimiser="adam", steps=400,
                    resume=first.json)
    assert more.loss <= first.loss
    with pytest.raises(ndvm.NdvmError):
        ndvm.fit(decay, rows, "y", {"a": 1.0, "k": 0.0}, optimiser="lm", resume=first.json)
    fewer = {name: column[:-1] for name, column in rows.items()}
    with pytest.raises(ndvm.NdvmError, match="of another fit: other data") as refused:
        ndvm.fit(decay, fewer, "y", {"a": 1.0, "k": 0.0}, optimiser="adam", steps=400,
                 resume=first.json)
    assert refused.value.code == "E-OPTION"


def test_fit_many_keeps_the_order_and_the_failures(rows):
    results = ndvm.fit_many(["(* a (exp (* k t)))", "(* a", "(+ a (* b t))"], rows, "y")
    assert results[0]["params"]["k"] == pytest.approx(-0.7, abs=0.02)
    assert results[1]["error"].code == "E-SYNTAX"
    assert results[2]["loss"] > results[0]["loss"]


def test_search_finds_a_law_and_tells_of_it():
    x = np.linspace(0, 3, 40)
    told = []
    result = ndvm.search({"x": x, "y": 2 * np.sin(x) + 1}, "y", candidates=2000, seed=1, workers=0,
                         on_event=told.append)
    np.testing.assert_allclose(result.best.predict({"x": x}), 2 * np.sin(x) + 1, atol=1e-6)
    assert {"started", "front"} <= {one["type"] for one in told}
    assert result.counts["candidates"] == 2000
    assert "<table>" in result._repr_html_()


def test_progress_is_one_line_that_is_written_over(capsys):
    x = np.linspace(0, 3, 40)
    ndvm.search({"x": x, "y": np.sin(3 * x) * x}, "y", candidates=1500, workers=0, progress=True)
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and "candidates" in said


def test_a_search_is_the_same_for_any_number_of_workers():
    x = np.linspace(0, 3, 30)
    data = {"x": x, "y": np.exp(-x) * x}
    found = [ndvm.search(data, "y", candidates=600, seed=3, workers=n) for n in (0, 2)]
    assert [one.source for one in found[0].front] == [one.source for one in found[1].front]
    assert [one.loss for one in found[0].front] == [one.loss for one in found[1].front]


def test_a_search_without_a_limit_is_refused():
    with pytest.raises(ndvm.NdvmError, match="needs a limit"):
        ndvm.search({"x": [1, 2], "y": [1, 2]}, "y")


def test_notebooks_show_the_figures_of_the_report(rows):
    result = ndvm.fit("(* a (exp (* k t)))", rows, "y", {"a": 1.0, "k": -0.1})
    shown = result._repr_html_()
    assert shown.count("<svg") >= 2 and "y over t: data and fit" in shown and "ndvm-figures" in shown
    groups = ["left" if i % 2 else "right" for i in range(len(rows["y"]))]
    grouped = ndvm.fit("(* a (exp (* k t)))", {**rows, "side": groups}, "y", {"a": 1.0, "k": -0.1},
                       groups={"by": "side", "params": ["a"]})
    assert "left" in grouped.figures()
    with pytest.raises(ndvm.NdvmError, match="groups"):
        ndvm.fit("(* a t)", {**rows, "side": groups}, "y", groups={"by": "side"})
    again = pickle.loads(pickle.dumps(result))
    assert again.params == result.params and again.figures() == ""
    assert "<table>" in again._repr_html_()
    loss = ndvm.fit("(+ 1 (* a a))", params={"a": (1.0, 3.0)}, restarts=8, seed=1)
    assert "<svg" in loss.figures()
    assert ndvm.fit("(+ 1 (* a a))", params={"a": 3.0}).figures() == ""


def test_notebooks_call_scores_by_their_loss():
    x = list(range(10))
    data = {"x": x, "z": [0, 0, 0, 1, 0, 1, 0, 1, 1, 1]}
    logit = ndvm.fit("(+ a (* b x))", data, "z", loss="(- (softplus pred) (* z pred))",
                     is_negative_log_likelihood=True)
    assert not logit.predicts_target and np.isnan(logit.r2)
    assert "R²" not in logit._repr_html_() and "data and fit" not in logit.figures()
    robust = ndvm.fit("(+ a (* b x))", data, "z", loss="absolute")
    assert robust.predicts_target and f"share of the loss {robust.r2:.6g}" in robust._repr_html_()


def test_a_search_shows_the_choice_and_its_front():
    x = np.linspace(0, 3, 40)
    result = ndvm.search({"x": x, "y": 2 * np.sin(x) + 1}, "y", candidates=1000, seed=1, workers=0)
    shown = result._repr_html_()
    assert "y over x: data and model" in shown and shown.count("<svg") == 2
