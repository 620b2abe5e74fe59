"""What a notebook shows of results."""

from __future__ import annotations

from html import escape
from math import isnan
from typing import TYPE_CHECKING, Any, Iterable, Sequence

if TYPE_CHECKING:
    from .fitting import FitResult
    from .searching import SearchResult


def _table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{escape(one)}</th>" for one in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(one))}</td>" for one in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _formula(latex: str) -> str:
    return f"<p>$${escape(latex)}$$</p>"


def fit_html(result: "FitResult") -> str:
    rows = []
    for name, value in result.params.items():
        low, high = result.intervals.get(name, (float("nan"), float("nan")))
        error = result.standard_errors.get(name, float("nan"))
        rows.append((name, f"{value:.7g}", f"{error:.4g}", f"{low:.5g} to {high:.5g}"))
    try:
        formula = _formula(result.latex())
    except Exception:  # a program without a closed form has no formula
        formula = f"<pre>{escape(result.program.source)}</pre>"
    return (
        formula + _table(("parameter", "estimate", "std. error", "interval"), rows)
        + f"<p>loss {result.loss:.7g}{_share(result)}</p>" + result.figures()
    )


#: What ``r2`` is called where it is not R².
_SHARES = {"poisson": "share of the deviance", "binomial": "share of the deviance",
           "absolute": "share of the loss", "huber": "share of the loss"}


def _share(result: "FitResult") -> str:
    if isnan(result.r2):
        return ""
    return f", {_SHARES.get(result.json['loss'], 'R²')} {result.r2:.6g}"


def search_html(result: "SearchResult") -> str:
    rows = [
        ("→" if one is result.choice else "", one.complexity, f"{one.loss:.5g}", f"{one.r2:.6g}",
         "" if one.length is None else f"{one.length:.1f}", one.equation)
        for one in result.front
    ]
    formula = "" if result.choice is None else _formula(result.choice.latex())
    headings = ("", "complexity", "loss", "held-out R²", "bits", "equation")
    warnings = "".join(f"<p>{escape(one)}</p>" for one in result.warnings)
    return formula + _table(headings, rows) + warnings + result.figures()
