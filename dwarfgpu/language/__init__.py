"""The small C-like language of `print`: `a.b[3]->c`, `*p`, `(char)x`, `local#0x10`.

`evaluate` gives the value of an expression in the focus of a session, `format` its text, `type_of`
its type without reading anything, `named_type` a type that is named, `has_effect` whether it
assigns; `require_understood` refuses what GDB does not parse. What a name needs is loaded when it
is first used: most commands evaluate nothing.

`syntax` parses, `evaluator` evaluates the tree: `name_resolution` and `machine_variables` find what
a word is, `stored_objects` reads and writes objects, `object_parts` selects their parts,
`object_access` takes their addresses, `arithmetic`, `casts`, `member_lookup`, `dereference` and
`convenience_functions` are what their names say. What a language has otherwise than C is in the
folder of that language: `choose_operators` and `choose_number_rules` name its classes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from dwarfgpu.language.assumptions import assumptions as assumptions

if TYPE_CHECKING:
    from dwarfgpu.language.evaluation_options import Options as Options
    from dwarfgpu.language.evaluator import evaluate as evaluate
    from dwarfgpu.language.evaluator import has_assignment as has_assignment
    from dwarfgpu.language.evaluator import has_effect as has_effect
    from dwarfgpu.language.evaluator import named_type as named_type
    from dwarfgpu.language.evaluator import require_understood as require_understood
    from dwarfgpu.language.evaluator import type_of as type_of
    from dwarfgpu.language.name_resolution import Typed as Typed
    from dwarfgpu.language.real_types import format as format
    from dwarfgpu.language.real_types import format_source as format_source
    from dwarfgpu.language.typed_value import TypedValue as TypedValue
    from dwarfgpu.language.typed_value import is_in_gdbs_words as is_in_gdbs_words

_MODULES: Final = {
    "Options": "evaluation_options",
    "Typed": "name_resolution",
    "TypedValue": "typed_value",
    "evaluate": "evaluator",
    "format": "real_types",
    "format_source": "real_types",
    "has_assignment": "evaluator",
    "has_effect": "evaluator",
    "is_in_gdbs_words": "typed_value",
    "named_type": "evaluator",
    "require_understood": "evaluator",
    "type_of": "evaluator",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    attribute = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = attribute
    return attribute
