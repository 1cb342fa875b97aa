"""Programs whose debug information is in split files, packages, type units, supplementary files:
they are read as if it were all in one place (DWARF 5 3.1.2, 3.1.3, 7.3.2, 7.3.5)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.scope.global_variables import global_named
from dwarfgpu.dwarf.scope.symbol_list import listed_symbols
from dwarfgpu.dwarf.split import split_units
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Pointer, Struct, strip
from dwarfgpu.dwarf.unit_header import WrongHeader
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    InconsistentContext,
    LimitExceeded,
    MissingContext,
    UsageError,
)
from dwarfgpu.expr.context import LocList
from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Shape, abbreviations, debug_info, elf, file_of, unit
from tests.dwarf.programs import ALL, AREA, IN_SPLIT_FILES, SPLIT, address_of, copied, opened
from tests.work import at_most

PLACES = [
    *((kind, ("prog.dwp",)) for kind in IN_SPLIT_FILES),  # split files
    *((kind, ("a.dwo", "b.dwo")) for kind in IN_SPLIT_FILES),  # a package
    *((kind, ()) for kind in ALL if kind not in IN_SPLIT_FILES),
]


@pytest.fixture(params=PLACES, ids=lambda place: "-".join((place[0], *place[1][:1])))
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Every way of keeping the debug information of one program."""
    kind, left_out = request.param
    return copied(kind, tmp_path, *left_out)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (
            "baseline",
            "baseline = {a = {x = 1, y = 2}, b = {x = 3, y = 4}, next = 0x0, "
            'dots = "\\005\\006\\a"}',
        ),
        ("corner", "corner = {x = 5, y = 6}"),
        ("geo::scale", "geo::scale = 3"),
        ("counter", "counter = 7"),
    ],
)
def test_globals_by_name(program: Path, name: str, shown: str) -> None:
    assert run("eval", "--file", program, "--debug-dir", program.parent, name).lines == [shown]


def test_scopes_at_a_program_location(program: Path) -> None:
    code = opened(program)
    pc = address_of(code, AREA)
    subprogram = code.scopes.subprogram_at(pc)
    assert subprogram is not None and subprogram.name == "area"
    unit = code.scopes.unit_at(pc)
    assert unit is not None and unit.name == "../a.cpp"
    result = {variable.name: variable for variable in code.scopes.variables_at(pc)}
    assert set(result) == {"l", "k", "w", "baseline", "scale", "counter"}
    # The list of w begins 5 bytes into the function, after the subtraction.
    described = result["w"].described
    assert described is not None and described[0].begin == pc + 5
    line = LineLookup(code.scopes).line_of(pc)
    assert line is not None and (line.file.path, line.line) == ("../a.cpp", 17)


def test_types(program: Path) -> None:
    code = opened(program)
    baseline, corner = global_named(code.info, "baseline"), global_named(code.info, "corner")
    assert baseline is not None and corner is not None
    line, point = strip(baseline.type), strip(corner.type)
    assert isinstance(line, Struct) and isinstance(point, Struct)
    assert (line.name, line.size_bytes, line.is_declaration) == ("line", 32, False)
    members = {member.name: member for member in line.members}
    offsets = [(member.name, member.bit_offset) for member in line.members]
    assert offsets == [("a", 0), ("b", 64), ("next", 128), ("dots", 192)]
    following, dots = strip(members["next"].type), strip(members["dots"].type)
    assert isinstance(following, Pointer) and strip(following.target) is line
    assert isinstance(dots, Array) and (dots.dimensions, size_bytes(dots)) == ((3,), 3)
    inner = strip(members["a"].type)
    assert isinstance(inner, Struct) and inner.name == "point"
    assert [member.name for member in point.members] == ["x", "y"]
    assert isinstance(strip(point.members[0].type), Base)


def test_an_enumeration_of_a_type_unit(program: Path) -> None:
    code = opened(program)
    main = address_of(code, "main")
    result = {variable.name: variable for variable in code.scopes.variables_at(main)}
    tone = strip(result["t"].type)
    assert isinstance(tone, Enum)
    assert (tone.name, tone.enumerators) == ("tone", (("LOW", 1), ("HIGH", 9)))


def test_two_statics_of_one_name(program: Path) -> None:
    """The unit at the program location has its own."""
    code = opened(program)
    seen = set()
    for function in (AREA, "_Z5otheri"):
        variable = code.scopes.variable_at(address_of(code, function), "counter")
        assert variable is not None
        seen.add((variable.unit.name, variable.die))
    assert {name for name, _ in seen} == {"../a.cpp", "../b.cpp"}


BOUNDS = re.compile(r"\[0x([0-9a-f]+), 0x([0-9a-f]+)\)")
ENTRY = re.compile(r"^0x[0-9a-f]{8}: +DW_TAG_\w+", re.M)


def lists_of(die: Die) -> list[tuple[int, int]]:
    """The bounds of all lists of an entry, in its order."""
    out: list[tuple[int, int]] = []
    for number, attribute in die.attributes():
        if number == dw.AT_RANGES:
            out += die.unit.lists.ranges_of(attribute)
        elif number == dw.AT_LOCATION and attribute.kind in ("loclistx", "sec_offset"):
            located = die.unit.location_of(die, number)
            assert isinstance(located, LocList)
            out += [(entry.begin or 0, entry.end or 0) for entry in located.entries]
    return out


@pytest.mark.parametrize("kind", [*IN_SPLIT_FILES, "single", "gfx942-4", "gfx942-5"])
def test_lists_as_llvm_dwarfdump_prints_them(
    kind: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    copied(kind, tmp_path, "prog.dwp")
    path = next(path for path in tmp_path.iterdir() if path.name in ("prog", "nest.co"))
    text = subprocess.run(
        [tool("llvm-dwarfdump-19"), "--dwo", "--debug-info", path],
        check=True, capture_output=True, text=True, cwd=tmp_path, timeout=60,
    ).stdout  # fmt: skip
    theirs = [
        [(int(a, 16), int(b, 16)) for a, b in BOUNDS.findall(body)] for body in ENTRY.split(text)
    ]
    units = [
        item
        for skeleton in opened(path).info.units
        for item in (skeleton, skeleton.full)
        if not item.header.is_type_unit
    ]
    ours = [lists_of(unit.die(n)) for unit in units for n in range(len(unit.tree.offsets))]
    expected = [[span for span in spans if span[0] != span[1]] for spans in theirs]
    assert [answer for answer in ours if answer] == [item for item in expected if item]
    assert any(len(answer) > 1 for answer in ours)


def test_values_as_gdb_prints_them(program: Path, tool: Callable[[str], str]) -> None:
    questions = ("baseline", "corner", "'geo::scale'", "sizeof(baseline)")
    command = [tool("gdb"), "-nx", "-batch", *(f"-ex=print {question}" for question in questions)]
    done = subprocess.run(
        [*command, "./prog"], capture_output=True, text=True, cwd=program.parent, check=False
    )
    if done.returncode:  # GDB 13 crashes on some, and does not know DW_FORM_strp_sup
        pytest.skip("this gdb does not read the file")
    theirs = [line.split(" = ", 1)[1] for line in done.stdout.splitlines() if line[:1] == "$"]
    names = ("baseline", "corner", "geo::scale")
    ours = [run("eval", "--file", program, name).out.strip().split(" = ", 1)[1] for name in names]
    assert [*ours, "32"] == theirs


# Finding the files


@pytest.mark.parametrize("kind", IN_SPLIT_FILES)
def test_nothing_is_opened_before_it_is_needed(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = copied(kind, tmp_path, "prog.dwp")
    reads: list[str] = []
    real = ObjectFile.__init__

    def noted(self: ObjectFile, path: str, *others: Any) -> None:
        reads.append(os.path.basename(path))
        real(self, path, *others)

    monkeypatch.setattr(ObjectFile, "__init__", noted)
    code = opened(program)
    assert len(code.info.units) == 2
    pc = address_of(code, AREA)
    assert LineLookup(code.scopes).line_of(pc) is not None
    assert reads == ["prog"]
    assert code.scopes.subprogram_at(pc) is not None
    assert code.scopes.variables_at(pc)
    assert reads == ["prog", "a.dwo"]
    assert global_named(code.info, "corner") is not None
    assert global_named(code.info, "nothing") is None
    assert reads == ["prog", "a.dwo", "b.dwo"]


def test_names_in_an_index_lead_to_split_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """`.debug_names` gives the skeleton and the offset in the split unit (DWARF 5 6.1.1.4.3)."""
    code = opened(SPLIT / "named/prog")
    assert code.info.names.tables
    find = code.info.names.find("corner", {dw.TAG_VARIABLE})
    assert [item.unit.name for item in find] == ["../b.cpp"]
    assert [unit.full is not unit for unit in code.info.units] == [True, True]
    types = list(code.info.names.find("line", {dw.TAG_STRUCTURE_TYPE}))
    assert [(kind.name, kind.unit.header.is_type_unit) for kind in types] == [("line", True)]


@pytest.mark.parametrize("kind", IN_SPLIT_FILES)
def test_where_split_files_are_looked_for(kind: str, tmp_path: Path) -> None:
    """In the folder of the compilation, here that of the file; in the folder of the file; under
    the directories for debug files."""
    away = tmp_path / "away"
    away.mkdir()
    program = copied(kind, tmp_path, "prog.dwp")
    shutil.move(tmp_path / "a.dwo", away)
    with pytest.raises(MissingContext, match=r"a\.dwo .*is not found; tried .*; give --debug-dir"):
        global_named(opened(program).info, "baseline")
    assert global_named(opened(program, away).info, "baseline") is not None


@pytest.mark.parametrize("kind", IN_SPLIT_FILES)
def test_a_missing_file_leaves_the_skeleton_usable(kind: str, tmp_path: Path) -> None:
    program = copied(kind, tmp_path, "prog.dwp", "a.dwo")
    code = opened(program)
    pc = address_of(code, AREA)
    line = LineLookup(code.scopes).line_of(pc)
    assert line is not None and line.line == 17
    assert pc in LineLookup(code.scopes).pcs_of("a.cpp", 17)
    unit = code.scopes.linked_unit_at(pc)
    assert unit is not None and unit.is_skeleton
    assert global_named(code.info, "corner") is not None  # the other unit's
    for _ in range(2):
        with pytest.raises(MissingContext, match="split file a.dwo"):
            code.scopes.variables_at(pc)
    other = address_of(code, "_Z5otheri")
    assert [variable.name for variable in code.scopes.variables_at(other)][:1] == ["n"]


@pytest.mark.parametrize("kind", IN_SPLIT_FILES)
def test_a_file_of_another_build_is_not_taken(kind: str, tmp_path: Path) -> None:
    program = copied(kind, tmp_path, "prog.dwp", "a.dwo")
    shutil.copy(tmp_path / "b.dwo", tmp_path / "a.dwo")
    with pytest.raises(InconsistentContext, match=r"cannot be used; tried .*\(its ID is 0x"):
        global_named(opened(program).info, "baseline")


def test_a_package_of_another_build_is_not_taken(tmp_path: Path) -> None:
    program = copied("gcc5", tmp_path, "prog.dwp")
    shutil.copy(SPLIT / "clang5/prog.dwp", tmp_path)
    assert global_named(opened(program).info, "baseline") is not None
    (tmp_path / "a.dwo").unlink()
    with pytest.raises(InconsistentContext, match=r"prog\.dwp \(has no unit with that ID\)"):
        global_named(opened(program).info, "baseline")


def test_a_file_for_another_machine_is_not_taken(tmp_path: Path) -> None:
    program = copied("gcc5", tmp_path, "prog.dwp")
    data = bytearray((tmp_path / "a.dwo").read_bytes())
    data[18:20] = (183).to_bytes(2, "little")
    (tmp_path / "a.dwo").write_bytes(data)
    with pytest.raises(InconsistentContext, match="is for AARCH64, not for X86_64"):
        global_named(opened(program).info, "baseline")


@pytest.mark.parametrize("version", ["4", "5"])
def test_the_primary_file_has_the_name_that_its_unit_gives(
    tmp_path: Path, tool: Callable[[str], str], version: str
) -> None:
    """As in GDB; a skeleton of DWARF 5 has no name, and its line table has absolute directories."""
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    options = ["-g", f"-gdwarf-{version}", "-gsplit-dwarf", "-o", "prog"]
    subprocess.run([tool("gcc"), *options, "a.c"], cwd=tmp_path, check=True, timeout=120)
    [table] = [unit.line_table for unit in opened(tmp_path / "prog").info.units]
    assert table is not None
    assert table.file(1).shown_name == "a.c"


def skeleton(name: bytes, folder: bytes = b".", id: int = 0x1234) -> bytes:
    """A file with one skeleton that names a split file."""
    shape = Shape(
        dw.TAG_SKELETON_UNIT, ((dw.AT_DWO_NAME, dw.FORM_STRING), (dw.AT_COMP_DIR, dw.FORM_STRING))
    )
    entries = id.to_bytes(8, "little") + b"\x01" + name + b"\0" + folder + b"\0"
    made = unit(entries, kind=dw.UT_SKELETON)
    return elf({".debug_info": made, ".debug_abbrev": abbreviations(shape)}, X86_64)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (b"/dev/zero", r"/dev/zero \(cannot be read: it is not a regular file\)"),
        (b"/dev", r"/dev \(cannot be read: Is a directory\)"),
        (b"..", "cannot be read: Is a directory"),
        (b"pipe", r"pipe \(cannot be read: it is not a regular file\)"),
        (b"text", r"text \(is not an ELF file\)"),
        (b"x" * 100_000, r"x{50,200}\.\.\. \(cannot be read: File name too long\)"),
        (b"../" * 5000 + b"x", "cannot be read: File name too long"),
        (b"a\x1b[2Jb", r"a\\x1b\[2Jb"),
        (b"\xff.dwo", r"\\xff\.dwo"),
        (b"", "split file  with"),
    ],
)
def test_paths_that_lead_nowhere(name: bytes, message: str, tmp_path: Path) -> None:
    """A path comes from the file: only regular files are opened, everything else is reported."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "text").write_text("text")
    path = tmp_path / "prog"
    path.write_bytes(skeleton(name))
    with pytest.raises((MissingContext, InconsistentContext), match=message) as caught:
        opened(path).info.units[0].full  # noqa: B018
    assert str(caught.value).isprintable() and len(str(caught.value)) < 3_000


def test_a_missing_file_is_sought_once_for_all_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session may load one file thousands of times."""
    tried: list[str] = []

    def open_file(path: str, limits: FileLimits) -> ObjectFile:
        tried.append(path)
        raise UsageError("cannot be read: No such file or directory")

    monkeypatch.setattr(split_units, "open_companion", open_file)
    file = ObjectFile(str(tmp_path / "made.o"), skeleton(b"none.dwo"))
    for number in range(3):
        load = CodeObject.of(file, number * 0x10000, debug_directories=())
        with pytest.raises(MissingContext, match="split file none.dwo .* is not found"):
            _ = load.info.units[0].full
    assert [os.path.basename(path) for path in tried] == ["made.o.dwp", "none.dwo"]


def test_an_id_of_two_skeletons() -> None:
    """A split unit has one skeleton only."""
    shape = Shape(
        dw.TAG_SKELETON_UNIT, ((dw.AT_DWO_NAME, dw.FORM_STRING), (dw.AT_COMP_DIR, dw.FORM_STRING))
    )
    one = unit(bytes(8) + b"\x01a\0.\0", kind=dw.UT_SKELETON)
    split = unit(bytes(8) + b"\x01", kind=dw.UT_SPLIT_COMPILE)
    sections = {
        ".debug_info": one + one,
        ".debug_abbrev": abbreviations(shape),
        ".debug_info.dwo": split,
        ".debug_abbrev.dwo": abbreviations(Shape(dw.TAG_COMPILE_UNIT)),
    }
    first, second = debug_info(elf(sections)).units
    assert first.full.skeleton is first
    with pytest.raises(IllFormed, match="two skeleton units have the ID"):
        second.full  # noqa: B018


def test_a_skeleton_without_an_id() -> None:
    shape = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_GNU_DWO_NAME, dw.FORM_STRING),))
    (result,) = debug_info(file_of(b"\x01k.dwo\0", [shape], version=4)).units
    with pytest.raises(IllFormed, match="no ID of its split unit"):
        result.full  # noqa: B018


# A split file on its own


@pytest.mark.parametrize("kind", IN_SPLIT_FILES)
@pytest.mark.parametrize("name", ["a.dwo", "prog.dwp"])
def test_a_split_file_is_read_without_its_program(kind: str, name: str) -> None:
    info = opened(SPLIT / kind / name).info
    assert not info.problems
    assert {unit.name for unit in info.units if not unit.header.is_type_unit} >= {"../a.cpp"}
    assert sum(unit.header.is_type_unit for unit in info.units) == 3
    code = opened(SPLIT / kind / name)
    variable = global_named(code.info, "baseline")
    assert variable is not None
    kind_of = strip(variable.type)
    assert isinstance(kind_of, Struct) and kind_of.size_bytes == 32
    with pytest.raises(MissingContext, match="a split file has no addresses"):
        variable.unit.address(0)


# The defaults of split units (DWARF 5 7.3.2.2): tables are behind the only header


@pytest.mark.parametrize("offset_size", [4, 8])
def test_strings_of_a_split_unit_need_no_base(offset_size: int) -> None:
    shapes = abbreviations(Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_NAME, dw.FORM_STRX1),)))
    header = b"\x0c\0\0\0" if offset_size == 4 else b"\xff" * 4 + b"\x14" + bytes(7)
    table = header + b"\5\0\0\0" + bytes(offset_size) + b"\4" + bytes(offset_size - 1)
    entries = bytes(8) + b"\x01\x01"
    body = unit(entries, kind=dw.UT_SPLIT_COMPILE, offset_size=offset_size)  # type: ignore[arg-type]
    sections = {
        ".debug_info.dwo": body,
        ".debug_abbrev.dwo": shapes,
        ".debug_str_offsets.dwo": table,
        ".debug_str.dwo": b"one\0two\0",
    }
    assert debug_info(elf(sections)).units[0].name == "two"
    # The index of a package may lead to the strings of another unit, or between them.
    wrong = table.replace(b"\5\0\0\0", b"\7\0\0\0", 1)
    with pytest.raises(WrongHeader, match="version 7 in the header before it, not 5"):
        _ = debug_info(elf({**sections, ".debug_str_offsets.dwo": wrong})).units[0].name
    with pytest.raises(WrongHeader, match="in the header before it is beyond the section"):
        _ = debug_info(elf({**sections, ".debug_str_offsets.dwo": table[:-1]})).units[0].name


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (b"\0", []),
        (b"\x02\0\1\1\0\x31\0", [(0x1000, 0x2000)]),
        (b"\x03\0\x10\0\0\0\1\0\x31\0", [(0x1000, 0x1010)]),
        (b"\x04\x04\0\0\0\x08\0\0\0\1\0\x31\0", [(0x104, 0x108)]),
        (b"\x01\1\x04\x04\0\0\0\x08\0\0\0\1\0\x31\0", [(0x2004, 0x2008)]),
        (b"\x04\x08\0\0\0\x08\0\0\0\1\0\x31\0", []),  # covers nothing
        (b"\x05", "kind 0x5"),
        (b"\x02\0\7", "index 7"),
        (b"\x03\0\x10", "needed"),
    ],
)
def test_location_lists_of_gnu_fission(
    entries: bytes, expected: list[tuple[int, int]] | str
) -> None:
    """`.debug_loc.dwo`: 1 base, 2 start and end, 3 start and length, 4 offsets; a length of two
    bytes and the expression."""
    skeleton = Shape(
        dw.TAG_COMPILE_UNIT,
        (
            (dw.AT_GNU_DWO_NAME, dw.FORM_STRING),
            (dw.AT_GNU_DWO_ID, dw.FORM_DATA8),
            (dw.AT_GNU_ADDR_BASE, dw.FORM_SEC_OFFSET),
            (dw.AT_LOW_PC, dw.FORM_ADDR),
        ),
    )
    split = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_GNU_DWO_ID, dw.FORM_DATA8),), True)
    variable = Shape(dw.TAG_VARIABLE, ((dw.AT_LOCATION, dw.FORM_SEC_OFFSET),))
    low = (0x100).to_bytes(8, "little")
    sections = {
        ".debug_info": unit(b"\x01k\0" + bytes(8) + b"\x08\0\0\0" + low, 4),
        ".debug_abbrev": abbreviations(skeleton),
        ".debug_addr": bytes(8) + (0x1000).to_bytes(8, "little") + (0x2000).to_bytes(8, "little"),
        ".debug_info.dwo": unit(b"\x01" + bytes(8) + b"\x02" + bytes(4) + b"\0", 4),
        ".debug_abbrev.dwo": abbreviations(split, variable),
        ".debug_loc.dwo": entries,
    }
    full = debug_info(elf(sections)).units[0].full
    (result,) = full.root.children()
    if isinstance(expected, str):
        with pytest.raises(DwarfGpuError, match=expected):
            full.location_of(result, dw.AT_LOCATION)
        return
    listed = full.location_of(result, dw.AT_LOCATION)
    assert isinstance(listed, LocList)
    assert [(entry.begin, entry.end) for entry in listed.entries] == expected


def test_ranges_of_gnu_fission_are_in_the_linked_file() -> None:
    """DW_AT_GNU_ranges_base is added for the split unit, not for the skeleton."""
    skeleton = Shape(
        dw.TAG_COMPILE_UNIT,
        (
            (dw.AT_GNU_DWO_NAME, dw.FORM_STRING),
            (dw.AT_GNU_DWO_ID, dw.FORM_DATA8),
            (dw.AT_GNU_RANGES_BASE, dw.FORM_SEC_OFFSET),
            (dw.AT_LOW_PC, dw.FORM_ADDR),
            (dw.AT_RANGES, dw.FORM_SEC_OFFSET),
        ),
    )
    split = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_GNU_DWO_ID, dw.FORM_DATA8),), True)
    function = Shape(dw.TAG_SUBPROGRAM, ((dw.AT_RANGES, dw.FORM_SEC_OFFSET),))
    pairs = [(0x10, 0x20), (0, 0), (0x30, 0x40), (0, 0)]
    ranges = b"".join(a.to_bytes(8, "little") + b.to_bytes(8, "little") for a, b in pairs)
    sections = {
        ".debug_info": unit(b"\x01k\0" + bytes(8) + b"\x20\0\0\0" + bytes(8) + bytes(4), 4),
        ".debug_abbrev": abbreviations(skeleton),
        ".debug_ranges": ranges,
        ".debug_info.dwo": unit(b"\x01" + bytes(8) + b"\x02" + bytes(4) + b"\0", 4),
        ".debug_abbrev.dwo": abbreviations(split, function),
    }
    (result,) = debug_info(elf(sections, type=1)).units
    (inner,) = result.full.root.children()
    assert lists_of(result.root) == [(0x10, 0x20)]
    assert lists_of(inner) == [(0x30, 0x40)]


def test_sections_of_one_name_are_read_as_one() -> None:
    """An object has a section for each type unit; a reference between them stays right."""
    for kind in ("types-gcc5", "types-clang5", "types-gcc4"):
        info = DebugInfo.of(ObjectFile("a.o", (SPLIT / kind / "a.o").read_bytes()))
        assert not info.problems
        assert sum(unit.header.is_type_unit for unit in info.units) == 3
        code = opened(SPLIT / kind / "a.o")
        variable = global_named(code.info, "baseline")
        assert variable is not None
        line = strip(variable.type)
        assert isinstance(line, Struct) and line.size_bytes == 32
        # .debug_aranges names the unit by its place among the others.
        assert all(item.unit_offset == variable.unit.offset for item in info.aranges.sets)


def test_overlapping_sections_of_one_name() -> None:
    """Thousands of headers for the same bytes cost nothing."""
    data = bytearray(elf({".debug_info": bytes(1 << 16), "a": b"", "b": b"", "c": b""}, type=1))
    at = int.from_bytes(data[40:48], "little")
    row = data[at + 64 : at + 128]
    for index in (2, 3, 4):
        data[at + 64 * index : at + 64 * index + 64] = row
    with pytest.raises(LimitExceeded, match=r"its 4 sections \.debug_info overlap"):
        debug_info(bytes(data)).section(".debug_info")


@pytest.mark.parametrize("is_there", [False, True])
def test_very_many_skeletons_of_files_that_are_not_the_right_ones(
    is_there: bool, tmp_path: Path
) -> None:
    """Each is looked for, none costs more than a few questions to the file system."""
    shape = Shape(dw.TAG_SKELETON_UNIT, ((dw.AT_DWO_NAME, dw.FORM_STRING),))
    count = 2_000
    made = b"".join(
        unit(n.to_bytes(8, "little") + b"\x01a.dwo\0", kind=dw.UT_SKELETON) for n in range(count)
    )
    path = tmp_path / "prog"
    path.write_bytes(elf({".debug_info": made, ".debug_abbrev": abbreviations(shape)}, X86_64))
    if is_there:
        split = b"".join(
            unit((n + count).to_bytes(8, "little") + b"\x01", kind=dw.UT_SPLIT_COMPILE)
            for n in range(count)
        )
        sections = {".debug_info.dwo": split, ".debug_abbrev.dwo": abbreviations(Shape(0x11))}
        (tmp_path / "a.dwo").write_bytes(elf(sections, X86_64))
    code = opened(path)
    with (
        at_most(1_000_000),
        pytest.raises((MissingContext, InconsistentContext), match=r"tried .*a\.dwo"),
    ):
        global_named(code.info, "x")
    with pytest.raises((MissingContext, InconsistentContext), match=r"tried \d places"):
        code.info.units[-1].full  # noqa: B018


def test_a_file_of_many_names_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also through links, and a damaged one: it is opened once."""
    read: list[str] = []
    real = split_units.open_companion
    monkeypatch.setattr(
        split_units,
        "open_companion",
        lambda path, limits: (read.append(path), real(path, limits))[1],
    )
    shape = Shape(dw.TAG_SKELETON_UNIT, ((dw.AT_DWO_NAME, dw.FORM_STRING),))
    names = (b"a.dwo", b"././a.dwo", b"b.dwo", b"c.dwo", b"none.dwo", b"bad.dwo", b"./bad.dwo")
    made = b"".join(
        unit(number.to_bytes(8, "little") + b"\x01" + name + b"\0", kind=dw.UT_SKELETON)
        for number, name in enumerate(names)
    )
    path = tmp_path / "prog"
    path.write_bytes(elf({".debug_info": made, ".debug_abbrev": abbreviations(shape)}, X86_64))
    split = b"".join(
        unit(number.to_bytes(8, "little") + b"\x01", kind=dw.UT_SPLIT_COMPILE)
        for number in range(4)
    )
    sections = {".debug_info.dwo": split, ".debug_abbrev.dwo": abbreviations(Shape(0x11))}
    (tmp_path / "a.dwo").write_bytes(elf(sections, X86_64))
    (tmp_path / "b.dwo").symlink_to("a.dwo")
    (tmp_path / "c.dwo").hardlink_to(tmp_path / "a.dwo")
    (tmp_path / "bad.dwo").write_bytes(b"text")
    units = opened(path).info.units
    for skeleton in units[:4]:
        assert skeleton.full is not skeleton
    for skeleton in units[4:]:
        with pytest.raises((MissingContext, InconsistentContext), match=r"tried .*\.dwo"):
            skeleton.full  # noqa: B018
    existing = [Path(name).name for name in read if Path(name).exists()]
    assert existing == ["a.dwo", "bad.dwo"]


def test_split_files_beyond_a_limit_are_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(split_units, "_MAX_FAILURES", 2)
    shape = Shape(dw.TAG_SKELETON_UNIT, ((dw.AT_DWO_NAME, dw.FORM_STRING),))
    made = b"".join(
        unit(n.to_bytes(8, "little") + b"\x01a.dwo\0", kind=dw.UT_SKELETON) for n in range(3)
    )
    path = tmp_path / "prog"
    path.write_bytes(elf({".debug_info": made, ".debug_abbrev": abbreviations(shape)}, X86_64))
    units = opened(path).info.units
    for skeleton in units[:2]:
        with pytest.raises(MissingContext):
            skeleton.full  # noqa: B018
    with pytest.raises(LimitExceeded, match=r"ID 0x0+2\): not looked for, after 2 split files"):
        units[2].full  # noqa: B018


@pytest.mark.parametrize("kind", IN_SPLIT_FILES)
def test_types_of_type_units_are_listed(kind: str) -> None:
    """As `info types` of GDB does for `gcc4` and `clang4`; for DWARF 5 it ends with a fault."""
    names = {symbol.name for symbol in listed_symbols(opened(SPLIT / kind / "prog").info, "types")}
    assert {"geo::line", "geo::point", "tone"} <= names


def test_types_of_a_supplementary_file_are_listed() -> None:
    """As GDB lists them for `dwz4`; it cannot read `dwz5`."""
    symbols = [*listed_symbols(opened(SPLIT / "dwz4/prog").info, "types")]
    lines = {symbol.name: symbol.line for symbol in symbols if symbol.line}
    assert lines == {"geo": 3, "geo::line": 7, "geo::point": 4, "tone": 1}
