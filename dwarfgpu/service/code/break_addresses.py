"""Choose the breakpoint address for a program location, at the prompt and the command line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from dwarfgpu.access.exact_reads import memory_bytes
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.dwarf.names.function_names import name_in_frames
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.functions_by_name import listed_name
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.explicit_location import (
    IN_FILE,
    explicit_location,
    location_text,
    unquoted,
)
from dwarfgpu.language.function_locations import CodeLocation
from dwarfgpu.language.linespec import (
    NO_SYMBOL_TABLE,
    LinespecNotFound,
    code_location_of,
    code_locations_of,
    no_line,
    require_line,
    with_code,
    without_quotes,
)
from dwarfgpu.language.prologue import (
    after_prologue,
    body_of,
    body_position,
    is_right_from_entry,
)
from dwarfgpu.language.source_lines import position_at
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.file_kinds import SOURCE_ENDINGS
from dwarfgpu.service.frame.focus import symbol_at
from dwarfgpu.session.focused_frame import FramePosition
from dwarfgpu.session.session import Session
from dwarfgpu.session.unknown_name import nothing_described, undescribed

_INSTRUCTION_BYTES: Final = 4
"""Every instruction of AMD GPUs begins at a multiple of its smallest size."""


@frozen
class BreakAddress:
    """One of the locations of a breakpoint."""

    pc: int
    function: str | None
    """The innermost function there, which may be inlined, in C++ with its parameters; None if it is
    unknown or not of interest."""
    position: FramePosition | None
    """Its source line; None if it is unknown."""
    symbol: str | None = None
    """Where no debugging information describes it: the symbol and the offset, `_start+4`."""
    label: str | None = None
    """The location as GDB writes it, if it is that of a label."""
    is_body: bool = False
    """Whether the body of the function that was named begins there; perhaps with inlined code."""
    is_resolver: bool = False
    """Whether the code chooses which function the name means (STT_GNU_IFUNC)."""

    def __str__(self) -> str:
        """Return `in nest at hip/nest.hip:14`, or `<_start+4>`, as in the column `What`."""
        if self.label is not None:
            return self.label
        if self.position is None:
            described = "" if self.function is None else f"in {self.function}"
            return described if self.symbol is None else f"<{self.symbol}>"
        source_line = f"{self.position.file}:{self.position.line}"
        return source_line if self.function is None else f"in {self.function} at {source_line}"


def break_addresses(
    session: Session, text: str, around: FramePosition | None, options: Options
) -> tuple[BreakAddress, ...]:
    """Return the locations of a breakpoint, in the order of their addresses for a function, as GDB:
    of a line without code those of the next line that has code, and none in the prologue of a
    function.

    `around`: what a line without a file is in. `options` are those of the expression of `*ADDRESS`.
    `UsageError` with GDB's wording for a location that does not exist.
    """
    location = code_location_of(session, text, around, options)
    if location.kind == "address":
        return tuple(at_address(session, pc, location.position) for pc in location.pcs)
    if location.kind == "label":
        written = _label_text(text, location)
        return tuple(
            evolve(at_address(session, pc, item.position), label=written)
            for item in code_locations_of(session, text, around, options)
            for pc in item.pcs
        )
    if location.kind == "function":
        return addresses_of_functions(session, code_locations_of(session, text, around, options))
    require_line(text, location)
    begun = with_code(session, code_locations_of(session, text, around, options))
    if not begun:
        raise no_line(text, location)
    positions = {pc: item.position for item in begun for pc in item.pcs}
    bodies_and_pcs = sorted((after_prologue(session, pc), pc) for pc in positions)
    return tuple(
        _break_address(session, body, pc, positions[pc], None) for body, pc in bodies_and_pcs
    )


def _label_text(text: str, location: CodeLocation) -> str:
    """Return the location of a label as GDB writes it: one without a function is in that in
    focus."""
    explicit, function = explicit_location(text), location.name
    if explicit is not None and explicit.linespec is None:
        return str(evolve(explicit, function=explicit.function or function))
    linespec = text if explicit is None or explicit.linespec is None else explicit.linespec
    if location.is_of_focus:
        linespec = without_quotes(linespec)
        in_file = IN_FILE.fullmatch(linespec)
        label = unquoted(linespec if in_file is None else in_file["inside"])
        file = "" if in_file is None else f"{unquoted(in_file['file'])}:"
        linespec = f"{file}{function}:{label}"
    return location_text(linespec) if explicit is None else str(evolve(explicit, linespec=linespec))


def addresses_of_functions(
    session: Session, locations: Iterable[CodeLocation]
) -> tuple[BreakAddress, ...]:
    """Return the locations of a breakpoint at functions, in the order of their addresses."""
    bodies: dict[int, CodeLocation] = {}
    for location in locations:
        body = location.pcs[0]
        if location.is_call:
            body = after_prologue(session, body)
        elif not location.is_resolver:
            body = body_of(session, body)
        bodies.setdefault(body, location)
    return tuple(_address_in_function(session, pc, bodies[pc]) for pc in sorted(bodies))


def require_instruction(session: Session, address: int) -> None:
    """Raise `UsageError` for an address at which no instruction of a GPU can be."""
    if address % _INSTRUCTION_BYTES:
        raise UsageError(
            f"{address:#x} is not the address of an instruction: a multiple of {_INSTRUCTION_BYTES}"
        )
    segments = (segment for item in session.code_objects for segment in item.loaded_segments())
    if any(0 <= address - segment.address < segment.size_bytes for segment in segments):
        return
    try:
        if session.target is not None:
            where = Memory(session.architecture.address_space(0), session.wave)
            memory_bytes(session.target, where, address, _INSTRUCTION_BYTES)
            return
    except DwarfGpuError:
        pass
    raise UsageError(f"Cannot access memory at address {address:#x}")


def line_used_instead(
    session: Session, text: str, around: FramePosition | None, options: Options
) -> int | None:
    """Return the line with code that `break_addresses` uses for one without code; None if it uses
    the line itself, or no line is meant."""
    location = code_location_of(session, text, around, options)
    if location.kind != "line" or location.pcs:
        return None
    used = with_code(session, code_locations_of(session, text, around, options))
    return used[0].position.line if used and used[0].position is not None else None


_LINE_WITHOUT_CODE: Final = pattern("No line [1-9]")
NO_CODE: Final = "neither this line nor one after it has code"
"""The error about a line that is after all code of its file."""


def location_error(session: Session, error: UsageError, around: FramePosition | None = None) -> str:
    """Return what is wrong with a place that a user wrote, and what was perhaps meant.

    `around`: what a line without a file is in.
    """
    if isinstance(error, LinespecNotFound) and _LINE_WITHOUT_CODE.match(error.message):
        return NO_CODE if around is None else f"{NO_CODE} in {around.file}"
    if error.message == NO_SYMBOL_TABLE:  # GDB's text names a command of its prompt
        return f"{undescribed(session.code_objects)}: give a function or *ADDRESS"
    advice = _advice(session, error)
    if not advice and (nothing := nothing_described(session.code_objects)):
        return f"{error.message}{nothing}"
    return session.with_unsearched(f"{error.message}{advice}")


def _advice(session: Session, error: UsageError) -> str:
    """Return a suggestion for a function that is not defined."""
    name = error.message.removeprefix('Function "').partition('"')[0]
    if not error.message.startswith("Function"):
        return ""
    if name.lower().endswith(SOURCE_ENDINGS):
        return f" A line is written {name}:LINE"
    files = session.code_objects
    if not any(item.info.has_units or item.file.has_section(".symtab") for item in files):
        names = ", ".join(item.name for item in files)
        reasons = "".join(f"; {one}" for item in files if (one := item.unusable_debug_file))
        return f" {names} has neither symbols nor debugging information: give an address{reasons}"
    similar = session.did_you_mean(name.partition("+")[0], "function")
    hexadecimal = in_hexadecimal(name, files)
    return similar or (f" An {hexadecimal}" if hexadecimal else "")


def in_hexadecimal(text: str, code_objects: Iterable[CodeObject]) -> str:
    """Return `address in hexadecimal is written 0x1684` for a number without 0x, if there is code
    at that address; otherwise nothing."""
    try:
        pc = int(text, 16)
    except ValueError:
        return ""
    has_prefix = text.strip().lower().startswith("0x")
    if has_prefix or code_object_at(code_objects, pc) is None:
        return ""
    return f"address in hexadecimal is written 0x{text.strip()}"


def used_instead(text: str, line: int, pc: int) -> str:
    """Return the note about a line without code, for which the next one with code is used."""
    return f"{text} has no code: line {line} at {pc:#x} is used, the next with code"


def _address_in_function(session: Session, pc: int, location: CodeLocation) -> BreakAddress:
    """Return the address of a function: where its body begins, or a call of it."""
    if location.is_resolver:
        return BreakAddress(pc, None, None, symbol_at(session, pc), is_resolver=True)
    function, first, position = _function_of(location), location.pcs[0], location.position
    if pc == first and position is None and is_right_from_entry(session, pc):
        position = position_at(session, pc)
    address = _break_address(session, pc, first, position, function)
    if location.is_call and address.position is None:  # as in GDB: `<main+24>`
        address = evolve(address, function=None, symbol=symbol_at(session, pc))
    return evolve(address, is_body=not location.is_call)


def _function_of(location: CodeLocation) -> str | None:
    """Return the name of a described function; None for one that only has a symbol."""
    return location.name if location.is_described else None


def _break_address(
    session: Session, pc: int, first: int, position: FramePosition | None, function: str | None
) -> BreakAddress:
    """Return the location for the code of a function or line that begins at `first`, at the
    position: another one after a prologue."""
    if pc != first:
        position = body_position(session, pc) or position
    function = function or described_function_at(session, first)
    symbol = symbol_at(session, pc) if function is None and position is None else None
    return BreakAddress(pc, function, position, symbol)


def at_address(session: Session, pc: int, position: FramePosition | None) -> BreakAddress:
    """Return the location of an address, with the line that it is of."""
    function = described_function_at(session, pc)
    symbol = symbol_at(session, pc) if function is None and position is None else None
    return BreakAddress(pc, function, position, symbol)


def described_function_at(session: Session, pc: int) -> str | None:
    """Return the innermost function that debugging information describes at an address."""
    code_object = code_object_at(session.code_objects, pc)
    try:
        chain = () if code_object is None else code_object.scopes.chain_at(pc)
        function = next((scope for scope in reversed(chain) if scope.tag in FUNCTIONS), None)
        if function is not None and function.unit.language in dw.ADA:
            return name_in_frames(function)
        return None if function is None else listed_name(function, declaration_of(function))
    except DwarfGpuError:
        return None
