"""A program location on the command line: a number, or a location specification as at the
prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dwarfgpu.base import json_reader
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.options.integer_options import PLACE_HELP, natural

if TYPE_CHECKING:
    from dwarfgpu.arch.model import Architecture
    from dwarfgpu.session.session import Session


@frozen
class ProgramLocation:
    """The program location that an option or an argument names."""

    pc: int
    """As loaded."""
    notes: tuple[str, ...] = ()
    """The choices made for an ambiguous or inexact text."""


def is_number(text: str) -> bool:
    """Return whether a text is an integer, and so an address."""
    return json_reader.integer_of(text) is not None


def program_location(session: Session, text: str, option: str) -> ProgramLocation:
    """Return the location that a text, not a number, denotes; `UsageError` if it denotes none."""
    # No other command line needs the language of expressions.
    from dwarfgpu.language.code_positions import choices, code_places, next_line_with_code
    from dwarfgpu.service.code.break_addresses import NO_CODE, location_error, used_instead
    from dwarfgpu.service.value.expression_answer import DEFAULT

    stripped = text.strip()
    if not stripped:
        raise UsageError(f"{option}: expected {PLACE_HELP}")
    if not session.code_objects:
        raise UsageError(f"{option} {text}: no code object is given that could have this place")
    if not stripped.startswith("*"):
        # A function or a line is found without knowing where the wave is, which may be nowhere.
        session = evolve(session, pc=None)
    try:
        positions = code_places(session, stripped, DEFAULT)
        after = None if positions else next_line_with_code(session, stripped, DEFAULT)
    except UsageError as error:
        raise UsageError(f"{option} {text}: {location_error(session, error)}") from None
    except DwarfGpuError as error:
        raise UsageError(f"{option} {text}: {error}") from None
    if positions:
        return ProgramLocation(positions[0].pc, choices(text, positions))
    if after is None:
        raise UsageError(f"{option} {text}: {NO_CODE}")
    line, pc = after
    return ProgramLocation(pc, (used_instead(text, line, pc),))


def address(code_objects: Sequence[CodeObject], text: str, option: str) -> int:
    """Return the address that a number is; `UsageError` for one in hexadecimal without 0x."""
    pc = natural(text, option) or 0
    if code_object_at(code_objects, pc) or not is_decimal(text):
        return pc
    from dwarfgpu.service.code.break_addresses import in_hexadecimal  # few addresses are wrong

    advice = in_hexadecimal(text, code_objects)
    if advice:
        raise UsageError(f"{option} {text}: there is no code at {pc:#x}; an {advice}")
    return pc


def in_file(code_object: CodeObject, text: str | None, option: str) -> ProgramLocation | None:
    """Return the program location in a file without a machine; None if the text is absent."""
    if text is None:
        return None
    if is_number(text):
        return ProgramLocation(address((code_object,), text, option))
    from dwarfgpu.session.session import Session

    architecture = code_object.info.architecture
    if architecture is None:
        if text.lstrip().startswith("*"):
            raise UsageError(
                f"{option} {text}: the machine of {code_object.name} is unknown; give an address, "
                "a function or FILE:LINE"
            )
        architecture = _without_registers(code_object)
    return program_location(Session(architecture, (code_object,)), text, option)


def _without_registers(code_object: CodeObject) -> Architecture:
    """Return what is known of the machine of a file for which no architecture is described here:
    lines and functions have addresses whatever its registers are."""
    from dwarfgpu.arch.model import AddressSpace, Architecture  # of no file that is supported

    file = code_object.file
    address_bits = 8 * file.address_bytes
    return Architecture(
        name=file.machine,
        machine=file.machine,
        address_bits=address_bits,
        registers={},
        address_spaces={0: AddressSpace(0, "default", address_bits)},
        endian=file.endian,
    )
