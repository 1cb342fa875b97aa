"""Supplementary files and imported units (DWARF 5 3.2.5, 7.3.6; `.gnu_debugaltlink` of dwz)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.arch import x86_64
from dwarfgpu.base.limits import FileLimits
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.partial_languages import languages_of_partial_units
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.global_variables import global_named, globals_of
from dwarfgpu.dwarf.scope.imports import imported_units, searched_units, units_with_names
from dwarfgpu.dwarf.scope.scope_entries import UNKNOWN_NAME
from dwarfgpu.dwarf.types.types import Base, strip
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    InconsistentContext,
    LimitExceeded,
    Malformed,
    MissingContext,
    Unsupported,
    UsageError,
)
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.supplementary import find_supplementary, supplementary_link
from dwarfgpu.repl.advice import advised
from dwarfgpu.session.session import Session
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, debug_info, elf, unit
from tests.dwarf.programs import AREA, SPLIT, address_of, copied, opened
from tests.work import calls_of
from tools.bombs.companions import imports_of_the_same

ID = bytes(range(20))
NOTE = (4).to_bytes(4, "little") + (20).to_bytes(4, "little") + (3).to_bytes(4, "little")
BUILD_ID = Content(NOTE + b"GNU\0" + ID, 7)
KINDS = ("dwz4", "dwz5")


def file_with(**sections: bytes | Content) -> ObjectFile:
    return ObjectFile("made", elf({f".{name}": body for name, body in sections.items()}, X86_64))


@pytest.mark.parametrize(
    ("section", "data", "expected"),
    [
        ("gnu_debugaltlink", b"/a/b.debug\0" + ID, ("/a/b.debug", ID)),
        ("gnu_debugaltlink", b"a\xff\0\1", (os.fsdecode(b"a\xff"), b"\1")),
        ("gnu_debugaltlink", b"no end", Malformed),
        ("gnu_debugaltlink", b"no id\0", Malformed),
        ("gnu_debugaltlink", b"\0" + ID, Malformed),
        ("debug_sup", b"\5\0\0sup\0\2ab", ("sup", b"ab")),
        ("debug_sup", b"\5\0\0sup\0\0", ("sup", b"")),
        ("debug_sup", b"\5\0\1\0\2ab", None),  # the supplementary file itself
        ("debug_sup", b"\6\0\0sup\0\2ab", Unsupported),
        ("debug_sup", b"\5\0\0sup\0\3ab", Malformed),
        ("debug_sup", b"\5\0\0sup", Malformed),
        ("debug_sup", b"\5\0", Malformed),
        ("debug_sup", b"", None),
    ],
)
def test_links(
    section: str, data: bytes, expected: tuple[str, bytes] | type[DwarfGpuError] | None
) -> None:
    file = file_with(**{section: data})
    if isinstance(expected, type):
        with pytest.raises(expected) as caught:
            supplementary_link(file)
        assert str(caught.value).startswith(f"made: .{section}: ")
        info = DebugInfo.of(file)
        with pytest.raises(expected) as caught:
            _ = info.supplementary
        assert str(caught.value).count("made") == 1
        return
    link = supplementary_link(file)
    assert (link and (link.name, link.id)) == expected


@pytest.fixture
def linking(tmp_path: Path) -> ObjectFile:
    """A file in a folder that names `../sup/x.debug`."""
    (tmp_path / "bin").mkdir()
    path = tmp_path / "bin/prog"
    path.write_bytes(elf({".gnu_debugaltlink": b"../sup/x.debug\0" + ID}, X86_64))
    return ObjectFile(str(path), path.read_bytes())


def find(file: ObjectFile, root: Path) -> ObjectFile:
    link = supplementary_link(file)
    assert link is not None
    return find_supplementary(file, link, [root])


@pytest.mark.parametrize(
    "place",
    [
        "sup/x.debug",  # relative to the folder of the file
        "bin/x.debug",
        "debug/x.debug",
        f"debug/.build-id/{ID.hex()[:2]}/{ID.hex()[2:]}.debug",
    ],
)
def test_where_a_supplementary_file_is_looked_for(
    place: str, tmp_path: Path, linking: ObjectFile
) -> None:
    right, wrong = tmp_path / place, tmp_path / "bin/../sup/x.debug"
    for path, content in ((wrong, b""), (right, elf({".note": BUILD_ID}, X86_64))):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content or elf({}, X86_64))
    assert Path(find(linking, tmp_path / "debug").path).samefile(right)
    right.unlink()
    with pytest.raises((MissingContext, InconsistentContext), match=r"tried .*x\.debug"):
        find(linking, tmp_path / "debug")


def test_a_file_with_another_build_id_is_not_taken(tmp_path: Path, linking: ObjectFile) -> None:
    other = Content(NOTE + b"GNU\0" + ID[::-1], 7)
    (tmp_path / "bin/x.debug").write_bytes(elf({".note": other}, X86_64))
    with pytest.raises(InconsistentContext, match=f"has the build ID {ID[::-1].hex()}"):
        find(linking, tmp_path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\5\0\0\0\2ab", "is not a supplementary file"),
        (b"\5\0\1\0\2xy", "has the checksum 7879"),
        (b"\5\0\1\0\2ab", None),
    ],
)
def test_checksums_of_debug_sup(data: bytes, message: str | None, tmp_path: Path) -> None:
    path = tmp_path / "prog"
    path.write_bytes(elf({".debug_sup": b"\5\0\0sup\0\2ab"}, X86_64))
    (tmp_path / "sup").write_bytes(elf({".debug_sup": data}, X86_64))
    file = ObjectFile(str(path), path.read_bytes())
    if message is None:
        assert find(file, tmp_path).path == str(tmp_path / "sup")
        return
    with pytest.raises(InconsistentContext, match=message):
        find(file, tmp_path)


# Imported units

IMPORT = Shape(dw.TAG_IMPORTED_UNIT, ((dw.AT_IMPORT, dw.FORM_REF_ADDR),))  # 2
SHAPES = (
    Shape(dw.TAG_COMPILE_UNIT, (), True),
    IMPORT,
    Shape(dw.TAG_PARTIAL_UNIT, (), True),  # 3
    Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, 0x08),)),  # 4
    Shape(dw.TAG_NAMESPACE, ((dw.AT_NAME, 0x08),), True),  # 5
    Shape(dw.TAG_VARIABLE, ((dw.AT_ABSTRACT_ORIGIN, dw.FORM_REF_ADDR),)),  # 6
    Shape(dw.TAG_IMPORTED_UNIT, ((dw.AT_IMPORT, dw.FORM_GNU_REF_ALT),)),  # 7
    Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_GNU_STRP_ALT),)),  # 8
    Shape(dw.TAG_SUBPROGRAM, ((dw.AT_LOW_PC, 0x01), (dw.AT_HIGH_PC, 0x0B)), True),  # 9
)


def at(offset: int) -> bytes:
    return offset.to_bytes(4, "little")


def units_of(*units: bytes, others: dict[str, bytes] | None = None) -> DebugInfo:
    sections = {".debug_info": b"".join(units), ".debug_abbrev": abbreviations(*SHAPES)}
    return debug_info(elf({**sections, **(others or {})}, X86_64))


def chain(count: int) -> tuple[DebugInfo, int]:
    """Partial units that import the next one, the last the first; each has one variable."""
    size = len(unit(b"\x03\x02" + at(0) + b"\x04v0\0\0"))
    made = [
        unit(b"\x03\x02" + at((n + 1) % count * size + 12) + b"\x04v%d\0\0" % n)
        for n in range(count)
    ]
    return units_of(*made), size


def test_imports_are_followed_and_a_cycle_ends() -> None:
    info, _ = chain(5)
    first = info.units[0]
    assert list(imported_units(first)) == list(info.units[1:])
    names = [variable.name for variable in globals_of(first)]
    assert names == ["v0", "v1", "v2", "v3", "v4"]


def test_a_unit_that_imports_itself() -> None:
    info = units_of(unit(b"\x01\x02" + at(12) + b"\x04v\0\0"))
    assert list(imported_units(info.units[0])) == []
    assert [variable.name for variable in globals_of(info.units[0])] == ["v"]


def test_imports_in_namespaces() -> None:
    partial = unit(b"\x03\x04v\0\0")
    size = len(partial)
    info = units_of(partial, unit(b"\x01\x05n\0\x02" + at(12) + b"\0\x04w\0\0"))
    own = info.unit_at(size)
    assert own is not None
    assert [variable.name for variable in globals_of(own)] == ["w", "v"]


def test_what_a_variable_of_the_unit_completes_is_left_out() -> None:
    """Link-time optimization writes the variable of the imported unit once more."""
    early = unit(b"\x01\x04v\0\x04w\0\0")
    info = units_of(early, unit(b"\x01\x02" + at(12) + b"\x06" + at(13) + b"\0"))
    items = list(globals_of(info.units[1]))
    assert [(unit.name, unit.unit) for unit in items] == [
        ("v", info.units[1]), ("w", info.units[0]),
    ]  # fmt: skip


def test_an_import_that_cannot_be_followed_leaves_the_rest_usable() -> None:
    partial = unit(b"\x03\x04v\0\0")
    size = len(partial)
    info = units_of(
        partial, unit(b"\x01\x07" + at(12) + b"\x02" + at(12) + b"\x04w\0\0"),
        others={".gnu_debugaltlink": b"gone\0" + ID},
    )  # fmt: skip
    own = info.unit_at(size)
    assert own is not None
    here = Scopes(info)
    names = []
    with pytest.raises(MissingContext, match="supplementary file gone"):
        for variable in globals_of(own):
            names.append(variable.name)
    assert names == ["w", "v"]
    assert global_named(here.info, "v") is not None and global_named(here.info, "w") is not None
    with pytest.raises(MissingContext, match="supplementary file gone"):
        global_named(here.info, "nothing")


def test_an_import_of_no_unit_costs_only_itself() -> None:
    """Those after it are read, and those after an imported unit that cannot be read."""
    partial = unit(b"\x03\x04v\0\0")
    broken = unit(b"\x03\x04b\0\x7f\0")  # no abbreviation has the code 127
    first, size = len(partial), len(partial + broken)
    imports = b"".join(b"\x02" + at(offset) for offset in (0xFFFF, first + 12, 12))
    code = b"\x09" + (0x1000).to_bytes(8, "little") + b"\x10" + b"\x04l\0\0"
    info = units_of(partial, broken, unit(b"\x01" + imports + b"\x04w\0" + code + b"\0"))
    here = Scopes(info)
    own = info.unit_at(size)
    assert own is not None
    here._units[0x1004] = own  # the unit has no addresses of its own
    assert [variable.name for variable in here.variables_at(0x1004)] == ["l", "w", "v"]
    problem = here.why_incomplete_at(0x1004)
    assert isinstance(problem, Malformed) and "the unknown abbreviation 127" in str(problem)
    with pytest.raises(IllFormed, match=r"offset 0xffff of \.debug_info is not in any unit"):
        list(imported_units(own))
    here._units[0x5000] = None
    assert here.why_incomplete_at(0x5000) is None


def test_a_name_in_a_file_that_is_not_there() -> None:
    """The variable is reported: a search that might mean it has an answer."""
    info = units_of(
        unit(b"\x01\x08" + at(0) + b"\x04w\0\0"), others={".gnu_debugaltlink": b"gone\0" + ID}
    )
    here = Scopes(info)
    assert [variable.name for variable in globals_of(info.units[0])] == [UNKNOWN_NAME, "w"]
    assert global_named(here.info, "w") is not None
    with pytest.raises(MissingContext, match="supplementary file gone"):
        global_named(here.info, "v")


def test_imports_are_read_once() -> None:
    """Each search for a name asks for the imports of all units."""
    partial = unit(b"\x03\x04v\0\0")
    imports = b"".join(b"\x02" + at(n * len(partial) + 12) for n in range(100)) * 2
    info = units_of(*[partial] * 100, unit(b"\x01" + imports + b"\0"))
    own = info.units[-1]
    assert list(imported_units(own)) == list(info.units[:100])
    assert calls_of(lambda: list(imported_units(own))) < 12 * 100


def test_units_with_names_are_yielded_once(tmp_path: Path) -> None:
    """All units of the program import the same 25 of the supplementary file."""
    for name, data in imports_of_the_same(10).items():
        (tmp_path / name).write_bytes(data)
    units = list(units_with_names(CodeObject.open(tmp_path / "bomb").info))
    assert len(units) == len(set(units)) == 10 + 25


def test_imports_are_bounded() -> None:
    """An eighth of the entries that are read of the file: each search goes through all of them."""
    partial = unit(b"\x03\x04v\0\0")
    others = [unit(b"\x01" + (b"\x02" + at(12)) * 3 + b"\0") for _ in range(3)]
    for dies, complete in ((72, 3), (71, 2), (47, 1)):
        sections = {
            ".debug_info": b"".join((partial, *others)),
            ".debug_abbrev": abbreviations(*SHAPES),
        }
        object = ObjectFile("made", elf(sections, X86_64), limits=FileLimits(dies=dies))
        info = DebugInfo.of(object)
        for own in info.units[1 : 1 + complete]:
            assert list(imported_units(own)) == [info.units[0]]
        for own in info.units[1 + complete :]:
            with pytest.raises(LimitExceeded, match="import others more than") as caught:
                list(imported_units(own))
            assert caught.value.option == "--max-dies"


# Files that dwz made


@pytest.mark.parametrize("kind", KINDS)
def test_types_of_a_supplementary_file(kind: str) -> None:
    code = opened(SPLIT / kind / "prog")
    (number,) = {
        strip(variable.type) for variable in code.scopes.variables_at(address_of(code, AREA) + 5)
        if variable.name in ("k", "w")
    }  # fmt: skip
    assert isinstance(number, Base) and number.name == "int"
    imports = [imported_unit for unit in code.info.units for imported_unit in imported_units(unit)]
    searched = [searched_unit for unit in code.info.units for searched_unit in searched_units(unit)]
    assert imports and set(searched) >= set(code.info.units)
    if kind == "dwz4":  # with --dwarf-5 dwz imports no units of the supplementary file
        assert any(unit.info.path.endswith("common.debug") for unit in imports)
        assert any(unit.info is code.info.supplementary for unit in searched)


@pytest.mark.parametrize("kind", KINDS)
def test_without_it_the_rest_is_usable(kind: str, tmp_path: Path) -> None:
    code = opened(copied(kind, tmp_path, "common.debug"))
    pc = address_of(code, AREA)
    line = LineLookup(code.scopes).line_of(pc)
    assert line is not None and line.line == 17
    result = {variable.name: variable for variable in code.scopes.variables_at(pc)}
    assert {"l", "k", "w"} <= set(result)
    assert result["l"].location is not None
    with pytest.raises(MissingContext, match=r"supplementary file common\.debug .*tried"):
        result["k"].type  # noqa: B018
    done = run("info", tmp_path / "prog")
    assert done.status == 1
    assert any("MissingContext" in line and "common.debug" in line for line in done.lines)


def test_of_another_build_it_is_not_taken(tmp_path: Path) -> None:
    code = opened(copied("dwz4", tmp_path, "common.debug"))
    shutil.copy(SPLIT / "dwz5/common.debug", tmp_path)
    with pytest.raises(InconsistentContext, match="has no build ID"):
        code.info.supplementary  # noqa: B018


def test_supplementary_files_that_need_one_another(tmp_path: Path) -> None:
    """Each imports a unit of the other: that ends, and says why."""
    shapes = abbreviations(*SHAPES)
    for name, other in (("one", "two"), ("two", "one")):
        sections = {
            ".debug_info": unit(b"\x03\x07" + at(12) + b"\x04" + name.encode() + b"\0\0"),
            ".debug_abbrev": shapes,
            ".gnu_debugaltlink": other.encode() + b"\0" + ID,
            ".note": BUILD_ID,
        }
        (tmp_path / name).write_bytes(elf(sections, X86_64))
    code = opened(tmp_path / "one")
    result = []
    with pytest.raises(IllFormed, match="two: a supplementary file needs another one"):
        for variable in globals_of(code.info.units[0]):
            result.append(variable.name)
    assert result == ["one", "two"]


def test_the_imports_of_a_source_file_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20 units of one name import a unit that imports 20 others: each search is through all."""
    shapes = (
        Shape(dw.TAG_PARTIAL_UNIT, (), True),
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_NAME, dw.FORM_STRING),), True),
        Shape(dw.TAG_IMPORTED_UNIT, ((dw.AT_IMPORT, dw.FORM_REF_ADDR),)),
    )
    empty = unit(b"\x01\0")
    targets = (b"\x03" + (len(empty) * index + 12).to_bytes(4, "little") for index in range(20))
    importing = unit(b"\x01" + b"".join(targets) + b"\0")
    named = unit(b"\x02u.c\0\x03" + (20 * len(empty) + 12).to_bytes(4, "little") + b"\0")
    sections = {
        ".debug_info": 20 * empty + importing + 20 * named,
        ".debug_abbrev": abbreviations(*shapes),
    }
    (tmp_path / "program").write_bytes(elf(sections, X86_64))
    asked = "debug", tmp_path / "program", "--batch", "-ex", "print 'u.c'::x"
    assert 'No symbol "x" in specified context.' in run(*asked).err
    monkeypatch.setattr("dwarfgpu.language.names_of_files._MAX_IMPORTS", 200)
    said = run(*asked).err
    assert "LimitExceeded: the units of u.c import too many others to be searched for x" in said


def test_the_language_of_a_partial_unit_is_that_of_the_units_that_import_it() -> None:
    """As in GDB. dwz gives partial units none; also a circle of imports has an end."""
    shapes = (
        Shape(dw.TAG_PARTIAL_UNIT, (), True),
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
        IMPORT,
    )
    size = len(unit(b"\1\3" + at(0) + b"\0"))

    def languages(imports: str, *importing: tuple[int, str]) -> list[int | None]:
        """Partial units that import one another, beside units with a language."""

        def entries(numbers: str) -> bytes:
            return b"".join(b"\3" + at(int(number) * size + 12) for number in numbers)

        units = [unit(b"\1" + entries(number) + b"\0") for number in imports]
        units += [
            unit(b"\2" + bytes([code]) + entries(numbers) + b"\0") for code, numbers in importing
        ]
        sections = {".debug_info": b"".join(units), ".debug_abbrev": abbreviations(*shapes)}
        info = debug_info(elf(sections, X86_64))
        return [one.language for one in info.units[: len(imports)]]

    c, cplusplus14, cplusplus17 = 0x1D, 0x21, 0x2A
    assert languages("00", (c, "0"), (cplusplus14, "1")) == [None, cplusplus14]
    assert languages("01", (cplusplus14, "1"), (c, "0")) == [c, cplusplus14]
    assert languages("10", (c, "0"), (cplusplus14, "")) == [c, c]
    assert languages("10", (c, "0"), (cplusplus14, "1")) == [None, None]
    assert languages("0", (cplusplus17, "0"), (cplusplus14, "0")) == [dw.LANG_C_PLUS_PLUS]
    assert languages("0", (0x02, "0"), (c, "0"), (cplusplus14, "")) == [dw.LANG_C]
    assert languages("0", (c, ""), (cplusplus14, "")) == [None]
    assert languages("0", (c, "")) == [c]


def test_a_partial_unit_keeps_its_own_language() -> None:
    language = ((dw.AT_LANGUAGE, dw.FORM_DATA1),)
    shapes = (
        Shape(dw.TAG_PARTIAL_UNIT, language, True),
        Shape(dw.TAG_COMPILE_UNIT, language, True),
        IMPORT,
    )
    units = unit(b"\1\x1d\0") + unit(b"\2\x21\3" + at(12) + b"\0")
    info = debug_info(elf({".debug_info": units, ".debug_abbrev": abbreviations(*shapes)}, X86_64))
    assert languages_of_partial_units(info.units) == {}
    assert [one.language for one in info.units] == [0x1D, 0x21]


@pytest.mark.parametrize("shared", [(), ("-m", "common")])
def test_types_of_cplusplus_beside_a_unit_of_c(
    shared: tuple[str, ...], tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """They are in a partial unit that imports the one of the base types, as the unit of C does."""
    sizes = "long q[4]; unsigned u; short s; char c; double d; float f; unsigned long ul;"
    (tmp_path / "p.cc").write_text(
        "namespace ns { struct P { int x, y; struct Q { long q[4]; } qq; void f(int); };\n"
        f"enum class K : char {{ a, b, c }}; struct N {{ P p; N *next; K k; {sizes} }}; }}\n"
        "ns::N UNIT = { {1, 2, {}}, 0, ns::K::b };\n"
        "#ifdef MAIN\nint main() { return UNIT.p.x; }\n#endif\n"
    )
    (tmp_path / "c.c").write_text(f"struct big {{ {sizes} }}; struct big bb;\n")
    for number in range(1, 4):
        options = [f"-DUNIT=u{number}", *(["-DMAIN"] if number == 1 else [])]
        command = [tool("g++"), "-g", "-c", *options, "p.cc", "-o", f"{number}.o"]
        subprocess.run(command, cwd=tmp_path, check=True)
    subprocess.run([tool("gcc"), "-g", "-c", "c.c"], cwd=tmp_path, check=True)
    command = [tool("g++"), "1.o", "2.o", "3.o", "c.o", "-o", "program"]
    subprocess.run(command, cwd=tmp_path, check=True)
    shutil.copy(tmp_path / "program", tmp_path / "second")
    files = ["program", "second"] if shared else ["program"]
    subprocess.run([tool("dwz"), *shared, *files], cwd=tmp_path, check=True)
    asked = ("whatis u1", "print u1.k", "print sizeof(ns::N)", "print (ns::K)1", "ptype ns::P::Q")
    commands = [word for one in asked for word in ("-ex", one)]
    said = run("debug", tmp_path / "program", "--batch", *commands).out
    assert said.splitlines()[-7:] == [
        "type = ns::N", "$1 = ns::K::b", "$2 = 120", "$3 = ns::K::b", "type = struct ns::P::Q {",
        "    long q[4];", "}",
    ]  # fmt: skip


@pytest.mark.parametrize("options", [(), ("--dwarf-5",)])
def test_functions_that_are_only_inlined(
    options: tuple[str, ...], tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Their abstract instances are only in the supplementary file, their calls in the program."""
    inline = "static inline __attribute__((always_inline)) int"
    (tmp_path / "h.h").write_text(
        f"extern volatile int sink;\n"
        f"{inline} tripled(int a) {{ int t = a * 3; sink += t; return t + sink; }}\n"
        f"struct shared {{ int a, b; struct shared *next; }};\n"
    )
    (tmp_path / "m.c").write_text(
        '#include "h.h"\nextern int other(struct shared *);\nint main(int n, char **words)\n'
        "{ struct shared s = { n, 2, 0 }; return tripled(n) + other(&s); }\n"
    )
    (tmp_path / "n.c").write_text(
        '#include "h.h"\nvolatile int sink;\n'
        "int other(struct shared *s) { s->next = s; return tripled(s->b) + tripled(s->a); }\n"
    )
    command = [tool("gcc"), "-g", "-O2", "m.c", "n.c", "-o", "whole"]
    subprocess.run(command, cwd=tmp_path, check=True)
    for name in ("one", "two"):
        shutil.copy(tmp_path / "whole", tmp_path / name)
    command = [tool("dwz"), *options, "-m", "common", "one", "two"]
    subprocess.run(command, cwd=tmp_path, check=True)
    commands = "break tripled", "info scope tripled", "info line tripled", "list tripled"
    words = [word for text in commands for word in ("-ex", text)]
    out = run("debug", tmp_path / "one", "--batch", *words).out
    assert out.startswith("Breakpoint 1 at ") and "tripled. (3 locations)" in out
    assert out == run("debug", tmp_path / "whole", "--batch", *words).out
    (tmp_path / "common").unlink()
    err = run("debug", tmp_path / "one", "--batch", "-ex", "break tripled").err
    message = 'Function "tripled" not defined. Not searched: MissingContext: '
    assert message in err and "supplementary file common" in err


@pytest.mark.parametrize("section", ["debug_info", "debug_types", ""])
def test_stripped_files_need_no_supplementary_file(section: str, tmp_path: Path) -> None:
    """`strip` keeps the link of dwz in files without units: no name is missing for it."""
    sections = {".gnu_debugaltlink": Content(b"common\0" + ID)}
    if section:
        head = bytes(8) + at(23) if section == "debug_types" else b""  # signature, offset of a type
        sections |= {f".{section}": Content(unit(head + b"\1\4x\0\0", version=4))}
        sections |= {".debug_abbrev": Content(abbreviations(*SHAPES))}
    path = tmp_path / "program"
    path.write_bytes(elf(sections, X86_64))
    err = run("debug", path, "--batch", "-ex", "whatis nosuch", "-ex", "ptype struct nosuch").err
    assert "No struct type named nosuch." in err
    assert err.count("supplementary file common") == (2 if section else 0), err


@pytest.mark.parametrize("pc", [0x2000, None])
def test_one_full_stop_before_what_was_not_searched(pc: int | None, tmp_path: Path) -> None:
    """The prompt takes away a hint about options, which may be all that follows GDB's words."""

    def function(address: int, name: bytes) -> bytes:
        return b"\x09" + address.to_bytes(8, "little") + b"\x10\x04" + name + b"\0\0"

    entries = b"\x01" + function(0x1000, b"inside") + function(0x2000, b"other") + b"\0"
    sections = {
        ".gnu_debugaltlink": Content(b"common\0" + ID),
        ".debug_info": Content(unit(entries)),
        ".debug_abbrev": Content(abbreviations(*SHAPES)),
        ".text": Content(bytes(0x1010), flags=6, address=0x1000),
    }
    path = tmp_path / "program"
    path.write_bytes(elf(sections, X86_64))
    session = Session(x86_64, (CodeObject.open(path),), pc=pc)
    with pytest.raises(UsageError, match=r"lists addresses\. Not searched: ") as error:
        session.variable("inside")
    before, _, _ = advised(session, error.value).message.partition(" Not searched: ")
    assert before.startswith('No symbol "inside" in current context.')
    assert before.endswith(".") and not before.endswith("..")
