"""Machine code as JSON: the members of `dwarfgpu-disas-1`."""

from __future__ import annotations

from dwarfgpu.service.code.disassembly import CodeLine, CodeRange, Disassembly
from dwarfgpu.service.code.instruction_effects import effects_of
from dwarfgpu.view.json_object import JsonObject, Plain


def function_record(disassembly: Disassembly, item: CodeRange, begin: int) -> JsonObject:
    """Return a function, or the part of one from an address on, without its instructions."""
    is_kernel = begin == item.begin and bool(disassembly.kernels_at(item))
    return {
        "name": item.name,
        "symbol": item.symbol or None,
        "begin": item.begin,
        "end": item.end,
        "wave_size": disassembly.wave_size_of(item),
        "descriptor": [*disassembly.directives(item)] if is_kernel else None,
    }


def instruction_record(
    disassembly: Disassembly, line: CodeLine, *, with_registers: bool = False
) -> JsonObject:
    """Return one instruction, with the source that it is from, and its effects on request."""
    origin = disassembly.origin(line.address)
    source: Plain = None
    if origin.line is not None:
        source = {
            "file": origin.line.file.path,
            "line": origin.line.line,
            "column": origin.line.column or None,
        }
    record: JsonObject = {
        "address": line.address,
        "bytes": line.data.hex(),
        "text": line.text,
        "is_defined": line.is_defined,
        "target": line.target,
        "target_name": line.target_name,
        "source": source,
        "functions": [*origin.inlined],
    }
    if with_registers:
        decoded = line.instruction
        record["effects"] = None if decoded is None else effects_of(decoded).record
    return record
