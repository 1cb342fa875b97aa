"""Settings of the prompt: declared once, changed by `set`, told by `show`.

Law: what a setting is called, takes, means and says of itself is in its declaration; `set`, `show`,
`help`, `complete` and the documents come from it. Names and sentences are GDB's where GDB has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from dwarfgpu.errors import UsageError
from dwarfgpu.nouns import frozen
from dwarfgpu.view.options import FormatOptions

Kind = Literal["boolean", "limit", "choice", "text"]
SettingValue: TypeAlias = bool | int | str | None
"""None is no limit."""
UNLIMITED: Final = 1 << 31
_MOST_DIGITS: Final = 9
_ON: Final = ("on", "1", "yes", "enable")
_OFF: Final = ("off", "0", "no", "disable")


@frozen
class Setting:
    """Something that `set` changes."""

    name: str
    kind: Kind
    default: SettingValue
    shown: str
    """GDB's sentence of `show`, with `{}` for the value."""
    help: str
    """After "Set " and "Show "."""
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    def parsed(self, text: str) -> SettingValue:
        """The value that a text means; `UsageError` in GDB's words."""
        text = text.strip()
        if self.kind == "boolean":
            return _boolean(text)
        if self.kind == "limit":
            return _limit(text)
        if self.kind == "choice":
            return self._choice(text)
        return text

    def _choice(self, text: str) -> str:
        if not text:
            raise UsageError(
                f"Requires an argument. Valid arguments are {', '.join(self.choices)}."
            )
        if text in self.choices:
            return text
        fitting = [each for each in self.choices if each.startswith(text)]
        if not fitting:
            raise UsageError(f'Undefined item: "{text}".')
        if len(fitting) > 1:
            raise UsageError(f'Ambiguous item "{text}".')
        return fitting[0]

    def text(self, value: SettingValue) -> str:
        """The value as `set` takes it."""
        if self.kind == "boolean":
            return "on" if value else "off"
        return "unlimited" if value is None else str(value)

    def sentence(self, value: SettingValue) -> str:
        return self.shown.format(self.text(value))

    @property
    def values(self) -> tuple[str, ...]:
        """What it can be set to, as far as that can be listed."""
        if self.kind == "boolean":
            return ("on", "off")
        return ("unlimited",) if self.kind == "limit" else self.choices


def _boolean(text: str) -> bool:
    word = text.lower()
    if not word or any(each.startswith(word) for each in _ON if word != "o"):
        return True
    if any(each.startswith(word) for each in _OFF if word != "o"):
        return False
    raise UsageError('"on" or "off" expected.')


def _limit(text: str) -> int | None:
    """A number; 0 is no limit, as in GDB."""
    if not text:
        raise UsageError('Argument required (integer to set it to, or "unlimited").')
    if "unlimited".startswith(text.lower()):
        return None
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()):
        raise UsageError(f'No symbol "{text}" in current context.')
    if digits != text or len(digits) > _MOST_DIGITS:
        raise UsageError(f"integer {text} out of range")
    return int(digits) or None


SETTINGS: Final = (
    Setting(
        "backtrace limit", "limit", None,
        "An upper bound on the number of backtrace levels is {}.",
        "an upper bound on the number of backtrace levels",
    ),
    Setting(
        "backtrace past-entry", "boolean", False,
        "Whether backtraces should continue past the entry point of a program is {}.",
        "whether backtraces go on past the entry point",
    ),
    Setting(
        "backtrace past-main", "boolean", False,
        'Whether backtraces should continue past "main" is {}.',
        'whether backtraces should continue past "main"',
    ),
    Setting(
        "confirm", "boolean", True,
        "Whether to confirm potentially dangerous operations is {}.",
        "whether to confirm potentially dangerous operations",
    ),
    Setting(
        "editing-mode", "choice", "emacs",
        "The keys of the line editor are those of {}.",
        "whose keys the line editor has",
        ("emacs", "vi"),
    ),
    Setting(
        "height", "limit", None,
        "Number of lines dwarfgpu thinks are in a page is {}.",
        "number of lines in a page",
    ),
    Setting(
        "listsize", "limit", 10,
        "Number of source lines dwarfgpu will list by default is {}.",
        "number of source lines to list by default",
    ),
    Setting(
        "output", "choice", "text",
        "The output format is {}.",
        "the output format: text, or JSON lines",
        ("text", "json"),
    ),
    Setting(
        "pagination", "boolean", True,
        "State of pagination is {}.",
        "state of pagination",
    ),
    Setting(
        "print elements", "limit", 200,
        "Limit on string chars or array elements to print is {}.",
        "limit on string chars or array elements to print",
    ),
    Setting(
        "print max-depth", "limit", 20,
        "Maximum print depth is {}.",
        "maximum print depth for structures and arrays",
    ),
    Setting(
        "print pretty", "boolean", False,
        "Pretty formatting of structures is {}.",
        "pretty formatting of structures",
    ),
    Setting(
        "print repeats", "limit", 10,
        "Threshold for repeated print elements is {}.",
        "threshold for repeated print elements",
    ),
    Setting(
        "style enabled", "boolean", True,
        "CLI output styling is {}.",
        "whether the output has colours",
    ),
    Setting(
        "width", "limit", None,
        "Number of characters dwarfgpu thinks are in a line is {}.",
        "number of characters in a line",
    ),
)  # fmt: skip
"""All settings, by name."""

_BY_NAME: Final[Mapping[str, Setting]] = {each.name: each for each in SETTINGS}


class Settings:
    """The values of the settings of a conversation."""

    def __init__(self) -> None:
        self._values: dict[str, SettingValue] = {each.name: each.default for each in SETTINGS}
        self._by_hand: set[str] = set()

    def __getitem__(self, name: str) -> SettingValue:
        return self._values[name]

    def flag(self, name: str) -> bool:
        """The value of a boolean setting."""
        return self._values[name] is True

    def limit(self, name: str) -> int | None:
        """The value of a limit; None is no limit."""
        value = self._values[name]
        return value if isinstance(value, int) else None

    def word(self, name: str) -> str:
        """The value of a choice or a text."""
        return str(self._values[name])

    def set(self, name: str, text: str) -> None:
        """Change a setting by hand; `UsageError` in GDB's words."""
        self._values[name] = _BY_NAME[name].parsed(text)
        self._by_hand.add(name)

    def adapt(self, name: str, value: SettingValue) -> None:
        """What the surroundings say a setting is, such as the width of the terminal, unless it was
        set by hand."""
        if name not in self._by_hand:
            self._values[name] = value

    def sentence(self, name: str) -> str:
        """As `show NAME`."""
        return _BY_NAME[name].sentence(self._values[name])

    def format_options(self, letter: str | None = None) -> FormatOptions:
        """What `print` does, in a format."""
        return FormatOptions(
            letter=letter,
            pretty=self.flag("print pretty"),
            elements=_bound(self.limit("print elements")),
            repeats=_bound(self.limit("print repeats")),
            max_depth=_bound(self.limit("print max-depth")),
        )


def _bound(limit: int | None) -> int:
    return UNLIMITED if limit is None else limit
