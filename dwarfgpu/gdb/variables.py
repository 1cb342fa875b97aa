"""Variables of GDB's selected thread, evaluated by GDB and by us."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial

import gdb

from dwarfgpu.base.printable import one_line
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import has_strides
from dwarfgpu.dwarf.types.types import Array, strip
from dwarfgpu.errors import DwarfGpuError, Unavailable, UsageError, counted
from dwarfgpu.gdb.compare_frames import gdb_frames
from dwarfgpu.gdb.default_settings import default_settings
from dwarfgpu.gdb.differences import have_same_bits, reason_of, why_only_in_gdb
from dwarfgpu.gdb.gdb_session import Debugger, GdbSession
from dwarfgpu.gdb.gdb_variable import NOT_READ, GdbVariable, read_gdb_variable
from dwarfgpu.gdb.machine.gdb_values import (
    exact,
    language_selected,
    name_in_file,
    symbol_name,
)
from dwarfgpu.gdb.print_options import print_options
from dwarfgpu.gdb.stack_by_cfi import require_stack
from dwarfgpu.gdb.unsafe_for_gdb import (
    UNSAFE,
    WIDE_CHARACTER,
    WIDE_CHARACTERS,
    is_unsafe_for_gdb,
)
from dwarfgpu.view.format_options import UNAVAILABLE
from dwarfgpu.view.frame_style import frame_number

_OF_LABELS = "__CORE_ADDR"
"""GDB's type of a label: GDB reports one without an address as a variable."""


@frozen
class Compared:
    """A variable of a frame."""

    number: int
    """The number of GDB's frame."""
    name: str
    gdb_text: str
    """Its text; its bytes where those differ and the texts do not."""
    own_text: str
    reason: str | None = None
    """Why it differs, where that is known."""
    compared_bits: int = 0
    """Number of bits reported by GDB, which were compared."""
    is_compared: bool = True
    """Whether GDB was asked for its text."""

    @property
    def is_same(self) -> bool:
        return self.gdb_text == self.own_text

    def __str__(self) -> str:
        subject = f"{frame_number(self.number)}{self.name}"
        if not self.is_compared:
            return f"{subject}: not compared: {self.reason}; dwarfgpu has {self.own_text}"
        why = "" if self.reason is None else f" ({self.reason})"
        return f"{subject}: GDB has {self.gdb_text}, dwarfgpu {self.own_text}{why}"


def compare_variables(debugger: Debugger, frame: gdb.Frame) -> Iterator[Compared]:
    """Compare the arguments and local variables of a frame's function, by their bits and their
    texts.

    A frame that only GDB has is compared, too: its registers are GDB's for both, but each reads
    the locations and the types. GDB is left in its frame.
    """
    session = debugger.session(frame)
    unit = session.unit
    is_rust = unit is not None and unit.language == dw.LANG_RUST
    # GDB 13 ends with an internal error at an enumeration in a union, as the language shows it.
    language = partial(language_selected, "c") if is_rust else nullcontext
    is_unsafe_if_wide = unit is not None and unit.language in WIDE_CHARACTERS
    own: dict[tuple[str, int], list[Variable]] = {}
    for local in _locals(session):
        own.setdefault((local.name, local.decl_line or 0), []).append(local)
    symbols = [(name_in_file(symbol), symbol, block) for symbol, block in _symbols(frame)]
    twice = Counter((name, block.start, block.end) for name, _, block in symbols)
    names: set[str] = set()
    for name, symbol, block in symbols:
        # A pack of parameters has one name.
        is_named = name.isidentifier() and name == symbol_name(symbol) and name not in names
        is_hidden = not is_named or twice[name, block.start, block.end] > 1
        names.add(name)
        variables = own.get((name, symbol.line))
        if symbol.is_constant and not variables:
            continue  # an enumerator
        if variables and is_unsafe_for_gdb(session, variables[0]):
            own_text = _by_us(session, variables.pop(0), is_hidden=is_hidden).text
            yield Compared(frame.level(), name, NOT_READ, own_text, UNSAFE)
            continue
        with language():
            gdb_variable = read_gdb_variable(
                frame, symbol, block, is_hidden=is_hidden, is_unsafe_if_wide=is_unsafe_if_wide
            )
        if not variables:
            why = why_only_in_gdb(session, symbol, gdb_variable)
            yield Compared(frame.level(), name, gdb_variable.text, "no such variable", why)
            continue
        variable = variables.pop(0)
        own_variable = _by_us(session, variable, is_hidden=gdb_variable.is_hidden)
        if not gdb_variable.is_read:
            own_text = own_variable.text
            yield Compared(
                frame.level(), name, NOT_READ, own_text, WIDE_CHARACTER, is_compared=False
            )
            continue
        value, two, count = _difference(gdb_variable, own_variable)
        reason = (
            None
            if value == two
            else reason_of(frame, session, variable, gdb_variable, own_variable)
        )
        yield Compared(frame.level(), name, value, two, reason, count)
    for extra in (value for rest in own.values() for value in rest):
        yield Compared(frame.level(), extra.name or "", "no such variable", extra.type_text or "")


def _locals(session: GdbSession) -> list[Variable]:
    """Return the variables of the function; empty if it is not described."""
    try:
        return [variable for variable in session.variables() if variable.kind != "global"]
    except DwarfGpuError:
        return []


def _difference(gdb_variable: GdbVariable, own_variable: GdbVariable) -> tuple[str, str, int]:
    """Return what each has: the texts, or the bits where only those differ; and how many were
    compared."""
    their_bits, two = gdb_variable.bits, own_variable.bits
    if (
        gdb_variable.text != own_variable.text
        or their_bits is None
        or two is None
        or not gdb_variable.mask
    ):
        return gdb_variable.text, own_variable.text, 0
    if own_variable.is_section:
        size = min(their_bits.size_bits, two.size_bits)
        their_bits, two = (bits.slice(0, size, sys.byteorder) for bits in (their_bits, two))
        gdb_variable = evolve(gdb_variable, bits=their_bits, mask=(1 << size) - 1)
    count = gdb_variable.mask.bit_count()
    if their_bits.size_bits == two.size_bits and have_same_bits(
        gdb_variable, two, gdb_variable.mask
    ):
        return gdb_variable.text, own_variable.text, count
    return their_bits.hex(sys.byteorder), two.hex(sys.byteorder), count


def report(debugger: Debugger, *, all_frames: bool) -> Iterator[str]:
    """Return the lines of `dwarfgpu compare`."""
    require_stack()
    chosen = list(gdb_frames()) if all_frames else [gdb.selected_frame()]
    notes = _unread(debugger, chosen)
    if len(notes) == len(chosen):
        raise UsageError(notes[0])
    with default_settings():
        differences = [
            variable for frame in chosen for variable in compare_variables(debugger, frame)
        ]
    yield from (one_line(f"note: {note}") for note in dict.fromkeys(notes))
    yield from (one_line(str(difference)) for difference in differences if not difference.is_same)
    compared = [difference for difference in differences if difference.is_compared]
    same = sum(difference.is_same for difference in compared)
    explained = sum(
        not difference.is_same and difference.reason is not None for difference in compared
    )
    unexplained = len(compared) - same - explained
    rest = len(differences) - len(compared)
    yield (
        f"{counted(len(differences), 'variable')} of {counted(len(chosen), 'frame')}: "
        f"{same} {'is' if same == 1 else 'are'} the same, "
        f"{explained} {_differ(explained)} for a known reason, {unexplained} {_differ(unexplained)}"
        + (f", {rest} {'is' if rest == 1 else 'are'} not compared" if rest else "")
    )


def _differ(count: int) -> str:
    return "differs" if count == 1 else "differ"


def _unread(debugger: Debugger, frames: list[gdb.Frame]) -> list[str]:
    """Return the reason for each frame whose file is unreadable."""
    sessions = map(debugger.session, frames)
    return [session.notes[0] for session in sessions if not session.code_objects and session.notes]


def _symbols(frame: gdb.Frame) -> Iterator[tuple[gdb.Symbol, gdb.Block]]:
    """Yield the variables of the function, the innermost block first; none without debug
    information."""
    try:
        block = frame.block()
    except RuntimeError:
        return
    while block is not None and not block.is_static and not block.is_global:
        for symbol in block:
            is_one = symbol.is_variable or symbol.is_argument or symbol.is_constant
            if is_one and _type_name(symbol) != _OF_LABELS:
                yield symbol, block
        if block.function is not None:
            return
        block = block.superblock


def _type_name(symbol: gdb.Symbol) -> str | None:
    """Return the name of a symbol's type; None if it has none.

    GDB 13 ends (SIGSEGV) at `str` of a structure without a name in Fortran
    (`f_language::f_type_print_base`).
    """
    kind = symbol.type
    return None if kind is None else exact(lambda: kind.name)


def _by_us(session: GdbSession, variable: Variable, *, is_hidden: bool) -> GdbVariable:
    """Format it like `dwarfgpu print/r`: GDB's side has no pretty-printers either.

    A hidden variable cannot be printed by its name.
    """
    reading, unit = session.read(variable), variable.unit
    options = evolve(print_options(), raw=True, cplusplus=unit.is_cplusplus)
    try:
        if is_hidden:
            # The type of a reference to an array has the length that the array has now.
            kind = type_name(reading.type, cplusplus=unit.is_cplusplus, style=unit.style)
            text = session.text(reading, options).removeprefix(f"({kind}) ")
        else:
            text = session.value_text(session.evaluate(variable.name or ""), options)
    except Unavailable:
        text = UNAVAILABLE
    except DwarfGpuError as error:
        text = f"<error: {error}>"
    bare = strip(reading.type)
    is_section = isinstance(bare, Array) and bare.is_section and has_strides(bare)
    return GdbVariable(text, reading.bits, is_section=is_section)
