"""Bytes to call frame instructions and back (DWARF 5 7.24; AMD text A.7.24).

Law: decoding never loses what it read. Where an instruction is unknown or cut short, those
before it stay usable, and the reason is kept.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import field, frozen
from dwarfgpu.cfi import instructions as _declarations  # noqa: F401 - importing declares them
from dwarfgpu.cfi.declaration import CfaOperation, CfiFormat, Operand, operations_of
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Site, Unsupported

MAX_INSTRUCTIONS: Final = 1 << 16
"""Instructions of one CIE or FDE, unless the file's limit says otherwise."""
_LO_USER: Final = 0x1C
_HI_USER: Final = 0x3F
"""DW_CFA_lo_user and DW_CFA_hi_user (DWARF 5 7.24)."""


@frozen
class CfaInstruction:
    """One decoded call frame instruction."""

    offset: int
    """Byte offset within the reader's data: the section, or the instructions."""
    operation: CfaOperation
    operands: tuple[Operand, ...]
    """As encoded: factors are not applied, addresses are absolute."""
    encoding: bytes
    """The bytes as found, padded LEB128 numbers included."""

    @property
    def title(self) -> str:
        """The name as in the AMD text."""
        return self.operation.title

    @property
    def site(self) -> Site:
        """The offset of the instruction and its name, for errors."""
        return Site(self.offset, self.title, self.operation.section)

    def named_operands(self) -> dict[str, Operand]:
        """Return the operands as encoded, by name: register, offset_bytes, address_space …"""
        names = (info.name for info in self.operation.operands)
        return dict(zip(names, self.operands, strict=True))

    def arguments(self, form: CfiFormat) -> dict[str, Operand]:
        """Return the operands with the factors of the CIE applied, by name."""
        return self.operation.arguments(self.operands, form)

    def location_after(self, location: int | None, form: CfiFormat) -> int | None:
        """Return the location of the row that is defined after the instruction, from that before
        it; None is one that is unknown, as in a CIE."""
        arguments = self.arguments(form)
        moved, delta = arguments.get("location"), arguments.get("delta_bytes")
        if isinstance(moved, int):
            return moved
        return location + delta if isinstance(delta, int) and location is not None else location


@frozen
class CfaProgram:
    """The instructions of a CIE or an FDE."""

    format: CfiFormat
    instructions: tuple[CfaInstruction, ...] = ()
    error: DwarfGpuError | None = field(default=None, eq=False)
    """Why decoding ended before the end."""


def decode_cfa(
    data: bytes,
    form: CfiFormat,
    start: int = 0,
    end: int | None = None,
    most: int = MAX_INSTRUCTIONS,
) -> CfaProgram:
    """Decode `data` from offset `start` to `end` as far as possible; never raises.

    `error` is `Malformed`, `Unsupported` (an unknown instruction of a vendor, a pointer with an
    unknown base) or `LimitExceeded`.
    """
    instructions: list[CfaInstruction] = []
    error: DwarfGpuError | None = None
    try:
        reader = Reader(data, form.endian, start, end)
    except Malformed as cause:
        return CfaProgram(form, (), cause.with_traceback(None))
    table = _first_bytes(form.machine)
    while reader:
        offset = reader.position
        operation: CfaOperation | None = None
        try:
            if len(instructions) >= most:
                raise LimitExceeded(
                    f"more than {most} call frame instructions", "--max-cfa-instructions"
                )
            opcode = reader.u8()
            operation, operands = table[opcode]
            if operation is None:
                raise _unknown(opcode)
            if operands is None:
                kinds = [info.kind for info in operation.operands]
                operands = tuple([kind.read(reader, opcode, form) for kind in kinds])
        except (Malformed, Unsupported, LimitExceeded) as cause:
            error = cause.with_traceback(None)
            section = operation.section if operation else "A.6.4.2"
            name = operation.title if operation else "call frame instruction"
            error.site = Site(offset, name, section)
            break
        encoding = data[offset : reader.position]
        instructions.append(CfaInstruction(offset, operation, operands, encoding))
    return CfaProgram(form, tuple(instructions), error)


@lru_cache(maxsize=64)
def _first_bytes(
    machine: str | None,
) -> tuple[tuple[CfaOperation | None, tuple[Operand, ...] | None], ...]:
    """Return what each first byte means on a machine, and the operands where it has them all."""
    table = operations_of(machine)
    meanings: list[tuple[CfaOperation | None, tuple[Operand, ...] | None]] = []
    for opcode in range(256):
        operation = table.get(opcode & 0xC0 or opcode)
        operands: tuple[Operand, ...] | None = None
        if operation is not None and all(info.kind.is_packed for info in operation.operands):
            operands = (opcode & 0x3F,) * len(operation.operands)
        meanings.append((operation, operands))
    return tuple(meanings)


def _unknown(opcode: int) -> DwarfGpuError:
    """Return the error for an opcode that the table does not have."""
    if _LO_USER <= opcode <= _HI_USER:
        return Unsupported(
            f"unknown vendor call frame instruction {opcode:#04x}: its length is unknown"
        )
    return Malformed(f"unknown call frame instruction {opcode:#04x}")
