"""The small C-like language of `print`: `a.b[3]->c`, `*p`, `(char)x`, `local#0x10`.

`evaluate` gives the value of an expression in the focus of a session, `format` its text,
`type_of` its type without reading anything, `named_type` a type that is named, `has_effect` whether
it assigns.
"""

from dwarfgpu.language.assumptions import assumptions
from dwarfgpu.language.evaluate import evaluate, has_effect, named_type, type_of
from dwarfgpu.language.names import Typed
from dwarfgpu.language.options import Options
from dwarfgpu.language.value import TypedValue, is_in_gdbs_words
from dwarfgpu.language.value_text import format

__all__ = [
    "Options",
    "Typed",
    "TypedValue",
    "assumptions",
    "evaluate",
    "format",
    "has_effect",
    "is_in_gdbs_words",
    "named_type",
    "type_of",
]
