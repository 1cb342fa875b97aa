"""Our reading of `.debug_frame` and `.eh_frame` against that of llvm-dwarfdump and readelf."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dwarfgpu.arch.model import Architecture
from dwarfgpu.cfi.rule import ExpressionCfa, RegisterCfa, Row
from dwarfgpu.cfi.section import Cie, Fde, FrameSection
from dwarfgpu.cfi.text import program_text, register_name, row_text
from dwarfgpu.objfile.code_object import architecture_of
from dwarfgpu.objfile.elf import open_object

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BINARIES = [
    *sorted(path for path in FIXTURES.glob("*/*") if path.suffix in (".co", ".v4", ".v5")),
    Path("/bin/bash"),
    Path("/usr/bin/objdump"),
    Path("/lib/x86_64-linux-gnu/libc.so.6"),
    Path("/lib/x86_64-linux-gnu/libgcc_s.so.1"),
]
DUMP = "llvm-dwarfdump-19"
KINDS = (".debug_frame", ".eh_frame")


def present(paths: list[Path]) -> pytest.MarkDecorator:
    parameters = [
        pytest.param(p, marks=pytest.mark.skipif(not p.exists(), reason=f"{p} is not there"))
        for p in paths
    ]
    return pytest.mark.parametrize("path", parameters, ids=lambda path: path.name)


def sections(path: Path) -> Iterator[FrameSection]:
    file = open_object(path)
    arch = architecture_of(file)
    for kind in KINDS:
        if file.has_section(kind):
            yield FrameSection(
                kind,  # type: ignore[arg-type]
                file.section_data(kind),
                section_address=file.sections_by_name[kind].address,
                address_size=file.address_bytes,
                endian=file.endian,
                architecture=arch,
            )


def ours(path: Path) -> Iterator[str]:
    for section in sections(path):
        for entry in section.entries:
            assert isinstance(entry, Cie | Fde), entry
            if isinstance(entry, Cie):
                yield f"CIE {entry.offset:x}"
                yield from program_text(entry.program, None, lambda expression: "E")
                continue
            yield f"FDE {entry.offset:x} {entry.initial_location:x} {entry.end:x}"
            start = entry.initial_location
            yield from program_text(entry.program, start, lambda expression: "E")
            table = entry.table()
            assert table.error is None
            arch = entry.cie.format.architecture
            for row in table.rows:
                if not row.is_empty:
                    yield row_text(row, arch, lambda expression: "E")


HEAD = re.compile(r"([0-9a-f]{8}) [0-9a-f]+ [0-9a-f]+ (CIE|FDE)(?:.*pc=(\w+)\.\.\.(\w+))?")
TERM = r"(?:DW_OP_\w+ ?[^:\],]*|<decoding error>[ 0-9a-f]*)"
EXPRESSION = re.compile(f"{TERM}(?:, {TERM})*")


def theirs(dump: str, architecture: Architecture) -> Iterator[str]:
    def named(found: re.Match[str]) -> str:
        return register_name(int(found[1]), architecture)

    kind = ""
    for line in dump.splitlines():
        head = HEAD.match(line)
        text = line.strip().replace("_LO16", "")  # LLVM's name of the narrowest view
        text = re.sub(r"\breg(\d+)\b", named, text)  # it has no names for those of wave32
        if head is not None:
            kind, numbers = head[2], [head[1], head[3], head[4]]
            yield " ".join([kind, *(f"{int(each, 16):x}" for each in numbers if each)])
        elif text.startswith("DW_CFA_") or text.startswith("0x") and kind == "FDE":
            yield EXPRESSION.sub("E", text)


@present(BINARIES)
def test_as_llvm_dwarfdump_prints_them(path: Path, tool: Callable[[str], str]) -> None:
    command = [tool(DUMP), "--debug-frame", "--eh-frame", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert list(ours(path)) == list(theirs(done.stdout, architecture_of(open_object(path))))


def cell(row: Row) -> str:
    match row.cfa:
        case RegisterCfa(offset_bytes=offset):
            return f"{row.start:x} {offset:+}"
        case ExpressionCfa():
            return f"{row.start:x} exp"
        case None:
            return f"{row.start:x} none"


# It ends an FDE at an LLVM instruction.
@present([path for path in BINARIES if path.suffix != ".co"])
def test_cfas_as_readelf_prints_them(path: Path, tool: Callable[[str], str]) -> None:
    command = [tool("readelf"), "--debug-dump=frames-interp", "--wide", str(path)]
    # It exits with 1 where a file names separate debug information that is not installed.
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    expected: list[str] = []
    inside = False
    for line in done.stdout.splitlines():
        if line.startswith("0") and re.search(r"(CIE|FDE|ZERO)", line):
            inside = "FDE" in line
        found = re.match(r"([0-9a-f]{16}) (?:\w+([+-]\d+)|(exp))", line)
        if found and inside:
            expected.append(f"{int(found[1], 16):x} {found[2] or found[3]}")
    rows = [
        row
        for section in sections(path)
        for entry in section.entries
        if isinstance(entry, Fde)
        # readelf leaves out the rows of an FDE that adds nothing to its CIE.
        and any(i.title != "DW_CFA_nop" for i in entry.program.instructions)
        for row in entry.table().rows
        if row.cfa is not None
    ]
    assert sorted(expected) == sorted(cell(row) for row in rows)
