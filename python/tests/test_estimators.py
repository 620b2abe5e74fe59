"""The scikit-learn estimators."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from ndvm import FitRegressor, SearchRegressor  # noqa: E402


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


def test_fit_regressor_in_cross_validation(table):
    X, y = table
    model = FitRegressor("(+ c (* a x0 x1))")
    assert cross_val_score(model, X, y, cv=3).min() > 0.9999
    model.fit(X, y)
    assert model.params_["a"] == pytest.approx(1.5)
