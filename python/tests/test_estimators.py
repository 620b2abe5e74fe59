"""The scikit-learn estimators."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from ndvm import FitRegressor, SearchRegressor, estimators  # noqa: E402
from ndvm.searching import Model  # noqa: E402


@parametrize_with_checks([
    SearchRegressor(candidates=64, workers=0),
    FitRegressor("(+ a (* b x0))"),
])
def test_what_scikit_learn_expects(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (80, 2))
    return X, 1.5 * X[:, 0] * X[:, 1] + 2


@pytest.fixture(scope="module")
def found(table):
    return SearchRegressor(candidates=3000, seed=1, workers=0).fit(*table)


def test_search_finds_the_law(table, found):
    X, y = table
    assert found.score(X, y) > 0.9999
    np.testing.assert_allclose(found.predict(X), y, atol=1e-4)


def test_the_equations_are_a_data_frame(table, found):
    pandas = pytest.importorskip("pandas")
    equations = found.equations_
    assert isinstance(equations, pandas.DataFrame)
    assert {"complexity", "loss", "bits", "equation", "sympy_format", "lambda_format"} <= set(equations)
    assert (equations["pick"] == ">>>>").sum() == 1
    X, _ = table
    columns = {"x0": X[:, 0], "x1": X[:, 1]}
    np.testing.assert_allclose(equations["lambda_format"].iloc[-1](columns),
                               found.predict(X, index=len(equations) - 1))


def test_every_row_of_the_equations_can_be_asked_for(table, found):
    X, _ = table
    equations = found.equations_
    assert found.choice_ > 0, "the first row has to be another one than the chosen"
    for index, row in enumerate(equations.itertuples()):
        assert found.get_best(index).source == found.models_[index].source
        assert found.get_best(index).complexity == row.complexity
        np.testing.assert_array_equal(found.predict(X, index=index), found.models_[index].predict(
            {"x0": X[:, 0], "x1": X[:, 1]}))
        assert found.latex(index) == found.models_[index].latex()
    assert found.get_best() is found.models_[found.choice_]


def test_formulas(found):
    assert "x_{0}" in found.latex() or "x0" in found.latex() or "x_0" in found.latex()
    sympy = pytest.importorskip("sympy")
    assert isinstance(found.sympy(), sympy.Expr)


def test_pickling_cloning_and_warm_starts(table, found):
    X, y = table
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.predict(X), found.predict(X))
    assert not hasattr(clone(found), "models_")
    warm = SearchRegressor(candidates=3000, seed=1, workers=0, warm_start=True).fit(X, y)
    warm.set_params(candidates=64).fit(X, y)
    assert warm.score(X, y) > 0.9999


def test_names_of_a_data_frame(table):
    pandas = pytest.importorskip("pandas")
    X, y = table
    frame = pandas.DataFrame(X, columns=["width", "height"])
    model = SearchRegressor(candidates=1500, seed=1, workers=0).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["width", "height"]
    assert "width" in model.get_best().source


@pytest.mark.parametrize("make", [lambda: SearchRegressor(candidates=64, workers=0),
                                  lambda: FitRegressor("(+ c (* a x0))")])
def test_names_of_an_earlier_data_frame_are_gone(table, make):
    pandas = pytest.importorskip("pandas")
    X, y = table
    model = make()
    model.fit(pandas.DataFrame(X, columns=["x0", "width"]), y)
    assert model.feature_names_in_.tolist() == ["x0", "width"]
    model.fit(X[:, :1], y)
    assert not hasattr(model, "feature_names_in_")
    assert (model.n_features_in_, model.predict(X[:, :1]).shape) == (1, (len(y),))


def test_fit_regressor_in_cross_validation(table):
    X, y = table
    model = FitRegressor("(+ c (* a x0 x1))")
    assert cross_val_score(model, X, y, cv=3).min() > 0.9999
    model.fit(X, y)
    assert model.params_["a"] == pytest.approx(1.5)


@pytest.fixture
def searches(monkeypatch):
    """The searches that are asked for; each finds two models, and chooses the second."""
    made = []

    class Found:
        def __init__(self):
            fields = {"params": {"c": 4.0}, "complexity": 1, "loss": 0.0, "r2": 1.0}
            self.front = [Model({**fields, "source": source}, ["x0", "x1"])
                          for source in ("(+ c x0)", "(* c x1)")]
            self.choice = self.front[1]
            self.warnings = ["mind"]

    def search(data, target, **options):
        made.append((data, target, options))
        return Found()

    monkeypatch.setattr(estimators, "search", search)
    return made


def test_options_of_the_search_regressor_reach_the_search(table, searches):
    given = {"candidates": 5, "seconds": 6.0, "operators": ("+", "*"), "complexity_max": 7,
             "workers": 2, "seed": 3, "start": ["(* a x0)"]}
    model = SearchRegressor(**given, verbose=True).fit(*table)
    data, target, options = searches[-1]
    assert set(data) == {"x0", "x1", "y"} and target == "y"
    assert options == {**given, "operators": ["+", "*"], "progress": True}
    assert model.choice_ == 1 and model.warnings_ == ["mind"]
    assert model.get_best().source == "(* c x1)" and model.get_best(0).source == "(+ c x0)"
    assert model.predict([[1.0, 2.0]]).tolist() == [8] and model.predict([[1.0, 2.0]], 0) == [5]
    SearchRegressor(random_state=9, seed=3).fit(*table)
    options = searches[-1][2]
    assert (options["seed"], options["candidates"], options["start"]) == (9, 20_000, None)
    for state, seed in ((0, 0), (np.int64(0), 0), (None, 3)):
        SearchRegressor(random_state=state, seed=3).fit(*table)
        assert searches[-1][2]["seed"] == seed
    SearchRegressor(seconds=2).fit(*table)
    assert searches[-1][2]["candidates"] is None


def test_a_warm_start_begins_with_what_was_given_and_what_was_found(table, searches):
    model = SearchRegressor(candidates=5, start=["(* a x0)"], warm_start=True).fit(*table)
    assert searches[-1][2]["start"] == ["(* a x0)"]
    model.fit(*table)
    assert searches[-1][2]["start"] == ["(* a x0)", "(+ c x0)", "(* c x1)"]
    model.set_params(warm_start=False).fit(*table)
    assert searches[-1][2]["start"] == ["(* a x0)"]


def test_the_target_has_a_name_that_no_column_has(searches):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": [1.0, 2, 3, 4, 5], "y_": [5.0, 1, 4, 2, 3]})
    SearchRegressor(candidates=5).fit(frame, [1.0, 2, 3, 4, 6])
    data, target, _ = searches[-1]
    assert target == "y__" and data["y_"].tolist() == [5, 1, 4, 2, 3]
    fitted = FitRegressor("(+ a (* b y))").fit(frame, 2 * frame["y"] + 1)
    assert fitted.params_ == pytest.approx({"a": 1, "b": 2})


def test_options_of_the_fit_regressor_reach_the_fit(table, monkeypatch):
    made = []
    real = estimators.fit

    def fit(program, data, target, params, **options):
        made.append((sorted(data), target, params, options))
        return real(program, data, target, params, **options)

    monkeypatch.setattr(estimators, "fit", fit)
    FitRegressor("(+ c (* a x0))", {"a": 1.0}, loss="absolute", restarts=2, seed=5).fit(*table)
    assert made == [(["x0", "y"], "y", {"a": 1.0},
                     {"loss": "absolute", "restarts": 2, "seed": 5})]


def test_the_row_count_overwrote_a_column_called_lanes():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"lanes": [1.0, 2, 3, 4, 5], "x": [5.0, 1, 4, 2, 3]})
    model = FitRegressor("(+ seed (* b lanes))").fit(frame, 2 * frame["lanes"] + 1)
    assert model.params_ == pytest.approx({"seed": 1, "b": 2})
    np.testing.assert_allclose(model.predict(frame), [3, 5, 7, 9, 11])
    fitted = FitRegressor("(+ lanes (* b x))").fit(frame[["x"]], 2 * frame["x"] + 1)
    np.testing.assert_allclose(fitted.predict(frame[["x"]]), [11, 3, 9, 5, 7])


def test_a_constant_called_y_was_the_target():
    X = np.arange(5.0).reshape(-1, 1)
    model = FitRegressor("(+ y (* b x0))").fit(X, 2 * X[:, 0] + 1)
    assert model.params_ == pytest.approx({"y": 1, "b": 2})


def test_a_constant_model_had_no_loss(searches, monkeypatch):
    X = np.arange(8.0).reshape(-1, 2)
    few = SearchRegressor(candidates=5).fit(X[:3], [1.0, 2, 6])
    assert few.get_best().loss == few.equations_["loss"][0] == 14
    same = SearchRegressor(candidates=5).fit(X, [2.0, 2, 2, 2])
    assert same.get_best().loss == 0 and np.isnan(same.get_best().r2) and not searches

    class Nothing:
        front, choice, warnings = [], None, []

    monkeypatch.setattr(estimators, "search", lambda *_, **__: Nothing())
    none = SearchRegressor(candidates=5).fit(X, [1.0, 2, 3, 6])
    assert none.get_best().loss == 14 and none.predict(X).tolist() == [3, 3, 3, 3]
