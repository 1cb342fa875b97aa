"""Settings of the prompt: declared once, changed by `set`, shown by `show`.

Law: the declaration of a setting contains its name, values, meaning and sentence; `set`, `show`,
`help`, `complete` and the documents use it. Names and sentences are GDB's where GDB has them.
"""

from __future__ import annotations

import locale
from collections.abc import Callable, Mapping
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.constants import Spelling
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.repl.declared_settings import RADICES, SETTINGS, SPELLED
from dwarfgpu.repl.setting import Setting, SettingValue
from dwarfgpu.view.format_options import FormatOptions
from dwarfgpu.view.frame_style import FrameStyle
from dwarfgpu.view.printers.printer import Printers
from dwarfgpu.view.printers.standard import STANDARD

__all__ = ["SETTINGS", "UNLIMITED", "Setting", "SettingValue", "Settings"]

UNLIMITED: Final = 1 << 31
_BY_NAME: Final[Mapping[str, Setting]] = {setting.name: setting for setting in SETTINGS}


class Settings:
    """The values of the settings of a debug session."""

    def __init__(self) -> None:
        self._values: dict[str, SettingValue] = {
            setting.name: setting.default for setting in SETTINGS
        }
        self._by_hand: set[str] = set()
        self.printers: Printers = STANDARD
        """How values of classes are shown: `info pretty-printer`."""
        self.of_frame: Callable[[], Spelling | None] = lambda: None
        """How the language of the frame in focus writes values and types."""

    def copy(self) -> Settings:
        """Return the same values, to be changed for one command."""
        new = Settings()
        new._values, new._by_hand = dict(self._values), set(self._by_hand)
        new.printers = self.printers
        new.of_frame = self.of_frame
        return new

    @property
    def values(self) -> Mapping[str, SettingValue]:
        """All values as they are now, by name."""
        return dict(self._values)

    def __getitem__(self, name: str) -> SettingValue:
        return self._values[name]

    def __setitem__(self, name: str, value: SettingValue) -> None:
        self._values[name] = value

    def flag(self, name: str) -> bool:
        """Return the value of a boolean setting."""
        return self._values[name] is True

    def limit(self, name: str) -> int | None:
        """Return the value of a limit; None means no limit."""
        value = self._values[name]
        return value if isinstance(value, int) else None

    def _most(self, name: str) -> int:
        """Return the value of a limit as a number."""
        value = self._values[name]
        return value if isinstance(value, int) else UNLIMITED

    def word(self, name: str) -> str:
        """Return the value of a choice or a text."""
        return str(self._values[name])

    def set(self, name: str, text: str, number: Callable[[str], int] = int) -> None:
        """Change a setting by hand; `UsageError` with GDB's wording.

        `number`: the integer that an expression is.
        """
        value = _BY_NAME[name].parse(text, number)
        if name == "output-radix" and value not in RADICES:
            raise UsageError(
                f"Unsupported output radix ``decimal {value}''; output radix unchanged."
            )
        if name == "input-radix" and isinstance(value, int) and value < 2:
            raise UsageError(f"Nonsense input radix ``decimal {value}''; input radix unchanged.")
        if name == "language" and value not in SPELLED:
            raise Unsupported(f"values are not written as in {value} here")
        self._values[name] = value
        self._by_hand.add(name)

    def adapt(self, name: str, value: SettingValue) -> None:
        """Set a default from the environment, such as the width of the terminal, unless the user
        has set the value."""
        if name not in self._by_hand:
            self._values[name] = value

    def sentence(self, name: str) -> str:
        """Return what `show NAME` prints."""
        return _BY_NAME[name].sentence(self._values[name])

    def frame_style(self) -> FrameStyle:
        """Return the amount of detail in frames."""
        arguments, info = self.word("print frame-arguments"), self.word("print frame-info")
        options = evolve(self.listing_options(), raw=self.flag("print raw-frame-arguments"))
        entry_values = self.word("print entry-values")
        past_main = self.flag("backtrace past-main")
        return FrameStyle(arguments, info, entry_values, past_main, options)

    def listing_options(self) -> FormatOptions:
        """Return the options for variables of listed frames, each in the language of its own frame
        unless the user has set one, as in GDB."""
        return evolve(self.format_options(), language=SPELLED[self.word("language")])

    def print_options(self, letter: str | None = None) -> FormatOptions:
        """Return the options of `print` for whole values."""
        return self.format_options(letter, object=self.flag("print object"))

    def spelling(self) -> Spelling | None:
        """Return how values and types are written; None: as in their own language."""
        return SPELLED[self.word("language")] or self.of_frame()

    def format_options(self, letter: str | None = None, *, object: bool = False) -> FormatOptions:
        """Return the options of `print` for a format. `object`: objects may be of derived
        classes."""
        is_utf8 = host_is_utf8()
        on = {name for name, value in self._values.items() if value is True}
        return FormatOptions(
            letter=letter,
            language=self.spelling(),
            address="print address" in on,
            pretty="print pretty" in on,
            array="print array" in on,
            array_indexes="print array-indexes" in on,
            null_stop="print null-stop" in on,
            nibbles="print nibbles" in on,
            utf8=is_utf8,
            sevenbit="print sevenbit-strings" in on or not is_utf8,
            symbol="print symbol" in on,
            symbol_filename="print symbol-filename" in on,
            union="print union" in on,
            object=object,
            static_members="print static-members" in on,
            elements=self._most("print elements"),
            repeats=self._most("print repeats"),
            max_depth=self._most("print max-depth"),
            max_symbolic_offset=self.limit("print max-symbolic-offset"),
            raw="print raw-values" in on,
            printers=self.printers,
            integer_letter=RADICES[self.limit("output-radix") or 10],
        )


def host_is_utf8() -> bool:
    """Return whether the locale's encoding is UTF-8, in which programs are then read."""
    return locale.getencoding().upper() == "UTF-8"
