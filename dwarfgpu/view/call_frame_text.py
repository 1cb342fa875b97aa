"""Call frame information as a person wants to read it: one line for each thing that is said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby, islice
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import evolve
from dwarfgpu.cfi.eh_frame_hdr import SECTION
from dwarfgpu.cfi.entry import BrokenEntry, Cie, Fde
from dwarfgpu.cfi.rule import OffsetRule, Row, Rule, Rules
from dwarfgpu.cfi.search_differences import each_search_difference
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.cfi.text import ExpressionText, cfa_text, program_text, register_name, rule_text
from dwarfgpu.errors import LimitExceeded, counted

_MAX_COLUMNS: Final = 12
_WIDEST_CELL: Final = 14
_SHORTEST_RUN: Final = 4
"""Registers that are saved one after the other, and share a line."""
_MAX_DIFFERENCES: Final = 20
"""Maximum number of reported differences between a search table and its section."""


def search_table_lines(section: FrameSection, *, compared: bool) -> Iterator[str]:
    """Yield `.eh_frame_hdr at 0x2054: 18 entries …`, and its differences from the section."""
    table = section.search
    if table is None:
        return
    table_text = "no table" if not table.count else f"a table of {table.count}"
    frames = f"{section.kind} at {table.frames_address:#x}"
    yield f"{SECTION} at {table.address:#x}: {table_text} for {frames}"
    for difference in search_differences(section) if compared else ():
        yield f"  disagrees: {difference}"


def search_differences(section: FrameSection) -> list[str]:
    """Return the first differences of a section from its search table, or why they are unknown."""
    differences: list[str] = []
    try:
        differences.extend(islice(each_search_difference(section), _MAX_DIFFERENCES))
    except LimitExceeded as error:
        differences.append(str(error))
    return differences


@cache
def with_own_names(architecture: Architecture | None) -> Architecture | None:
    """Return the architecture whose registers are shown by their own names.

    LLVM's for AArch64 name the narrowest view, W29, but more of it is saved.
    """
    if architecture is None or not architecture.are_dwarf_names_narrow:
        return architecture
    return evolve(architecture, dwarf_names={})


def cie_heading(cie: Cie) -> str:
    """Return `CIE 0x0: version 4, augmentation "", code alignment 4, …`."""
    words = [f"version {cie.version}", f'augmentation "{cie.augmentation.text}"']
    if cie.return_register is None:
        return f"CIE {cie.offset:#x}: {', '.join(words)}, which is unknown: nothing more is read"
    form = cie.format
    words += [f"code alignment {form.code_alignment}", f"data alignment {form.data_alignment}"]
    names = with_own_names(form.architecture)
    name = register_name(cie.return_register, names)
    if names is not None and cie.return_register == names.no_return_register:
        name = "none"
    words.append(f"return address {name}")
    words += ["signal frame"] if cie.augmentation.is_signal_frame else []
    return f"CIE {cie.offset:#x}: {', '.join(words)}"


def fde_heading(fde: Fde, function: str | None) -> str:
    """Return `FDE 0x18: [0x1600,0x1684) k, of CIE 0x0`."""
    name = "" if function is None else f" {function}"
    return (
        f"FDE {fde.offset:#x}: [{fde.initial_location:#x},{fde.end:#x}){name}, "
        f"of CIE {fde.cie.offset:#x}"
    )


def instruction_lines(entry: Cie | Fde, expression_text: ExpressionText) -> Iterator[str]:
    """Yield the instructions except padding."""
    start = entry.initial_location if isinstance(entry, Fde) else None
    form = entry.program.format
    form = evolve(form, architecture=with_own_names(form.architecture))
    for line in program_text(evolve(entry.program, format=form), start, expression_text):
        if line != "DW_CFA_nop:":
            yield line


def rule_lines(
    rules: Rules, architecture: Architecture | None, expression_text: ExpressionText
) -> Iterator[str]:
    """Yield each rule with all its registers."""
    for numbers, same in _groups(rules, architecture):
        names = ", ".join(_names(numbers, architecture))
        texts = [rule_text(rule, architecture, expression_text) for rule in same]
        yield f"{names} = {texts[0]}" + (f" … {texts[-1]}" if len(texts) > 1 else "")


def row_lines(
    row: Row,
    of_rules: Iterable[str],
    architecture: Architecture | None,
    expression_text: ExpressionText,
) -> Iterator[str]:
    """Yield the CFA, then the lines of the rules."""
    yield f"CFA = {cfa_text(row.cfa, architecture, expression_text)}"
    yield from of_rules
    if row.args_size_bytes:
        yield f"{counted(row.args_size_bytes, 'byte')} of arguments are pushed"


def table_lines(
    rows: Sequence[Row], architecture: Architecture | None, expression_text: ExpressionText
) -> list[str] | None:
    """Yield rows as a table with a column for each register; return None if they do not fit one."""
    if len(rows) < 2 or any(len(row.rules) > _MAX_COLUMNS for row in rows):
        return None
    numbers = sorted({number for row in rows for number in row.rules})
    if len(numbers) > _MAX_COLUMNS:
        return None
    lines = [["from", "CFA", *(register_name(number, architecture) for number in numbers)]]
    for row in rows:
        if row.args_size_bytes or row.cfa is None:
            return None
        line = [f"{row.start:#x}", cfa_text(row.cfa, architecture, expression_text)]
        for number in numbers:
            rule = row.rules.get(number)
            line.append("" if rule is None else rule_text(rule, architecture, expression_text))
        if max(map(len, line)) > _WIDEST_CELL:
            return None
        lines.append(line)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


def _groups(rules: Rules, architecture: Architecture | None) -> list[tuple[list[int], list[Rule]]]:
    """Return groups of consecutively saved registers, and of registers with the same rule."""
    numbers = sorted(rules)
    remaining = {number: rules[number] for number in numbers}
    rows: list[tuple[list[int], list[Rule]]] = []
    for number in numbers:
        if not isinstance(remaining.get(number), OffsetRule):
            continue
        run = _run(remaining, number, architecture)
        if len(run) >= _SHORTEST_RUN:
            rows.append((run, [remaining.pop(number) for number in run]))
    same: dict[Rule, list[int]] = {}
    for number, rule in remaining.items():
        same.setdefault(rule, []).append(number)
    rows += [(numbers, [rule]) for rule, numbers in same.items()]
    return sorted(rows, key=lambda row: row[0])


def _run(rules: dict[int, Rule], first: int, architecture: Architecture | None) -> list[int]:
    """Return registers of a kind that follow each other, as do the locations where they are
    saved."""
    run = [first]
    step: int | None = None
    while isinstance(last := rules.get(run[-1]), OffsetRule):
        after = rules.get(run[-1] + 1)
        if not isinstance(after, OffsetRule):
            break
        distance = after.offset_bytes - last.offset_bytes
        if not distance or step not in (None, distance):
            break
        if _kind(first, architecture) != _kind(run[-1] + 1, architecture):
            break
        step = distance
        run.append(run[-1] + 1)
    return run


def _kind(number: int, architecture: Architecture | None) -> str:
    return register_name(number, architecture).rstrip("0123456789")


def _names(numbers: list[int], architecture: Architecture | None) -> Iterator[str]:
    """Yield names of registers: `VGPR40-VGPR47` for three and more that follow each other."""
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [register_name(number, architecture) for _, number in group]
        if len(run) > 2:
            yield f"{run[0]}-{run[-1]}"
        else:
            yield from run


def broken_line(entry: BrokenEntry) -> str:
    return f"entry {entry.offset:#x} cannot be read: {entry.error}"
