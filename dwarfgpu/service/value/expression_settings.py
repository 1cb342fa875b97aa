"""Settings by which a front end evaluates and shows expressions: `$names`, `print`, symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dwarfgpu.base.records import frozen
from dwarfgpu.session.session import Session
from dwarfgpu.view.values import DEFAULT_OPTIONS, FormatOptions, Symbolize

if TYPE_CHECKING:
    from dwarfgpu.language import Options


@frozen(eq=False)
class ExpressionSettings:
    """The caller's settings for a question about an expression."""

    options_of: Callable[[Session], Options]
    """What an expression may use in the focus of a session."""
    format: FormatOptions = DEFAULT_OPTIONS
    symbolize: Symbolize | None = None
    """Names addresses; None: by the symbols of the code objects."""
    batch: bool | None = None
    """Whether to evaluate lanes in one batch; None: if there are many."""
