"""Our line tables against those that llvm-dwarfdump, readelf and llvm-symbolizer print."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.line.line_table import LineTable
from dwarfgpu.dwarf.line.rows import LineRow
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.separate_debug import find_debug_file, has_debug_info
from tests.dwarf.builder import FIXTURES
from tests.dwarf.test_large_files import LARGE, is_described
from tests.tool_output import printed_about

BINARIES = sorted(
    path.relative_to(FIXTURES).as_posix()
    for path in FIXTURES.glob("*/*")
    if path.suffix in (".co", ".v4", ".v5")
)
DUMP = "llvm-dwarfdump-19"
SEED = 27
MOST_ADDRESSES = 500
FLAGS = ("is_stmt", "basic_block", "prologue_end", "epilogue_begin", "end_sequence")

TABLE = re.compile(r"^debug_line\[0x([0-9a-f]+)\]$", re.M)
ROW = re.compile(r"^0x([0-9a-f]{16}) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(.*)$", re.M)
DIRECTORY = re.compile(r'^include_directories\[ *(\d+)\] = "(.*)"$', re.M)
FILE = re.compile(
    r'^file_names\[ *(\d+)\]:\n +name: "(.*)"\n +dir_index: (\d+)\n((?: .*\n)*)', re.M
)


def tables(info: DebugInfo) -> dict[int, LineTable]:
    line_tables = [unit.line_table for unit in info.units]
    return {table.offset: table for table in line_tables if table is not None}


def printed_tables(text: str) -> Iterator[tuple[int, str]]:
    starts = list(TABLE.finditer(text))
    for start, after in zip(starts, [*starts[1:], None], strict=True):
        yield int(start[1], 16), text[start.end() : after.start() if after else len(text)]


def row_text(row: LineRow) -> tuple[int | str, ...]:
    return (
        f"{row.address:016x}", row.line, row.column, row.file, row.isa, row.discriminator,
        row.op_index, " ".join(name for name in FLAGS if getattr(row, name)),
    )  # fmt: skip


def files_text(table: LineTable) -> list[tuple[object, ...]]:
    return [
        (
            file.number,
            file.name,
            file.entry.directory,
            file.md5.hex() if file.md5 else None,
            None if file.source is None else file.source.replace("\n", "\\n").replace('"', '\\"'),
        )
        for file in table.files
    ]


def compare(path: Path, dump: str, most: int | None = None) -> None:
    """Compare all tables of a file, or some that are drawn."""
    text = printed_about(path, dump, "--debug-line")
    info = DebugInfo.of(open_object(path))
    ours = tables(info)
    theirs = dict(printed_tables(text))
    assert sorted(ours) == sorted(theirs)
    drawn = sorted(theirs) if most is None else Random(SEED).sample(sorted(theirs), most)
    for offset in drawn:
        table, body = ours[offset], theirs[offset]
        assert not table.problems
        assert [row_text(row) for row in table.matrix.rows] == [
            (a, *map(int, numbers), flags.strip()) for a, *numbers, flags in ROW.findall(body)
        ]
        first = table.header.first_file
        assert [
            (index, table.text(entry.path))
            for index, entry in enumerate(table.header.directories, first)
        ] == [(int(index), name) for index, name in DIRECTORY.findall(body)]
        expected = []
        for index, name, directory, rest in FILE.findall(body):
            md5 = re.search(r"md5_checksum: (\w+)", rest)
            source = re.search(r'source: "(.*)"', rest)
            expected.append(
                (
                    int(index), name, int(directory), md5 and md5[1],
                    source[1].replace("\\t", "\t") if source else None,
                )
            )  # fmt: skip
        assert files_text(table) == expected


@pytest.mark.parametrize("name", BINARIES)
def test_tables_as_llvm_dwarfdump_prints_them(name: str, tool: Callable[[str], str]) -> None:
    compare(FIXTURES / name, tool(DUMP))


@pytest.mark.parametrize("package", ["python3.11-dbg", "libc6-dbg"])
def test_tables_of_large_files(package: str, tool: Callable[[str], str]) -> None:
    path = LARGE[package]
    if not path.exists() or not is_described(path):
        pytest.skip(f"{path} with the debugging information of {package} is not there")
    file = open_object(path)
    described = file if has_debug_info(file) else find_debug_file(file)
    assert described is not None
    compare(Path(described.path), tool(DUMP), 40)


PROGRAM = """
static inline int square(int a) { return a * a; }
int total;
int f(int a) {
  if (a > 3)
    a = square(a);
  for (int i = 0; i < a; i++)
    total += i;
  return total;
}
#line 100 "made/other.y"
int main(void) { return f(3); }
"""
# Little and big endian, 32 and 64 bit; instructions of 1, 2 and 4 bytes
TARGETS = ("i386-linux-gnu", "mips-linux-gnu", "hexagon", "s390x-linux-gnu", "riscv64")
BUILDS = [
    (target, version, options)
    for target in TARGETS
    for version in (2, 3, 4, 5)
    for options in ("", "-O2 -ffunction-sections", "-gdwarf64", "-gembed-source")
    if options != "-gembed-source" or version >= 5
    if options != "-gdwarf64" or (version >= 3 and target in TARGETS[3:])
]


@pytest.mark.parametrize(("target", "version", "options"), BUILDS)
def test_tables_of_clang(
    target: str, version: int, options: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    clang, link, dump = tool("clang-19"), tool("ld.lld-19"), tool(DUMP)
    source, made, linked = tmp_path / "a.c", tmp_path / "a.o", tmp_path / "a.out"
    source.write_text(PROGRAM)
    settings = ["-target", target, f"-gdwarf-{version}", *options.split()]
    subprocess.run([clang, *settings, "-c", source, "-o", made], check=True)
    subprocess.run([link, "-e", "main", made, "-o", linked], check=True)
    compare(linked, dump)


DECODED = re.compile(r"^(\S.*?) +(\d+|-) +(0x[0-9a-f]+|0)(?:\[\d+\])?(?: +\d+)?( +x)?(?: +END)?$")


@pytest.mark.parametrize("name", BINARIES)
def test_rows_as_readelf_decodes_them(name: str, tool: Callable[[str], str]) -> None:
    text = subprocess.run(
        [tool("readelf"), "-W", "--debug-dump=decodedline", str(FIXTURES / name)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    theirs = []
    for line in text.splitlines():
        match = DECODED.match(line.rstrip())
        if match:
            number = 0 if match[2] == "-" else int(match[2])
            theirs.append((match[1].rsplit("/", 1)[-1], number, int(match[3], 16), bool(match[4])))
    ours = [
        (
            table.file(row.file).name.rsplit("/", 1)[-1],
            0 if row.end_sequence else row.line,
            row.address,
            row.is_stmt and not row.end_sequence,
        )
        for table in tables(DebugInfo.of(open_object(FIXTURES / name))).values()
        for row in table.matrix.rows
    ]
    assert ours == theirs


_AT_ONCE = 50
"""Addresses whose question and answer a pipe takes."""


@pytest.fixture(scope="module")
def symbolized(tool: Callable[[str], str]) -> Iterator[Callable[[Path, list[int]], list[str]]]:
    """Files and lines that one process of llvm-symbolizer finds: it takes longer to start than to
    find those of a file."""
    command = [tool("llvm-symbolizer-19"), "--no-inlines", "--output-style=GNU"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout
        asked, answers = process.stdin, process.stdout

        def symbolize(path: Path, addresses: list[int]) -> list[str]:
            out = []
            for start in range(0, len(addresses), _AT_ONCE):
                some = addresses[start : start + _AT_ONCE]
                asked.writelines(f'"{path}" {address:#x}\n' for address in some)
                asked.flush()
                for _ in some:
                    _function, line = answers.readline(), answers.readline()
                    out.append(line)
            return out

        yield symbolize
        asked.close()


@pytest.mark.parametrize("name", BINARIES)
def test_lines_as_llvm_symbolizer_finds_them(
    name: str, symbolized: Callable[[Path, list[int]], list[str]]
) -> None:
    """Every fourth address of the code, some of them where it is long; a symbolizer takes the last
    row of an address."""
    load = 0x7000_0000_0000
    path = FIXTURES / name
    info = DebugInfo.of(open_object(path), load)
    lines = LineLookup(Scopes(info))
    read = tables(info)
    spans = [sequence.span for table in read.values() for sequence in table.matrix.sequences]
    rows: dict[tuple[int, int], list[int]] = defaultdict(list)
    for offset, table in read.items():
        for row in table.matrix.rows:
            if not row.end_sequence:
                rows[offset, row.address].append(row.line)
    addresses = [number for span in spans for number in range(span.begin, span.end, 4)]
    if len(addresses) > MOST_ADDRESSES:
        addresses = sorted(Random(SEED).sample(addresses, MOST_ADDRESSES))
    theirs = symbolized(path, addresses)
    for address, text in zip(addresses, theirs, strict=True):
        match = re.match(r"(.*):(\d+|\?)", text)
        assert match
        ours = lines.line_of(load + address)
        number = 0 if match[2] == "?" else int(match[2])
        if ours is None:
            assert number == 0
        else:
            assert ours.span.begin <= load + address < ours.span.end
            lines_there = rows[ours.file.table.offset, ours.row.address]
            assert number in lines_there
            assert ours.file.path.endswith(match[1].rsplit("/", 1)[-1]) or len(lines_there) > 1
            assert ours.line == number or ours.row.is_stmt
