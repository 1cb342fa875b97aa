"""Functions in expressions that depend on the settings: `$_gdb_setting("print elements")`,
`$_as_string(text)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from dwarfgpu.dwarf.types.types import Array, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.wave_variables import integer_value
from dwarfgpu.repl.settings import SETTINGS, Setting, Settings

if TYPE_CHECKING:
    from dwarfgpu.language import TypedValue
    from dwarfgpu.language.evaluator import Evaluator
    from dwarfgpu.language.function_context import DebuggerFunction


_NUMBERS: Final[Mapping[str, int]] = {"off": 0, "on": 1, "0": 0}
"""The values that are numbers in GDB, by their texts."""


def setting_functions(
    settings: Settings, folders: Callable[[str], str | None], full_name: Callable[[str], str]
) -> Mapping[str, DebuggerFunction]:
    """Return the functions by their names without the first `$`.

    `folders`: the text of a setting that is about folders; None for other names.
    `full_name`: the name of a setting whose beginning a text is; the text itself for any other.
    """
    return {
        "_as_string": partial(_as_string, settings),
        "_gdb_setting": partial(_value, settings, folders, full_name),
        "_gdb_setting_str": partial(_text, settings, folders, full_name),
    }


def _as_string(settings: Settings, evaluator: Evaluator, arguments: list[TypedValue]) -> TypedValue:
    """Return the text of a value as `print` shows it: GDB's str() has the options of the user."""
    from dwarfgpu.language.convenience_functions import as_string  # a function is seldom called

    return as_string(evaluator, arguments, settings.print_options())


def _value(
    settings: Settings,
    folders: Callable[[str], str | None],
    full_name: Callable[[str], str],
    evaluator: Evaluator,
    arguments: list[TypedValue],
) -> TypedValue:
    from dwarfgpu.language.convenience_functions import string_value  # a function is seldom called

    architecture = evaluator.session.architecture
    name = full_name(_name(evaluator, arguments, "_gdb_setting"))
    setting = _declared(name)
    if setting is None:
        text = _undeclared(name, folders, "_gdb_setting")
        if text in _NUMBERS:
            return integer_value(architecture, _NUMBERS[text])
        return string_value(evaluator, text, settings.print_options())
    value = settings[setting.name]
    if isinstance(value, str):
        return string_value(evaluator, value, settings.print_options())
    unlimited = -1 if setting.name == "print max-depth" else 0  # as `set` takes them
    return integer_value(architecture, unlimited if value is None else int(value))


def _text(
    settings: Settings,
    folders: Callable[[str], str | None],
    full_name: Callable[[str], str],
    evaluator: Evaluator,
    arguments: list[TypedValue],
) -> TypedValue:
    from dwarfgpu.language.convenience_functions import string_value  # a function is seldom called

    name = full_name(_name(evaluator, arguments, "_gdb_setting_str"))
    setting = _declared(name)
    if setting is None:
        text = _undeclared(name, folders, "_gdb_setting_str")
    else:
        text = setting.text(settings[setting.name])
    return string_value(evaluator, text, settings.print_options())


def _name(evaluator: Evaluator, arguments: list[TypedValue], function: str) -> str:
    """Return the name that is the argument of a function."""
    if not arguments:
        raise UsageError(f"You must provide an argument to ${function}")
    if not isinstance(strip(arguments[0].type), Array):
        raise UsageError(f"First argument of ${function} must be a string.")
    from dwarfgpu.language.read_strings import string_of  # a function is seldom called

    return string_of(evaluator.objects, arguments[0])


def _declared(name: str) -> Setting | None:
    """Return the setting of a name that can be changed."""
    for setting in SETTINGS:
        if name == setting.name or name in setting.aliases:
            return setting
    return None


def _undeclared(name: str, folders: Callable[[str], str | None], function: str) -> str:
    """Return the text of a setting of folders, or of one that always has one value here."""
    from dwarfgpu.repl.settings_in_force import value_in_force  # a function is seldom called

    text = value_in_force(name)
    text = folders(name) if text is None else text
    if text is None:
        raise UsageError(
            f"First argument of ${function} must be a valid setting of the 'show' command."
        )
    return text
