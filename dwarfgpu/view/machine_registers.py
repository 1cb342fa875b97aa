"""Which machine registers of an NVIDIA GPU hold a variable that is in a register of PTX.

Law: only what the tables of the file say; code that they leave out holds it in no register.
"""

from __future__ import annotations

from dwarfgpu.arch.nvidia import ptx_name
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.coverage.coverage import Description
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.expr.decode import decode
from dwarfgpu.objfile.ptx_allocation import AllocatedRange, PtxRegisters


def machine_registers(
    description: Description | None, span: Range, unit: CompilationUnit
) -> tuple[AllocatedRange, ...]:
    """Return where the register of a description is in a range of code as loaded, by address.

    None for another machine, a file without tables, and a description that is not one register.
    """
    program = unit.sections.program
    if program.loaded.machine != "CUDA" or description is None:
        return ()
    source = description.source
    if not isinstance(source, ExprLoc):
        return ()
    instructions = decode(source.expression, source.unit.dialect, source.unit.format).instructions
    if len(instructions) != 1 or instructions[0].operation.name != "regx":
        return ()
    (number,) = instructions[0].operands
    name = ptx_name(number) if isinstance(number, int) else None
    if name is None:
        return ()
    tables = program.shared(_Tables).of(unit)
    bias = program.load_address
    return tuple(
        AllocatedRange(allocated.begin + bias, allocated.end + bias, allocated.register_texts)
        for allocated in tables.ranges(name, span.begin - bias, span.end - bias)
    )


class _Tables:
    """The tables of one program, read once."""

    def __init__(self) -> None:
        self._read: PtxRegisters | None = None

    def of(self, unit: CompilationUnit) -> PtxRegisters:
        if self._read is None:
            self._read = PtxRegisters(unit.sections.program.loaded)
        return self._read


def allocated_text(allocated: AllocatedRange) -> str:
    """Return `[0xe0,0x870) R2, R3`."""
    register_texts = ", ".join(allocated.register_texts) or "in no register of the machine"
    return f"[{allocated.begin:#x},{allocated.end:#x}) {register_texts}"
