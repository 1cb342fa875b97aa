"""Options of commands that are settings for one of them: `-elements 3 -pretty -- EXPRESSION`.

Law: as in GDB, a word that begins with `-` is an option of `print` only where `--` ends the
options; without it everything is the expression. Options have the names and values of settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.repl.declared_settings import WITHOUT_EFFECT, WITHOUT_MEANING
from dwarfgpu.repl.setting import Setting, SettingValue, boolean, choice
from dwarfgpu.repl.settings import SETTINGS, Settings
from dwarfgpu.repl.settings_in_force import IN_FORCE
from dwarfgpu.view.command_options import (
    OF_PRINT,
    first_option,
    require_option_name,
    without_options,
)

END: Final = pattern(r"(?:^|\s)--(?:\s|$)")
"""Separates options from the arguments that they apply to."""
_IS_END: Final = pattern(r"--(?:\s|$)")
_WORD: Final = pattern(r"-(?P<name>[A-Za-z][\w-]*)(?=\s|$)\s*")
_MAX_DIGITS: Final = 18
_OF_FRAMES: Final = (
    "print entry-values", "print frame-arguments", "print frame-info",
    "print raw-frame-arguments", "backtrace past-main", "backtrace past-entry",
)  # fmt: skip
_DECLARED: Final = {setting.name: setting for setting in SETTINGS}
PRINT_OPTIONS: Final = {name: f"print {name}" for name in OF_PRINT}
"""The options of commands that show values, and their settings."""
FRAME_OPTIONS: Final = {name.partition(" ")[2]: name for name in _OF_FRAMES}
"""The options of `backtrace`."""


def values_by_option(names: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the possible values of options that set settings."""
    return {
        f"-{name}": _DECLARED[setting].values
        for name, setting in names.items()
        if setting in _DECLARED
    }


def with_options(text: str, command: str, settings: Settings) -> tuple[Settings, str]:
    """Return the settings as the options before `--` change them for `print`, and the rest of the
    text."""
    text = text.strip()
    if not text.startswith("-") or text.startswith("--") or END.search(text) is None:
        word = first_option(text)
        if word is not None and _named(word[1:], text, tuple(PRINT_OPTIONS)) is not None:
            raise UsageError(
                f'`--\' ends the options of "{command}": write {word} ... -- EXPRESSION'
            )
        return settings, without_options(text, command)
    settings = settings.copy()
    while not _IS_END.match(text):
        match = _WORD.match(text)
        name = None if match is None else _named(match["name"], text, tuple(PRINT_OPTIONS))
        if match is None or name is None:
            raise UsageError(f"Unrecognized option at: {text}")
        text = _set(settings, name, PRINT_OPTIONS[name], text[match.end() :])
    return settings, text.removeprefix("--").strip()


def with_frame_options(
    text: str, settings: Settings, flags: tuple[str, ...]
) -> tuple[Settings, set[str], str]:
    """Return the settings as changed by the options of `backtrace`, the flags among them, and the
    rest from the first unknown option on."""
    settings, seen_options, text = settings.copy(), set[str](), text.strip()
    while not _IS_END.match(text):
        require_option_name(text)
        match = _WORD.match(text)
        name = None if match is None else _named(match["name"], text, (*FRAME_OPTIONS, *flags))
        if match is None or name is None:
            return settings, seen_options, text
        text = text[match.end() :]
        if name in flags:
            seen_options.add(name)
        else:
            text = _set(settings, name, FRAME_OPTIONS[name], text, takes_operand=True)
    return settings, seen_options, text.removeprefix("--").strip()


def _named(name: str, text: str, names: tuple[str, ...]) -> str | None:
    matches = (
        [name]
        if name in names
        else [candidate for candidate in names if candidate.startswith(name)]
    )
    if len(matches) > 1:
        raise UsageError(f"Ambiguous option at: {text}")
    return matches[0] if matches else None


def _set(
    settings: Settings, option: str, name: str, text: str, *, takes_operand: bool = False
) -> str:
    """Set an option; return the text after its value.

    `takes_operand`: anything but a boolean is the operand after an enabled option.
    """
    setting = _DECLARED.get(name)
    if setting is None and (words := _value(text))[0] in IN_FORCE.get(name, ()):
        return words[1]
    if setting is None and name in WITHOUT_EFFECT:
        return _boolean(option, text)[1]
    if setting is None:
        raise Unsupported(
            f"the option -{option}: {WITHOUT_MEANING.get(name, 'it is not implemented')}"
        )
    value: SettingValue
    if setting.kind == "boolean":
        try:
            value, rest = _boolean(option, text)
        except UsageError:
            if not takes_operand:
                raise
            value, rest = True, text
    elif setting.kind == "choice":
        word, rest = _value(text)
        value = choice(word, setting.choices)
    else:
        value, rest = _limit(setting, option, text)
    settings[name] = value
    return rest


def _value(text: str) -> tuple[str, str]:
    word, _, rest = text.partition(" ")
    return word, rest.strip()


def _boolean(option: str, text: str) -> tuple[bool, str]:
    """Parse a boolean; an empty text is "on", and so is a word that is not a boolean, if operands
    may follow."""
    word, rest = _value(text)
    if not word or word.startswith("-"):
        return True, text
    try:
        return boolean(word), rest
    except UsageError:
        raise UsageError(f"Value given for `-{option}' is not a boolean: {word}") from None


def _limit(setting: Setting, option: str, text: str) -> tuple[SettingValue, str]:
    """Return a number; `unlimited`, and but for the depth 0, is no limit."""
    word, rest = _value(text)
    if word and "unlimited".startswith(word):
        return None, rest
    digits = word.removeprefix("-")
    if word.startswith("-") and not is_decimal(digits):
        raise UsageError(f"-{option} requires an argument")
    if not is_decimal(digits):
        raise UsageError(f"Expected integer at: {text}")
    if len(digits) > _MAX_DIGITS:
        raise UsageError(f"integer {word} out of range")
    return setting.parse(word, int), rest
