"""Code as data: the members of `dwarfgpu-disas-1`."""

from __future__ import annotations

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.service.disassembly import CodeLine, CodeRange, Disassembly
from dwarfgpu.view.json_object import JsonObject, Plain


@frozen
class FunctionRecord:
    """A member of `functions`."""

    data: JsonObject
    undefined: int
    """How many instructions could not be decoded."""


def function_record(
    disassembly: Disassembly, item: CodeRange, begin: int, end: int
) -> FunctionRecord:
    """A function, or the part of one from an address to another, as loaded."""
    kernel = disassembly.kernel_at(item) if begin == item.begin else None
    lines = list(disassembly.instructions(begin, end))
    data: JsonObject = {
        "name": item.name,
        "symbol": item.symbol or None,
        "begin": item.begin,
        "end": item.end,
        "wave_size": disassembly.wave_size_of(item),
        "descriptor": None if kernel is None else [*disassembly.directives(kernel)],
        "instructions": [instruction_record(disassembly, line) for line in lines],
    }
    return FunctionRecord(data, sum(not line.is_defined for line in lines))


def instruction_record(disassembly: Disassembly, line: CodeLine) -> JsonObject:
    """One instruction, with the source that it is from."""
    origin = disassembly.origin(line.address)
    source: Plain = None
    if origin.line is not None:
        source = {
            "file": origin.line.file.path,
            "line": origin.line.line,
            "column": origin.line.column or None,
        }
    return {
        "address": line.address,
        "bytes": line.data.hex(),
        "text": line.text,
        "is_defined": line.is_defined,
        "target": line.target,
        "target_name": line.target_name,
        "source": source,
        "functions": [*origin.inlined],
    }
