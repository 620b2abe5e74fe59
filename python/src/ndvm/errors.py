"""The one error of this package."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple


class NdvmError(Exception):
    """Something the caller can mend: a program, an input, an option, a budget that was exceeded.

    Its text shows the place in the program and a way out. Code decides by ``code`` and ``facts``.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        help: Optional[str] = None,
        facts: Optional[Dict[str, Any]] = None,
        span: Optional[Tuple[int, int]] = None,
        source: Optional[str] = None,
        text: Optional[str] = None,
    ) -> None:
        shown = text or f"error {code}: {message}" + (f"\n  help: {help}" if help else "")
        super().__init__(shown)
        self.code = code
        self.message = message
        self.help = help
        self.facts = facts or {}
        self.span = span
        self.source = source

    def __reduce__(self) -> Any:
        return _rebuild, (self.code, self.message, self.help, self.facts, self.span, self.source,
                          self.args[0])


def _rebuild(code, message, help, facts, span, source, text):  # type: ignore[no-untyped-def]
    return NdvmError(code, message, help=help, facts=facts, span=span, source=source, text=text)


def error_of(fields: Dict[str, Any]) -> NdvmError:
    """An error as the Node process tells it."""
    span = fields.get("span")
    return NdvmError(
        fields["code"],
        fields["message"],
        help=fields.get("help"),
        facts=fields.get("facts"),
        span=(span["start"], span["end"]) if span else None,
        source=fields.get("source"),
        text=fields.get("text"),
    )
