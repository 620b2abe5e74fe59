"""What a notebook shows of results."""

from __future__ import annotations

from html import escape
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


def scatter_svg(observed: Sequence[float], predicted: Sequence[float]) -> str:
    """Predictions over observations: points on the diagonal are explained."""
    pairs = [(float(a), float(b)) for a, b in zip(observed, predicted) if a == a and b == b]
    if len(pairs) < 2:
        return ""
    low = min(min(pair) for pair in pairs)
    high = max(max(pair) for pair in pairs)
    size, edge = 260, 30
    span = (high - low) or 1.0

    def at(value: float) -> float:
        return edge + (size - 2 * edge) * (value - low) / span

    step = max(1, len(pairs) // 1000)
    dots = "".join(
        f'<circle cx="{at(a):.1f}" cy="{size - at(b):.1f}" r="2" fill="#1f77b4"/>'
        for a, b in pairs[::step]
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}">'
        f'<line x1="{edge}" y1="{size - edge}" x2="{size - edge}" y2="{edge}" stroke="#999"/>'
        f'{dots}<text x="{size / 2}" y="{size - 6}" font-size="11" text-anchor="middle">observed'
        f'</text><text x="10" y="{size / 2}" font-size="11" text-anchor="middle" '
        f'transform="rotate(-90 10 {size / 2})">predicted</text></svg>'
    )


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
    residuals = (result._known.get("residuals") or {}).get("residuals") or []
    values = [] if result.fitted_values is None else [float(v) for v in result.fitted_values.ravel()]
    figure = ""
    if len(residuals) == len(values) and values:
        figure = scatter_svg([v + r for v, r in zip(values, residuals)], values)
    return (
        formula + _table(("parameter", "estimate", "std. error", "interval"), rows)
        + f"<p>loss {result.loss:.7g}, R² {result.r2:.6g}</p>" + figure
    )


def search_html(result: "SearchResult") -> str:
    rows = [
        ("→" if one is result.choice else "", one.complexity, f"{one.loss:.5g}", f"{one.r2:.6g}",
         "" if one.length is None else f"{one.length:.1f}", one.equation)
        for one in result.front
    ]
    formula = "" if result.choice is None else _formula(result.choice.latex())
    headings = ("", "complexity", "loss", "held-out R²", "bits", "equation")
    warnings = "".join(f"<p>{escape(one)}</p>" for one in result.warnings)
    return formula + _table(headings, rows) + warnings
