"""The small C-like language of `print`: `a.b[3]->c`, `*p`, `(char)x`, `local#0x10`.

`evaluate` gives the value of an expression in the focus of a session, `format` its text.
"""

from dwarfgpu.language.evaluate import Options, evaluate
from dwarfgpu.language.show import format
from dwarfgpu.language.value import TypedValue

__all__ = ["Options", "TypedValue", "evaluate", "format"]
