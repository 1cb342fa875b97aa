"""Functions in expressions that depend on the settings: `$_gdb_setting("print elements")`,
`$_as_string(text)`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from dwarfgpu.dwarf.types.types import Array, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.wave_variables import integer_value, text_value
from dwarfgpu.repl.settings import SETTINGS, Settings

if TYPE_CHECKING:
    from dwarfgpu.language import TypedValue
    from dwarfgpu.language.evaluator import Evaluator
    from dwarfgpu.language.function_context import DebuggerFunction


def setting_functions(settings: Settings) -> Mapping[str, DebuggerFunction]:
    """Return the functions by their names without the first `$`."""
    return {
        "_as_string": partial(_as_string, settings),
        "_gdb_setting": partial(_value, settings),
        "_gdb_setting_str": partial(_text, settings),
    }


def _as_string(settings: Settings, evaluator: Evaluator, arguments: list[TypedValue]) -> TypedValue:
    """Return the text of a value as `print` shows it: GDB's str() has the options of the user."""
    from dwarfgpu.language.convenience_functions import as_string  # a function is seldom called

    return as_string(evaluator, arguments, settings.print_options())


def _value(settings: Settings, evaluator: Evaluator, arguments: list[TypedValue]) -> TypedValue:
    name = _name(evaluator, arguments, "_gdb_setting")
    value = settings[name]
    if isinstance(value, str):
        return text_value(evaluator.session.architecture, value)
    unlimited = -1 if name == "print max-depth" else 0  # as `set` takes them
    return integer_value(evaluator.session.architecture, unlimited if value is None else int(value))


def _text(settings: Settings, evaluator: Evaluator, arguments: list[TypedValue]) -> TypedValue:
    name = _name(evaluator, arguments, "_gdb_setting_str")
    setting = next(setting for setting in SETTINGS if setting.name == name)
    return text_value(evaluator.session.architecture, setting.text(settings[name]))


def _name(evaluator: Evaluator, arguments: list[TypedValue], function: str) -> str:
    if not arguments:
        raise UsageError(f"You must provide an argument to ${function}")
    if not isinstance(strip(arguments[0].type), Array):
        raise UsageError(f"First argument of ${function} must be a string.")
    from dwarfgpu.language.read_strings import string_of  # a function is seldom called

    name = string_of(evaluator.objects, arguments[0])
    for setting in SETTINGS:
        if name == setting.name or name in setting.aliases:
            return setting.name
    raise UsageError(
        f"First argument of ${function} must be a valid setting of the 'show' command."
    )
