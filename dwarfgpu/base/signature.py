"""What the declaration of a function says: annotations, parameters, documentation.

The tables of operations and instructions read several hundred functions at each start; `inspect`
alone would take longer to import than they take to be read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple

WITHOUT_DOCUMENTATION: Final = (
    "No documentation: Python was started with -OO (PYTHONOPTIMIZE=2), which leaves it out."
)
"""Instead of what Python removes with that option."""


class Signature(NamedTuple):
    """A function without `*` and `**` parameters."""

    # Any: an annotation is whatever Python allows there.
    annotations: dict[str, Any]
    """Their values, by parameter; `return` for the result."""
    parameters: tuple[str, ...]
    """In the order of the declaration, keyword-only ones last."""
    keywords: frozenset[str]
    """The keyword-only parameters."""
    summary: str
    """The first line of the documentation."""
    details: str
    """The rest of it, in one line."""


def signature_of(function: Callable[..., Any]) -> Signature:
    """Return what the declaration of a function says."""
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    summary, _, details = (function.__doc__ or "").strip().partition("\n")
    return Signature(
        {
            name: _evaluated(value, function.__module__) if isinstance(value, str) else value
            for name, value in function.__annotations__.items()
        },
        code.co_varnames[:count],
        frozenset(code.co_varnames[code.co_argcount : count]),
        summary,
        " ".join(details.split()),
    )


def documentation_of(function: Callable[..., Any]) -> str:
    """Return the documentation of a function without the indentation of its lines; the reason where
    Python has removed it."""
    if function.__doc__ is None and sys.flags.optimize > 1:
        return WITHOUT_DOCUMENTATION
    first, *rest = (function.__doc__ or "").strip().splitlines() or [""]
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return "\n".join([first, *(line[margin:] for line in rest)])


@lru_cache(maxsize=1_000)
def _evaluated(annotation: str, module: str) -> Any:
    """Return the value of an annotation; a module repeats a few of them many times."""
    return eval(annotation, vars(sys.modules[module]))
