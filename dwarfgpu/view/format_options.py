"""The options of `print`, and the placeholders for unknown values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.dwarf.constants import AsInCplusplus, Spelling, Style
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.view.printers.printer import Printers
from dwarfgpu.view.printers.standard import STANDARD

OPTIMIZED_OUT: Final = "<optimized out>"
UNAVAILABLE: Final = "<unavailable>"
SYNTHETIC_POINTER: Final = "<synthetic pointer>"
Symbolize: TypeAlias = Callable[[int], str | None]
"""An address to `g+40`, or None without a symbol."""
_LETTERS: Final = "xduotacfzsr"


@frozen
class FormatOptions:
    """The options of `print`; the defaults are GDB's."""

    letter: str | None = None
    """Output format, as in `print/x`: one of x d u o t a c f z s r."""
    address: bool = True
    """Pointers, references and functions show the address, not only its symbol."""
    pointer_types: bool = True
    """Pointers show their type, outside of other objects."""
    pretty: bool = False
    array: bool = False
    """Arrays have a line for each element."""
    array_indexes: bool = False
    """Each element with its index: `[2] = 7`."""
    null_stop: bool = False
    """Strings end at their first NUL."""
    nibbles: bool = False
    """Binary numbers are in groups of four digits."""
    utf8: bool = False
    """Strings of bytes are decoded as UTF-8."""
    sevenbit: bool = False
    """Characters that are not ASCII are shown by their numbers."""
    symbol: bool = True
    """Pointers to data show the symbol of their address."""
    symbol_filename: bool = False
    """A symbol of code with the file and line of the address."""
    max_symbolic_offset: int | None = None
    """Maximum offset at which an address is shown with its symbol."""
    union: bool = True
    """Unions inside of other objects are shown; else they are `{...}`."""
    object: bool = False
    """Objects are shown as the classes that they were created as."""
    static_members: bool = True
    """Static members of classes are shown."""
    integer_letter: str | None = None
    """Default output format of integers and booleans."""
    elements: int = 200
    """Elements of one array or characters of one string; then `...`."""
    string_characters: int | None = None
    """Characters of one string; None: `elements`."""
    cut_runs: bool = False
    """Equal characters end at that limit, as in GDB 16; in GDB 13 those that begin before it are
    shown."""
    repeats: int = 10
    """More equal neighbours than this are one element with `<repeats N times>`."""
    max_depth: int = 20
    """Levels of structures and arrays inside of each other; then `{...}`."""
    characters: int = 100_000
    """Characters of the whole text; then `...`."""
    language: Spelling | None = None
    """`cplusplus` and `style` of the selected language; None: those of the source."""
    raw: bool = False
    """No printer is used: the members of all classes are shown."""
    summary: bool = False
    """Structures and arrays are `...`, and the children of printed objects are omitted."""
    is_listed: bool = False
    """As in a list of variables, references show their targets also among the children of what a
    printer shows at the top level."""
    printers: Printers = field(default=STANDARD, repr=False)
    """Printers for classes whose members are not informative (docs/printers.md)."""
    report: Callable[[DwarfGpuError], None] | None = field(default=None, repr=False)
    """Called with each error that is shown in place of a part."""
    cplusplus: AsInCplusplus = False
    """Types are named without `struct` and `enum`."""
    style: Style = "c"
    """Values are written as in this language."""

    def __attrs_post_init__(self) -> None:
        """Raise `UsageError` for an unknown output format."""
        letter = self.letter
        if letter is not None and (len(letter) != 1 or letter not in _LETTERS):
            known = " ".join(_LETTERS)
            raise UsageError(f'Undefined output format "{letter}": use one of {known}')

    @property
    def most_characters(self) -> int:
        """Characters of one string that are shown."""
        return self.elements if self.string_characters is None else self.string_characters

    @property
    def digit_separator(self) -> str:
        """What is between groups of digits, as in a literal of the language."""
        return "'" if self.of_source(self.cplusplus, self.style).cplusplus is True else " "

    def of_source(self, cplusplus: AsInCplusplus, style: Style) -> FormatOptions:
        """Return these options for a value of that language, unless another one is selected."""
        cplusplus, style = self.language or (cplusplus, style)
        if (cplusplus, style) == (self.cplusplus, self.style):
            return self
        return evolve(self, cplusplus=cplusplus, style=style)


def error_as_text(error: DwarfGpuError) -> str:
    """Return what is shown in place of a part that cannot be shown."""
    return f"<error: {error.message}>"


DEFAULT_OPTIONS: Final = FormatOptions()
