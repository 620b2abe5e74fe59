"""Every option reaches the server under its own name, and every figure of a result comes from its own."""

import json

import numpy as np
import pytest

import ndvm
from ndvm import _values, fitting, searching
from ndvm._frames import ArrayList
from ndvm._process import service


@pytest.fixture
def calls(monkeypatch):
    """The fields of the calls that are made, and what is answered to them."""
    made = []
    real = service.call

    def call(name, fields, arrays, **how):
        made.append((name, fields, arrays.arrays, how))
        return real(name, fields, arrays, **how)

    monkeypatch.setattr(service, "call", call)
    return made


def options_of(made):
    return made[-1][1]["options"]


@pytest.fixture(scope="module")
def line():
    x = np.arange(12.0)
    return {"x": x, "y": 2 * x + 1 + 0.1 * np.sin(5 * x)}


@pytest.mark.parametrize("given, sent", [
    ({"loss": "huber", "huber_width": 0.3}, {"loss": "huber", "huberWidth": 0.3}),
    ({"time_max": 60_000}, {"timeMax": 60_000}),
    ({"steps_max": 10**9}, {"stepsMax": 10**9}),
    ({"steps": 7, "optimiser": "lbfgs"}, {"steps": 7, "optimiser": "lbfgs"}),
    ({"restarts": 3, "seed": 5}, {"restarts": 3, "seed": 5}),
    ({"level": 0.8}, {"level": 0.8}),
    ({"together": 2}, {"together": 2}),
    ({"seed": None}, {}),
])
def test_options_of_a_fit(calls, line, given, sent):
    ndvm.fit("(+ a (* b x))", line, "y", **given)
    options = options_of(calls)
    always = {"data", "target", "isProgressWanted"}
    assert {key: one for key, one in options.items() if key not in always} == sent
    assert options["target"] == "y" and options["isProgressWanted"] is False


@pytest.mark.parametrize("name", ["weights", "sigma", "trials"])
def test_columns_beside_the_data(calls, line, name):
    column = np.arange(1.0, 13.0)
    extra = {"loss": "binomial"} if name == "trials" else {}
    data = {"x": line["x"], "y": np.ones(12)}
    program = "(sigmoid (+ a (* b x)))"
    ndvm.fit(program, data, "y", **{name: column}, **extra)
    place = options_of(calls)[name]["$array"]
    assert calls[-1][2][place].tolist() == column.tolist()
    ndvm.fit(program, {**data, "s": column}, "y", **{name: "s"}, **extra)
    assert options_of(calls)[name] == "s"


def test_infinity_was_no_number_to_json(calls, line):
    machine = ndvm.Machine()
    program = machine.load("(+ a (* b x))")
    result = ndvm.fit(program, line, "y", params={"a": {"start": 1, "bounds": (0, np.inf)},
                                                  "b": {"bounds": [-np.inf, None]}}, time_max=np.inf)
    sent = options_of(calls)
    assert sent["params"]["a"]["bounds"] == [0, {"number": "Infinity"}]
    assert sent["params"]["b"]["bounds"] == [{"number": "-Infinity"}, None]
    assert result.params["a"] == pytest.approx(1, abs=0.2)
    assert program.evaluate(a=1, b=2, x=3, time_max=np.inf).values == 7
    assert program.gradient(a=1, b=2, x=3, time_max=np.inf, wrt=["b"]).gradients["b"] == 3
    (found,) = ndvm.fit_many(["(+ a (* b x))"], line, "y", time_max=np.inf)
    assert "error" not in found
    ndvm.search(line, "y", seconds=np.inf, candidates=40, workers=0)
    assert options_of(calls)["budget"] == {"seconds": {"number": "Infinity"}, "candidates": 40}
    text = ndvm.export_model("(+ x c)", "numpy", {"c": np.inf})
    assert "np.inf" in text
    # A constant may be called number, and be infinite.
    found = fitting._params_json({"number": -np.inf})
    assert found == {"number": {"number": "-Infinity"}}
    for bad in ({"params": {"a": (np.nan, 1)}}, {"level": np.nan}, {"restarts": np.inf}):
        with pytest.raises(ndvm.NdvmError) as error:
            ndvm.fit(program, line, "y", **bad)
        assert error.value.code in ("E-INPUT", "E-OPTION")


def test_options_of_numpy_were_no_json(calls, line):
    program = ndvm.Machine(memory_max=np.int64(2**26)).load("(+ a (* b x))")
    ndvm.fit(program, line, "y", restarts=np.int64(3), seed=np.uint8(4), level=np.float32(0.5),
             params={"a": np.array([0.0, 2.0]), "b": {"bounds": np.array([0, 9])}},
             groups=None, is_negative_log_likelihood=np.bool_(False))
    sent = options_of(calls)
    assert (sent["restarts"], sent["seed"], sent["level"]) == (3, 4, 0.5)
    assert sent["params"] == {"a": {"range": [0, 2]}, "b": {"bounds": [0, 9]}}
    assert sent["isNegativeLogLikelihood"] is False
    mask = np.arange(12) % 4 == 0
    for held in (mask, list(mask), np.flatnonzero(mask), [0, 4, 8]):
        ndvm.search(line, "y", candidates=np.int64(40), workers=np.int32(0), hold_out=held,
                    inputs=np.array(["x"]), operators=np.array(["+", "*"]), start=np.array(["(* a x)"]))
        assert options_of(calls)["holdOut"] == [0, 4, 8]
        assert options_of(calls)["budget"] == {"candidates": 40}
    options = {"lanes": np.int64(3), "chunk": np.int64(2), "stats": np.bool_(True)}
    assert program.evaluate(a=1, b=2, x=3, **options).values.tolist() == [7, 7, 7]
    result = ndvm.fit(program, line, "y")
    assert result.export("latex", digits=np.int64(2)) != result.export("latex", digits=np.int64(5))
    with pytest.raises(ndvm.NdvmError, match="hold_out is a mask of 3 rows, the data have 12"):
        ndvm.search(line, "y", candidates=40, hold_out=mask[:3])
    for make in (lambda: ndvm.fit(program, line, "y", restarts=object()),
                 lambda: ndvm.fit(program, line, "y", adam={"rate": 1j}),
                 lambda: ndvm.search(line, "y", candidates=b"40"),
                 lambda: program.evaluate(a=1, b=2, x=3, lanes=object())):
        with pytest.raises(ndvm.NdvmError, match="is of the type") as error:
            make()
        assert error.value.code == "E-OPTION"
    for given in ("text", None, [1, "b"], (1, 2, 3)):
        with pytest.raises(ndvm.NdvmError):
            ndvm.fit(program, line, "y", params={"a": given})


HUGE = 10**400


@pytest.mark.parametrize("value", [HUGE, -HUGE, [1, HUGE]])
def test_whole_numbers_beyond_floats_were_overflow_errors(value):
    with pytest.raises(ndvm.NdvmError) as raised:
        ndvm.Machine().load("(* x 1)").evaluate(x=value)
    assert raised.value.code == "E-INPUT"
    assert raised.value.message == "x holds a whole number that is too large for a float"


def test_options_beyond_floats_were_infinite():
    for value in (HUGE, -HUGE, [HUGE], 2**1024 - 1):
        with pytest.raises(ndvm.NdvmError) as raised:
            _values.option_json("limit", value)
        assert raised.value.code == "E-OPTION"
    assert _values.option_json("limit", 2**1023) == 2**1023


def test_parameters_are_starts_ranges_or_more():
    found = fitting._params_json({"a": 1, "b": (2, 3), "c": {"start": 4}, "d": np.float32(5)})
    assert found == {"a": 1.0, "b": {"range": [2.0, 3.0]}, "c": {"start": 4}, "d": 5.0}
    with pytest.raises(ndvm.NdvmError, match="is given 3 numbers"):
        fitting._params_json({"a": (1, 2, 3)})


def test_a_fit_tells_each_of_its_figures(line):
    result = ndvm.fit("(+ a (* b x))", line, "y", restarts=3, seed=1)
    best = result.json["best"]
    figures = (result.loss, result.r2, result.log_likelihood, result.aic, result.bic)
    keys = ("loss", "r2", "logLikelihood", "aic", "bic")
    assert figures == tuple(best[key] for key in keys)
    assert len(set(figures)) == 5
    assert result.standard_errors == result.json["standardErrors"]
    assert set(result.standard_errors) == set(result.params) == {"a", "b"}
    assert len(result.restarts) == 3 and result.stopped == result.json["stopped"]
    with pytest.raises(AttributeError, match="a fit has no sum_of_squares"):
        result.sum_of_squares


def test_the_fit_has_converged_if_its_best_restart_has(line):
    fields = ndvm.fit("(+ a (* b x))", line, "y", restarts=2, seed=1).json
    for best, other, expected in ((True, False, True), (False, True, False)):
        restarts = [{**one, "hasConverged": best if one["index"] == fields["best"]["restart"]
                     else other} for one in fields["restarts"]]
        program = ndvm.Machine().load("(+ a (* b x))")
        result = fitting._rebuild(program, {**fields, "restarts": restarts}, None)
        assert result.has_converged is expected


def test_predictions_take_what_is_given_before_what_was_fitted(line):
    result = ndvm.fit("(+ a (* b x))", line, "y")
    a, b = result.params["a"], result.params["b"]
    assert result.evaluate(x=2.0).values == pytest.approx(a + 2 * b)
    assert result.evaluate(x=2.0, a=0.0).values == pytest.approx(2 * b)
    predicted = result.predict({"x": [1, 2], "unused": [9, 9]})
    np.testing.assert_allclose(predicted, a + b * np.array([1, 2]))


def test_many_fits_take_their_machine_and_how_programs_are_read(calls, line):
    ndvm.fit_many(["(+ a (* b x))"], line, "y", machine=ndvm.Machine("f32", 2**26),
                  load={"domain": "clamp"}, timeout=60, seed=3)
    name, fields, _, how = calls[-1]
    assert name == "fitMany" and how == {"timeout": 60}
    assert fields["machine"] == {"precision": "f32", "memoryMax": 2**26}
    assert fields["load"] == {"domain": "clamp"}
    assert fields["options"]["seed"] == 3 and fields["options"]["detail"] == "scores"


def test_options_of_a_search(monkeypatch, line):
    made = []
    done = {"front": [], "counts": {}, "warnings": ["w"], "stopped": "fits"}

    def call(name, fields, arrays, **how):
        made.append((name, fields["options"], how["timeout"]))
        return {"done": done}, []

    monkeypatch.setattr(service, "call", call)
    given = {"hold_out": [1, 2], "complexity_max": 9, "inputs": ["x"], "seed": 4, "workers": 2,
             "operators": ["+"], "precision": "f32", "domain": "clamp", "description": "d",
             "recipe": {"optimiser": "lm"}, "limits": {}, "epoch": 8, "islands": 2, "lag": 1,
             "archive": "a.db", "resume": True, "keep": "front"}
    result = ndvm.search({**line, "z": line["x"]}, "y", seconds=1, candidates=2, fits=3, r2=0.5,
                         start=["(* a x)"], evolve={"draws": 5}, timeout=9, **given)
    name, options, timeout = made[-1]
    assert (name, timeout) == ("search", 9)
    assert options.pop("budget") == {"seconds": 1, "candidates": 2, "fits": 3, "r2": 0.5}
    assert options.pop("evolve") == {"draws": 5, "seeds": ["(* a x)"]}
    assert set(options.pop("data")) == {"x", "y", "z"} and options.pop("target") == "y"
    renamed = {"hold_out": "holdOut", "complexity_max": "complexityMax"}
    assert options == {renamed.get(key, key): one for key, one in given.items()}
    assert result.inputs == ["x"] and result.choice is None
    assert (result.warnings, result.stopped) == (["w"], "fits")
    assert ndvm.search(line, "y", r2=1, seed=None).inputs == ["x"]
    assert set(made[-1][1]) == {"data", "target", "budget"}
    for budget in ("seconds", "candidates", "fits", "r2"):
        ndvm.search(line, "y", **{budget: 1})
        assert made[-1][1]["budget"] == {budget: 1}
    with pytest.raises(ndvm.NdvmError, match="search has no option hold"):
        ndvm.search(line, "y", fits=1, hold=2)


def test_a_model_predicts_each_row_whatever_it_reads():
    fields = {"source": "c", "params": {"c": 4.0}, "complexity": 1, "loss": 0.0, "r2": 1.0}
    constant = searching.Model(fields, ["x"])
    assert constant.predict({"x": np.zeros(3)}).tolist() == [4, 4, 4]
    model = searching.Model({**fields, "source": "(* c x)"}, ["x", "z"])
    assert model.predict({"x": np.arange(3.0), "z": np.zeros(3)}).tolist() == [0, 4, 8]
    assert searching.Model(fields, []).predict({"x": np.zeros(3)}).tolist() == [4, 4, 4]
    assert constant.length is None


def test_a_model_of_a_column_called_max_had_no_formula():
    fields = {"source": "(* c (sqrt max))", "params": {"c": 4.0}, "complexity": 1, "loss": 0.0,
              "r2": 1.0}
    model = searching.Model(fields, ["max", "x"], "clamp")
    assert model.equation == "4·√max(max, 1e−8)"
    assert "max" in model.latex() and "max" in model.sympy()
    # What sqrt does below 0 is the search's choice.
    assert np.isfinite(model.predict({"max": np.array([-1.0]), "x": np.array([0.0])})).all()
    with pytest.raises(ndvm.NdvmError):
        ndvm.export_model("(* c (sqrt max))", "math", {"c": 4.0})
    told = ndvm.export_model("(* c (sqrt max))", "math", {"c": 4.0}, load={"inputs": ["max"]})
    assert told == "4·√max"
    program = ndvm.Machine().load("(* 2 max)", inputs=["max"])
    assert program.export("math") == "2·max"


def test_how_a_text_is_loaded_is_checked_wherever_it_is():
    machine, told = ndvm.Machine(), []
    for load, expected in [({"domain": "bad"}, "domain must be"), ({"inputs": "max"}, "inputs must be"),
                           ({"inputs": 5}, "inputs must be"), ({"language": "c"}, "language must be")]:
        calls = [lambda: machine.load("(* 2 max)", **load),
                 lambda: ndvm.export_model("(* 2 max)", "math", load=load),
                 lambda: ndvm.fit_many(["(* a max)"], {"max": [1.0, 2], "y": [2.0, 4]}, "y", load=load)]
        for call in calls:
            # A text of names was taken for its letters, in one of them.
            with pytest.raises(ndvm.NdvmError, match=expected) as error:
                told = call()
                if isinstance(told, list):
                    raise told[0]["error"]
            assert error.value.code == "E-OPTION"
    for inputs in (("max",), np.array(["max"]), {"max": 1}.keys(), iter(["max"])):
        assert ndvm.export_model("(* 2 max)", "math", load={"inputs": inputs}) == "2·max"
    with pytest.raises(ndvm.NdvmError, match="inputs is x"):
        ndvm.search({"x": np.arange(9.0), "y": np.arange(9.0)}, "y", inputs="x", candidates=20)


def test_a_fit_with_an_input_that_the_program_never_names_had_no_formula():
    t = np.linspace(0, 4, 20)
    program = ndvm.Machine().load("(* a t)", inputs=["zz"])
    found = ndvm.fit(program, data={"t": t, "y": 2 * t + 0.01 * np.sin(9 * t)}, target="y")
    assert set(found.params) == {"a", "zz"}
    assert found.export("math").endswith("·t") and found.latex().endswith("t")
    told = json.loads(found.export("json"))
    assert (told["inputs"], told["declared"], list(told["params"])) == (["t"], [], ["a"])


def test_groups_that_are_called_as_numbers_that_json_has_no_word_for():
    x = np.arange(8.0)
    plant = ["NaN", "Infinity"] * 4
    y = np.where(np.arange(8) % 2 == 0, 2.0, 5.0) * x + 1
    program = ndvm.Machine().load("(+ (* slope x) level)")
    result = ndvm.fit(program, data={"x": x, "y": y, "plant": plant}, target="y",
                      params={"slope": 1.0, "level": 0.0},
                      groups={"by": "plant", "params": ["slope"]})
    assert result.model["groups"] == ["NaN", "Infinity"]
    assert result.params["slope[NaN]"] == pytest.approx(2)
    assert result.params["slope[Infinity]"] == pytest.approx(5)


def test_stack_code_is_refused_by_exports_as_stack_code():
    program = ndvm.Machine().load("PUSH 2\nLOAD a\nMUL", language="bytecode")
    with pytest.raises(ndvm.NdvmError, match="only programs in Scheme can be exported"):
        program.export("math")


def test_numbers_that_json_has_no_word_for():
    words = {"NaN": np.nan, "Infinity": np.inf, "-Infinity": -np.inf, "other": "other"}
    for word, number in words.items():
        found = _values.unworded({"a": [word, {"b": word}], "c": 1, "parameters": [word]})
        assert found["parameters"] == [word]
        for one in (found["a"][0], found["a"][1]["b"]):
            assert one == number or (word == "NaN" and np.isnan(one))
        if word != "other":
            back = _values.plain([{"number": word}, {"number": word, "more": 1}, [{"number": word}]])
            assert str(back[0]) == str(number) and str(back[2][0]) == str(number)
            assert back[1] == {"number": word, "more": 1}
    infinite = ndvm.Machine().load("(vec (/ x 0) (/ (- x) 0))").evaluate(x=[1.0])
    assert infinite.values.tolist() == [[np.inf, -np.inf]]
    assert ndvm.Machine().load("(list (/ x 0))").evaluate(x=-1.0).datum() == [-np.inf]


def test_columns_of_words_and_numbers_of_every_kind():
    arrays = ArrayList()
    sent = _values.data_json({"g": ["a", "b"], "o": np.array(["a", "c"], object), "n": [1, 2],
                              "f": np.float32([1, 2]), "one": 3, "i": ndvm.int_(4)}, arrays)
    assert sent["g"] == ["a", "b"] and sent["o"] == ["a", "c"] and sent["i"] == {"int": 4}
    assert (sent["n"]["kind"], sent["one"]["kind"]) == ("lanes", "number")
    assert arrays.arrays[sent["f"]["$array"]].dtype == np.float32
    assert arrays.arrays[sent["n"]["$array"]].tolist() == [1, 2]
    with pytest.raises(ndvm.NdvmError, match=r"column m has shape \[2, 2\]"):
        _values.data_json({"m": np.zeros((2, 2))}, arrays)
    with pytest.raises(ndvm.NdvmError, match="data are list"):
        _values.data_json([1, 2], arrays)
    for bad in (True, 1.5, "3"):
        with pytest.raises(ndvm.NdvmError, match="whole number"):
            ndvm.int_(bad)


def test_notebooks_show_each_figure_in_its_column(line):
    result = ndvm.fit("(+ a (* b x))", line, "y")
    low, high = result.intervals["b"]
    shown = result._repr_html_()
    row = (f"<td>b</td><td>{result.params['b']:.7g}</td>"
           f"<td>{result.standard_errors['b']:.4g}</td><td>{low:.5g} to {high:.5g}</td>")
    assert low < high and row in shown
    fields = {"params": {"c": 1.0}, "loss": 0.5, "r2": 0.5, "length": 3.0}
    front = [{**fields, "source": source, "complexity": 1, "visit": visit}
             for visit, source in enumerate(["(* c x)", "(+ c x)", "(- c x)"])]
    told = {"front": front, "choice": front[1], "best": front[2], "counts": {},
            "warnings": ["first <1>", "second"], "stopped": "fits"}
    found = searching.SearchResult(told, ["x"], "y", line)
    assert found.choice is found.front[1] and found.best is found.front[2]
    found.figures = lambda: ""
    table = found._repr_html_()
    rows = table.split("<tr>")[2:]
    assert [one.startswith("<td>→</td>") for one in rows] == [False, True, False]
    assert "<p>first &lt;1&gt;</p><p>second</p>" in table


MEMBER = {"complexity": 1, "loss": 0.0, "r2": 1.0, "visit": 0}


def test_a_constant_called_number_was_taken_for_a_number(line):
    for params in ({"number": 2.0}, {"number": "a"}, {"number": [1]}, {"number": {"start": 1}}):
        assert _values.plain({"params": params}) == {"params": params}
    assert _values.plain({"number": {"number": "-Infinity"}}) == {"number": -np.inf}
    (found,) = ndvm.fit_many(["(* number x)"], {"x": line["x"], "y": 3 * line["x"]}, "y")
    assert found["params"] == pytest.approx({"number": 3})
    told = {"front": [{**MEMBER, "source": "(* number x)", "params": {"number": 3.0}}],
            "choice": None, "best": None, "counts": {}, "warnings": [], "stopped": "fits"}
    (model,) = searching.SearchResult(told, ["x"], "y", line).front
    assert model.predict({"x": [1.0, 2]}).tolist() == [3, 6]


def test_figures_of_a_search_lost_a_constant_called_number(line):
    result = ndvm.search({"x": line["x"], "y": 3 * line["x"]}, "y", fits=200, workers=0, seed=1,
                         start=["(* number x)"])
    assert any(set(one.params) == {"number"} for one in result.front)
    assert "<svg" in result.figures()


def test_the_row_count_overwrote_an_input_called_lanes():
    model = searching.Model({**MEMBER, "source": "(* c lanes)", "params": {"c": 2.0}}, ["lanes"])
    assert model.predict({"lanes": [5.0, 6, 7]}).tolist() == [10, 12, 14]
    with pytest.raises(ndvm.NdvmError, match="input lanes"):
        model.predict({"x": [5.0, 6, 7]})


def test_a_model_predicts_for_frames_and_for_single_numbers():
    pandas = pytest.importorskip("pandas")
    model = searching.Model({**MEMBER, "source": "(* c x)", "params": {"c": 2.0}}, ["x"])
    assert model.predict(pandas.DataFrame({"word": ["a", "b"], "x": [1.0, 2]})).tolist() == [2, 4]
    assert model.predict({"x": 2.0}) == 4 and model.predict({"x": 2.0}).shape == ()
    constant = searching.Model({**MEMBER, "source": "(* c 2)", "params": {"c": 2.0}}, ["x"])
    assert constant.predict({"z": 1.0, "x": [1.0, 2]}).tolist() == [4, 4]
    assert constant.predict({"x": 2.0}) == 4
    with pytest.raises(ndvm.NdvmError, match="data are list"):
        model.predict([1.0, 2])


def test_names_of_columns_need_not_be_texts():
    pandas = pytest.importorskip("pandas")
    x = np.arange(12.0)
    frame = pandas.DataFrame({0: x, 1: 2 * x})
    result = ndvm.search(frame, "1", candidates=100, workers=0, seed=1)
    assert result.inputs == ["0"] and "<svg" in result.figures()
    np.testing.assert_allclose(result.best.predict(frame), 2 * x, atol=1e-6)
    with pytest.raises(ndvm.NdvmError, match="two columns are called 0"):
        ndvm.search({0: x, "0": x, "y": x}, "y", candidates=1)


def test_a_fit_is_evaluated_with_options_and_predicts_a_number_for_each_row(line):
    result = ndvm.fit("(+ lanes (* b x))", line, "y")
    a, b = result.params["lanes"], result.params["b"]
    assert result.evaluate({"x": 2.0}, timeout=60).values == pytest.approx(a + 2 * b)
    assert result.evaluate(x=2.0, lanes=0.0).values == pytest.approx(2 * b)
    assert result.evaluate({"x": 2.0, "lanes": 0.0}, lanes=3).values.shape == (3,)
    constant = ndvm.fit("c", line, "y")
    assert constant.predict({"x": [1.0, 2, 3]}).tolist() == [constant.params["c"]] * 3


def test_columns_are_called_by_numbers():
    table = {0: np.arange(6.0), 1: 2 * np.arange(6.0) + 1, "w": np.ones(6)}
    program = ndvm.Machine().load("(+ (* a |0|) b)")
    wanted = {"a": pytest.approx(2), "b": pytest.approx(1)}
    tables = [table]
    try:
        import pandas
    except ImportError:
        pass
    else:
        tables.append(pandas.DataFrame(table))
    for data in tables:
        result = ndvm.fit(program, data=data, target="1", params={"a": 1.0, "b": 0.0})
        assert result.params == wanted
        np.testing.assert_allclose(result.predict(data), table[1], atol=1e-9)


def test_a_column_that_is_called_as_a_constant_of_the_model_does_not_replace_it():
    model = searching.Model({**MEMBER, "source": "(* c x)", "params": {"c": 2.0}}, ["x"])
    table = {"x": np.array([1.0, 2.0, 3.0]), "c": np.array([7.0, 8.0, 9.0])}
    assert model.predict(table).tolist() == [2, 4, 6]
