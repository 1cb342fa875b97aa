"""Cases about call frame instructions."""

from __future__ import annotations

from dwarfgpu.arch.registry import architecture
from dwarfgpu.cfi.declaration import CfiFormat
from dwarfgpu.cfi.decode import CfaProgram, decode_cfa
from dwarfgpu.cfi.rows import rows
from dwarfgpu.cfi.text import instruction_json, row_json
from dwarfgpu.conformance.case import Case
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    IllFormed,
    LimitExceeded,
    Malformed,
    UnreadableFile,
    Unsupported,
)

ARCHITECTURES = {"EM_X86_64": "x86_64", "EM_386": "i386", "EM_AMDGPU": "gfx90a"}
FAULTS = (Malformed, IllFormed, EvaluationError, LimitExceeded)
"""The errors that say that the input is wrong."""


def run(case: Case) -> tuple[object, object] | None:
    """Return the expected and the actual values that differ."""
    cie, fde = _programs(case)
    kind = case.expected["kind"].text("cfi_decode", "cfi_rows", "error", "no_crash")
    if kind == "cfi_decode":
        return _decoded(case, fde)
    start = case.field["initial_location"].integer(0)
    length = case.field["address_range"].integer(0)
    try:
        table = [row_json(row) for row in rows(cie, fde, start, length) if not row.is_empty]
    except UnreadableFile:
        raise
    except DwarfGpuError as error:
        if kind == "cfi_rows" or (kind == "error" and not isinstance(error, FAULTS)):
            return case.expected.value, f"{error.kind}: {error}"
        error_class = case.expected.get("class")
        if error_class is not None and error_class.text() != error.kind:
            return error_class.text(), error.kind
        return None
    if kind == "error":
        return "an error", table
    expected = case.expected["rows"].items() if kind == "cfi_rows" else []
    if kind == "cfi_rows" and len(expected) != len(table):
        return case.expected["rows"].value, table
    for field, row in zip(expected, table, strict=False):
        fields = {name: member.value for name, member in field.members()}
        cfa = fields.get("cfa")
        if isinstance(cfa, dict) and cfa.get("address_space") == 0:  # which is not printed
            fields["cfa"] = {name: cfa[name] for name in cfa if name != "address_space"}
        if {name: row.get(name) for name in fields} != fields:
            return fields, row
    return None


def _decoded(case: Case, fde: CfaProgram) -> tuple[object, object] | None:
    expected = {name: member.value for name, member in case.expected.members() if name != "kind"}
    if expected.get("error"):
        if isinstance(fde.error, (*FAULTS, Unsupported)) and not fde.instructions:
            return None
        return "an error", [instruction.title for instruction in fde.instructions]
    if not fde.instructions:
        return expected, fde.error
    actual = instruction_json(fde.instructions[0])
    compared = {name: actual.get(name) for name in expected}
    return None if compared == expected else (expected, compared)


def _programs(case: Case) -> tuple[CfaProgram, CfaProgram]:
    field = case.field

    def number(name: str) -> int:
        text_value = field.get(name)
        return 1 if text_value is None else text_value.integer()

    machine = field.get("machine")
    name = None if machine is None else ARCHITECTURES.get(machine.text())
    form = CfiFormat(
        address_size=case.form.address_size,
        endian=case.form.endian,
        code_alignment=number("code_alignment"),
        data_alignment=number("data_alignment"),
        architecture=architecture(name) if name else None,
    )
    initial = field.get("cie_bytes_hex")
    cie = b"" if initial is None else initial.hexadecimal()
    initial_program = decode_cfa(cie, form, most=len(cie))
    return initial_program, decode_cfa(case.data, form, most=len(case.data))
