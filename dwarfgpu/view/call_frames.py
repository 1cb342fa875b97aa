"""Call frame information as a person wants to read it: one line for each thing that is said."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.cfi.entry import BrokenEntry, Cie, Fde
from dwarfgpu.cfi.rule import Row, Rule
from dwarfgpu.cfi.search_table import SECTION
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.cfi.text import ExpressionText, cfa_text, program_text, register_name, rule_text

MOST_DIFFERENCES: Final = 20
"""Of a search table and its section that are told."""


def search_table_lines(section: FrameSection, *, compared: bool) -> Iterator[str]:
    """`.eh_frame_hdr at 0x2054: 18 entries …`, and where it and the section disagree."""
    table = section.search
    if table is None:
        return
    told = "no table" if not table.count else f"a table of {table.count}"
    yield f"{SECTION} at {table.address:#x}: {told} for {section.kind} at {table.frames_address:#x}"
    if compared:
        for difference in islice(section.search_differences(), MOST_DIFFERENCES):
            yield f"  disagrees: {difference}"


def cie_heading(cie: Cie) -> str:
    """`CIE 0x0: version 4, augmentation "", code alignment 4, …`."""
    told = [f"version {cie.version}", f'augmentation "{cie.augmentation.text}"']
    if cie.return_register is None:
        return f"CIE {cie.offset:#x}: {', '.join(told)}, which is unknown: nothing more is read"
    form = cie.format
    told += [f"code alignment {form.code_alignment}", f"data alignment {form.data_alignment}"]
    told.append(f"return address {register_name(cie.return_register, form.architecture)}")
    told += ["signal frame"] if cie.augmentation.is_signal_frame else []
    return f"CIE {cie.offset:#x}: {', '.join(told)}"


def fde_heading(fde: Fde, function: str | None) -> str:
    """`FDE 0x18: [0x1600,0x1684) k, of CIE 0x0`."""
    name = "" if function is None else f" {function}"
    return (
        f"FDE {fde.offset:#x}: [{fde.initial_location:#x},{fde.end:#x}){name}, "
        f"of CIE {fde.cie.offset:#x}"
    )


def instruction_lines(entry: Cie | Fde, expression_text: ExpressionText) -> Iterator[str]:
    """The instructions; those that only pad are left out."""
    start = entry.initial_location if isinstance(entry, Fde) else None
    for line in program_text(entry.program, start, expression_text):
        if line != "DW_CFA_nop:":
            yield line


def row_lines(
    row: Row, architecture: Architecture | None, expression_text: ExpressionText
) -> Iterator[str]:
    """The CFA, then each rule with all registers that have it."""
    yield f"CFA = {cfa_text(row.cfa, architecture, expression_text)}"
    for rule, numbers in _by_rule(row):
        names = ", ".join(_names(numbers, architecture))
        yield f"{names} = {rule_text(rule, architecture, expression_text)}"
    if row.args_size_bytes:
        yield f"{row.args_size_bytes} bytes of arguments are pushed"


def _by_rule(row: Row) -> list[tuple[Rule, list[int]]]:
    """Every rule with its registers, in the order of the first of them."""
    found: dict[Rule, list[int]] = {}
    for number, rule in sorted(row.rules.items()):
        found.setdefault(rule, []).append(number)
    return list(found.items())


def _names(numbers: list[int], architecture: Architecture | None) -> Iterator[str]:
    """Names of registers: `VGPR40-VGPR47` for three and more that follow each other."""
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [register_name(number, architecture) for _, number in group]
        if len(run) > 2:
            yield f"{run[0]}-{run[-1]}"
        else:
            yield from run


def broken_line(entry: BrokenEntry) -> str:
    return f"entry {entry.offset:#x} cannot be read: {entry.error}"
