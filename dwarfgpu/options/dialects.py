"""The dialect of expressions: one rule for all commands (`docs/dialects.md`).

`--dialect`; else, for text with an operation that exists in the provisional dialect only, that one;
else the dialect of the unit; else that of today's AMD compilers.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.expr.dialect.dialect import AMD, AMD_PROVISIONAL, Dialect, dialect
from dwarfgpu.expr.dialect.encodings import PROVISIONAL, encodings

PROVISIONAL_NOTE: Final = (
    "dialect amd-provisional: operations without a number today have provisional ones of "
    "dwarfgpu's own"
)


DIALECT_HELP: Final = "dialect of the vendor encodings; default: the dialect of the unit, else amd"


def dialect_for(name: str | None, unit: Dialect | None = None, text: str = "") -> Dialect:
    """Return the dialect of an expression: `name` is that of `--dialect`, `text` the operations if
    they are text. `UsageError` for an unknown name."""
    if name is not None:
        return dialect(name)
    preferred = AMD if unit is None else unit
    words = {word.lower().removeprefix("dw_op_") for word in re.findall(r"\w+", text)}
    codes = encodings(preferred).codes
    unnumbered = {name.lower() for name in PROVISIONAL.values() if name not in codes}
    return AMD_PROVISIONAL if words & unnumbered else preferred
