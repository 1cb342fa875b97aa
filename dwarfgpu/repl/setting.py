"""What a setting is, and what a text means to it, with GDB's wording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import UsageError

Kind = Literal["boolean", "auto boolean", "limit", "depth", "integer", "choice", "text", "file"]
"""A `limit` of 0 and a `depth` of -1 mean unlimited."""
SettingValue: TypeAlias = bool | int | str | None
"""None means unlimited."""
_LARGEST: Final = {"limit": (1 << 32) - 1, "depth": (1 << 31) - 1, "integer": (1 << 32) - 1}
_ON: Final = ("on", "1", "yes", "enable")
_OFF: Final = ("off", "0", "no", "disable")


@frozen
class Setting:
    """Something that `set` changes."""

    name: str
    kind: Kind
    default: SettingValue
    shown: str | Callable[[SettingValue], str]
    """GDB's sentence of `show`, with `{}` for the value."""
    help: str
    """Completes "Set …" and "Show …"."""
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    help_details: str = ""
    """The lines of the help after the first."""
    shown_help: str = ""
    """Completes "Show …" where that differs from `help`."""

    def parse(self, text: str, number: Callable[[str], int]) -> SettingValue:
        """Parse the text of a value; `UsageError` with GDB's wording.

        `number` evaluates an expression to an integer.
        """
        text = text.strip()
        if self.kind == "boolean":
            return boolean(text)
        if self.kind in _LARGEST:
            return self._number(text, number)
        if self.kind == "choice":
            return self._choice(text)
        if self.kind == "auto boolean":
            return auto_boolean(text)
        if self.kind == "file" and not text:
            raise UsageError("Argument required (filename to set it to.).")
        return text

    def _choice(self, text: str) -> str:
        return choice(text, self.choices)

    def _number(self, text: str, number: Callable[[str], int]) -> int | None:
        is_limit = self.kind != "integer"
        if not text:
            hint = ', or "unlimited"' if is_limit else ""
            raise UsageError(f"Argument required (integer to set it to{hint}).")
        word, _, junk = text.partition(" ")
        if is_limit and "unlimited".startswith(word):
            if junk:
                raise UsageError(f'Junk after "unlimited": {junk.strip()}')
            return None
        value_read = number(text)
        if self.kind == "depth" and value_read == -1:
            return None
        if self.kind == "depth" and -(1 << 31) <= value_read < 0:
            raise UsageError("only -1 is allowed to set as unlimited")
        if not 0 <= value_read <= _LARGEST[self.kind]:
            raise UsageError(f"integer {value_read} out of range")
        return None if self.kind == "limit" and not value_read else value_read

    def text(self, value: SettingValue) -> str:
        """Return the text of the value for `set`."""
        if self.kind == "boolean":
            return "on" if value else "off"
        return "unlimited" if value is None else str(value)

    def sentence(self, value: SettingValue) -> str:
        if not isinstance(self.shown, str):
            return self.shown(value)
        return self.shown.format(self.text(value))

    @property
    def values(self) -> tuple[str, ...]:
        """Return the values that it can have, if they can be listed."""
        if self.kind == "boolean":
            return ("on", "off")
        return ("unlimited",) if self.kind in ("limit", "depth") else self.choices


def boolean(text: str) -> bool:
    """Parse a boolean; an empty text is "on"."""
    if not text or (text != "o" and any(spelling.startswith(text) for spelling in _ON)):
        return True
    if text != "o" and any(spelling.startswith(text) for spelling in _OFF):
        return False
    raise UsageError('"on" or "off" expected.')


def auto_boolean(text: str) -> str:
    """Parse `on`, `off` or `auto`."""
    if text == "-1" or (text and "auto".startswith(text)):
        return "auto"
    try:
        return "on" if boolean(text) else "off"
    except UsageError:
        raise UsageError('"on", "off" or "auto" expected.') from None


def choice(text: str, choices: tuple[str, ...]) -> str:
    """Return one of several words, by its beginning."""
    if not text:
        raise UsageError(f"Requires an argument. Valid arguments are {', '.join(choices)}.")
    word, _, junk = text.partition(" ")
    fitting = (
        [word] if word in choices else [choice for choice in choices if choice.startswith(word)]
    )
    if not fitting:
        raise UsageError(f'Undefined item: "{word}".')
    if len(fitting) > 1:
        raise UsageError(f'Ambiguous item "{word}".')
    if junk.strip():
        raise UsageError(f'Junk after item "{word}": {junk.strip()}')
    return fitting[0]
