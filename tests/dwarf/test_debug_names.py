"""`.debug_names`: hashes, tables made by hand and by clang, and lookups that begin with them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.index import debug_names
from dwarfgpu.dwarf.index.debug_names import Extension, parse_augmentation
from dwarfgpu.dwarf.index.name_table import NameEntry, NameTable, folded, name_hash
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.global_variables import global_named
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed
from dwarfgpu.objfile.elf import ObjectFile, open_object
from tests.dwarf.builder import FIXTURES, Shape, abbreviations, debug_info, elf, unit

DUMP = "llvm-dwarfdump-19"
FIXTURE = FIXTURES / "x86_64/names.clang.O0.v5"


@pytest.mark.parametrize(
    ("name", "hash"),
    [
        ("", 5381),
        ("a", 0x2B606),
        ("A", 0x2B606),
        ("main", 0x7C9A7F6A),
        ("Helper", 0x1D853E5),
        ("İ", 0x2B60E),  # both odd i are i
        ("ı", 0x2B60E),
        ("i", 0x2B60E),
        ("ẞ", name_hash("ß")),  # simple folding: one character stays one
    ],
)
def test_name_hash(name: str, hash: int) -> None:
    assert name_hash(name) == hash


def test_folding_keeps_the_number_of_characters() -> None:
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x30000)]))
    assert len(folded(every)) == len(every)


@pytest.mark.parametrize(
    ("text", "extensions"),
    [
        ("", ()),
        ("[abc:v0.0]", (Extension("abc", 0, 0),)),
        (
            "[abc:v0.0][def:v1.2:feature-a=on,feature-b=3]",
            (Extension("abc", 0, 0), Extension("def", 1, 2, "feature-a=on,feature-b=3")),
        ),
        ("[llvm:v1.23:]", (Extension("llvm", 1, 23),)),
        ("LLVM0700", None),
        ("[abc:0.0]", None),
        ("[abc:v1]", None),
        ("[abc:v1.0", None),
        ("[abc:v1.0]x", None),
    ],
)
def test_augmentation_strings(text: str, extensions: tuple[Extension, ...] | None) -> None:
    assert parse_augmentation(text) == extensions


STRINGS = b"\0one\0Two\0two\0"
ONE, TWO, SMALL_TWO = 1, 5, 9
SHAPES = (
    Shape(dw.TAG_COMPILE_UNIT, (), has_children=True),
    Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRP),)),
    Shape(dw.TAG_SUBPROGRAM, ((dw.AT_NAME, dw.FORM_STRP),), has_children=True),
)


def unit_of(*strings: int, endian: Endian = "little") -> bytes:
    """A unit with a variable of each name; the first is at 13, each has 5 bytes."""
    body = b"".join(b"\x02" + at.to_bytes(4, endian) for at in strings)
    return unit(b"\x01" + body + b"\0", endian=endian)


def index(
    names: dict[str, tuple[int, bytes]],
    units: tuple[int, ...] = (0,),
    abbreviations: bytes = b"\x01\x34\x03\x13\0\0\0",
    buckets: int = 2,
    offset_size: int = 4,
    endian: Endian = "little",
    augmentation: bytes = b"",
    local: tuple[int, ...] = (),
    foreign: tuple[int, ...] = (),
    version: int = 5,
) -> bytes:
    """An index of these names, each with the offset of its string and its entries."""

    def number(value: int, size_bytes: int = 4) -> bytes:
        return value.to_bytes(size_bytes, endian)

    order = sorted(names, key=lambda name: name_hash(name) % buckets if buckets else 0)
    table = [0] * buckets
    for place, name in reversed(list(enumerate(order, 1))):
        if buckets:
            table[name_hash(name) % buckets] = place
    offsets, pool = [], b""
    for name in order:
        offsets.append(len(pool))
        pool += names[name][1] + b"\0"
    padded = augmentation + bytes(-len(augmentation) % 4)
    counts = (len(units), len(local), len(foreign), buckets, len(names), len(abbreviations))
    rest = number(version, 2) + number(0, 2) + b"".join(map(number, counts))
    rest += number(len(padded)) + padded
    rest += b"".join(number(unit, offset_size) for unit in units + local)
    rest += b"".join(number(item, 8) for item in foreign)
    rest += b"".join(map(number, table))
    if buckets:
        rest += b"".join(number(name_hash(name)) for name in order)
    rest += b"".join(number(names[name][0], offset_size) for name in order)
    rest += b"".join(number(offset, offset_size) for offset in offsets)
    rest += abbreviations + pool
    if offset_size == 8:
        return b"\xff\xff\xff\xff" + number(len(rest), 8) + rest
    return number(len(rest)) + rest


def file_with(
    names: bytes,
    units: bytes | None = None,
    endian: Endian = "little",
    limits: FileLimits = DEFAULT_FILE_LIMITS,
) -> DebugInfo:
    sections = {
        ".debug_info": unit_of(ONE, TWO, SMALL_TWO, endian=endian) if units is None else units,
        ".debug_abbrev": abbreviations(*SHAPES),
        ".debug_str": STRINGS,
        ".debug_names": names,
    }
    return DebugInfo.of(ObjectFile("made.co", elf(sections, endian=endian), limits=limits))


def entry(offset: int, endian: Endian = "little") -> bytes:
    return b"\x01" + offset.to_bytes(4, endian)


def of_three(endian: Endian = "little", **options: object) -> bytes:
    names = {
        "one": (ONE, entry(13, endian)),
        "Two": (TWO, entry(18, endian)),
        "two": (SMALL_TWO, entry(23, endian)),
    }
    return index(names, endian=endian, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("offset_size", [4, 8])
@pytest.mark.parametrize("buckets", [0, 1, 2, 7])
@pytest.mark.parametrize("augmentation", [b"", b"[abc:v0.1]", b"GDB\0"])
def test_indexes_of_every_format(
    endian: Endian, offset_size: int, buckets: int, augmentation: bytes
) -> None:
    names = of_three(endian, offset_size=offset_size, buckets=buckets, augmentation=augmentation)
    result = file_with(names, endian=endian).names
    assert not result.problems
    assert sorted(result.names()) == [b"Two", b"one", b"two"]
    assert [die.offset for die in result.find("one")] == [13]
    assert [die.offset for die in result.find("Two")] == [18]
    assert [die.offset for die in result.find("two")] == [23]
    assert sorted(die.offset for die in result.find("TWO", any_case=True)) == [18, 23]
    assert (
        not list(result.find("TWO")) and not list(result.find("tw")) and not list(result.find("o"))
    )
    assert not list(result.find("one", {dw.TAG_SUBPROGRAM}))
    assert result.extensions == ((Extension("abc", 0, 1),) if b"abc" in augmentation else ())


def test_several_indexes_and_units() -> None:
    first = unit_of(ONE)
    abbreviations = b"\x01\x34\x01\x0b\x03\x13\0\0\x02\x34\x03\x13\x81\x40\x0b\0\0\0"
    both = index(
        {"one": (ONE, b"\x01\x01" + (13).to_bytes(4, "little"))}, (0, len(first)), abbreviations
    )
    alone = index(
        {"one": (ONE, b"\x02" + (13).to_bytes(4, "little") + b"\x07")}, (0,), abbreviations
    )
    names = file_with(both + alone, first + unit_of(ONE)).names
    assert [die.offset for die in names.find("one")] == [len(first) + 13, 13]
    (table, other) = names.tables
    assert not next(table.entries(0)).other_values
    # what a vendor adds is kept by its number
    ((number, value),) = next(other.entries(0)).other_values
    assert (number, value.raw) == (0x2001, 7)


def test_type_units() -> None:
    """Index 0 is the local one, index 1 is in another file."""
    first = unit_of(ONE)
    abbreviations = b"\x01\x34\x02\x0b\x03\x13\x04\x19\0\0\x02\x34\x02\x0b\x03\x13\x04\x13\0\0\0"
    pool = b"\x02\x01\x0d\0\0\0\0\0\0\0" + b"\x01\0\x0d\0\0\0"
    names = index(
        {"one": (ONE, pool)}, (0,), abbreviations, local=(len(first),), foreign=(0x123456789,)
    )
    result = file_with(names, first + unit_of(ONE)).names
    assert [die.offset for die in result.find("one")] == [len(first) + 13]
    (table,) = result.tables
    foreign, local = table.entries(0)
    assert table.type_signature(1) == 0x123456789
    assert (foreign.type_unit, foreign.parent) == (1, 0)
    assert (local.type_unit, local.parent) == (0, "not indexed")
    with pytest.raises(Malformed, match="type unit 2"):
        table.type_unit_offset(2)


def test_a_type_unit_that_a_linker_dropped() -> None:
    """LLD leaves the highest offset for one that another object has: llvm-dwarfdump --verify and
    look-ups pass over it."""
    abbreviations = b"\x01\x34\x02\x0b\x03\x13\0\0\0"
    pool = b"\x01\0\x0d\0\0\0\0"
    names = index({"one": (ONE, pool)}, (0,), abbreviations, local=(0xFFFFFFFF,))
    result = file_with(names, unit_of(ONE)).names
    assert list(result.find("one")) == [] == list(result.units_named("one"))
    (table,) = result.tables
    assert table.type_unit_offset(0) is None
    assert result.unit_of(table, next(table.entries(0))) is None


@pytest.mark.parametrize(
    ("names", "kind", "message"),
    [
        (index({"one": (ONE, entry(14))}), IllFormed, "no entry of the unit"),
        (index({"one": (ONE, entry(11))}), IllFormed, "outside its unit"),
        (index({"one": (ONE, entry(12))}), IllFormed, "has tag 0x11, the name index says 0x34"),
        (index({"one": (ONE, entry(13))}, (1,)), IllFormed, "no unit starts at offset 0x1"),
        (index({"one": (ONE, entry(13))}, (0, 0)), IllFormed, "does not name its unit"),
        (index({"one": (ONE, entry(13))}, ()), IllFormed, "does not name its unit"),
        (index({"one": (ONE, b"\x07")}), Malformed, "unknown abbreviation 7"),
        (index({"one": (ONE, encode_uleb(10**4300))}), Malformed, "of 14285 bits"),
        (
            index(
                {"one": (ONE, b"\x01")},
                abbreviations=2 * (encode_uleb(10**4300) + b"\x34\0\0") + b"\0",
            ),
            Malformed,
            "of 14285 bits",
        ),
        (index({"one": (ONE, b"\x01")}), Malformed, "4 bytes needed"),
        (
            index({"one": (ONE, b"\x01")}, abbreviations=b"\x01\x34\x03\x08\0\0\0"),
            Malformed,
            "is not a number",
        ),
        (
            index({"one": (ONE, b"\x01")}, abbreviations=b"\x01\x34\x03\x21\0\0\0"),
            Malformed,
            "DW_FORM_implicit_const",
        ),
        (
            index({"one": (ONE, b"\x01")}, abbreviations=b"\x01\x34\0\0\x01\x34\0\0\0"),
            Malformed,
            "declared twice",
        ),
    ],
)
def test_what_misleads_is_an_error_but_not_of_lookups(
    names: bytes, kind: type[DwarfGpuError], message: str
) -> None:
    info = file_with(names)
    assert not info.names.problems
    with pytest.raises(kind, match=message) as caught:
        list(info.names.find("one"))
    assert "made.co: .debug_" in str(caught.value)
    variable = global_named(info, "one")
    assert variable is not None and variable.die.offset == 13


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (index({}, version=4), "name index of version 4"),
        (b"\x06\0\0\0\x05\0\0\0\x01\0", "4 bytes needed"),
        (b"\xf8\xff\xff\xff", "initial length"),
    ],
)
def test_a_bad_index_is_a_problem(names: bytes, message: str) -> None:
    info = file_with(names)
    (problem,) = info.names.problems
    assert message in str(problem) and str(problem).startswith("made.co: .debug_names index 0x0")
    variable = global_named(info, "one")
    assert variable is not None


@pytest.mark.parametrize("position", range(8, 36, 4))
def test_absurd_counts(position: int) -> None:
    names = bytearray(of_three())
    names[position : position + 4] = b"\xff\xff\xff\xff"
    (problem,) = file_with(bytes(names)).names.problems
    assert isinstance(problem, Malformed)


@pytest.mark.parametrize("few", [1, 2])
def test_a_name_without_hashes_may_be_at_several_offsets(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A string that begins within another one has the same name (DWARF 5 6.1.1.4.5)."""
    monkeypatch.setattr(debug_names, "_FEW", few)
    # "o" is the end of "Two" and of "two".
    names = {"Two": (TWO + 2, entry(18)), "two": (SMALL_TWO + 2, entry(23)), "": (0, entry(13))}
    result = file_with(index(names, buckets=0)).names
    assert [die.offset for die in result.find("o")] == [18, 23]
    assert [die.offset for die in result.find("")] == [13]
    assert not list(result.find("two"))


@pytest.mark.parametrize(
    ("buckets", "most", "dies"),
    [
        (0, 2, []),  # three names are compared
        (0, 3, []),
        (0, 3 + 32 + 32 + 96, [13]),
        (1, 16 - 1, []),
        (1, 3 * 16 + 32 + 32 + 96, [13]),
    ],
)
def test_a_search_compares_so_many_names(buckets: int, most: int, dies: list[int]) -> None:
    info = file_with(of_three(buckets=buckets), limits=FileLimits(searched_names=most))
    if dies:
        assert [die.offset for die in info.names.find("one")] == dies
    else:
        with pytest.raises(LimitExceeded, match="the search for one reads more than") as caught:
            list(info.names.find("one"))
        assert "made.co: .debug_names index 0x0" in str(caught.value)
        assert "(--max-searched-names)" in str(caught.value)
    variable = global_named(info, "one")
    assert variable is not None and variable.die.offset == 13


def test_a_lookup_reads_only_the_unit_that_the_index_names() -> None:
    first = unit_of(TWO)
    names = index({"one": (ONE, entry(13))}, (len(first),))
    info = file_with(names, first + unit_of(ONE))
    variable = global_named(info, "one")
    assert variable is not None and variable.die.offset == len(first) + 13
    assert "tree" not in vars(info.units[0])


def test_static_variables_of_functions_are_not_global() -> None:
    inside = b"\x03" + ONE.to_bytes(4, "little") + b"\x02" + TWO.to_bytes(4, "little") + b"\0"
    info = file_with(index({"Two": (TWO, entry(18))}), unit(b"\x01" + inside + b"\0"))
    assert [die.offset for die in info.names.find("Two")] == [18]
    assert global_named(info, "Two") is None


def test_a_section_of_zeros_is_given_up_soon() -> None:
    made = debug_info(elf({".debug_names": bytes(1 << 20)}))
    assert len(made.names.problems) < 2000 and "more than 1000" in str(made.names.problems[-1])


def test_hostile_indexes() -> None:
    """Only dwarfgpu's errors come out, and lookups find what they found without an index."""
    rng = Random(5)
    good = of_three(augmentation=b"[abc:v0.1]")
    for _ in range(1500):
        data = bytearray(good[: len(good) - rng.choice((0, 0, 0, rng.randrange(len(good))))])
        for _ in range(rng.randrange(1, 4)):
            if data:
                data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7F, 0xFF, rng.randrange(256)))
        info = file_with(bytes(data))
        for word in ("one", "Two", "absent"):
            for any_case in (False, True):
                try:
                    list(info.names.find(word, any_case=any_case))
                except DwarfGpuError as error:
                    assert str(error)
        try:
            list(info.names.names())
        except DwarfGpuError as error:
            assert str(error)
        variable = global_named(info, "one")
        assert variable is not None and variable.die.offset == 13


# Against llvm-dwarfdump, and the parts of clang's output that we know

NAME = re.compile(
    r'^ +Name \d+ \{\n(?: +Hash: 0x(\w+)\n)? +String: 0x(\w+) "(.*)"\n'
    r"((?: +Entry @ .*\n(?: +\w.*\n)* +\}\n)*)",
    re.M,
)
ENTRY = re.compile(
    r"Entry @ 0x(\w+) \{\n +Abbrev: 0x(?:\w+)\n +Tag: (\w+)\n((?: +DW_IDX.*\n)*)", re.M
)


def described(text: str) -> list[tuple[object, ...]]:
    """The names and entries of all indexes that llvm-dwarfdump prints."""
    out: list[tuple[object, ...]] = []
    for result in NAME.finditer(text):
        entries = []
        for match in ENTRY.finditer(result[4]):
            values = dict(re.findall(r"(DW_IDX_\w+): (.*)", match[3]))
            parent = values.get("DW_IDX_parent")
            if parent is not None:
                parent = re.sub(r"Entry @ ", "", parent)
                parent = "not indexed" if "not indexed" in parent else int(parent, 16)
            unit = values.get("DW_IDX_compile_unit")
            type_unit = values.get("DW_IDX_type_unit")
            entries.append(
                (
                    int(match[1], 16),
                    int(values["DW_IDX_die_offset"], 16),
                    unit and int(unit, 16),
                    type_unit and int(type_unit, 16),
                    parent,
                )
            )
        out.append(
            (result[1] and int(result[1], 16), int(result[2], 16), result[3], tuple(entries))
        )
    return out


def ours(info: DebugInfo) -> list[tuple[object, ...]]:
    def entry_text(table: NameTable, entry: NameEntry) -> tuple[object, ...]:
        parent = entry.parent
        if isinstance(parent, int):
            parent += table.header.pool_at
        return (
            entry.offset + table.header.pool_at,
            entry.die_offset,
            entry.unit,
            entry.type_unit,
            parent,
        )

    return [
        (
            name_hash(text),
            table.string_offset(name),
            text,
            tuple(entry_text(table, entry) for entry in table.entries(name)),
        )
        for table in info.names.tables
        for name in range(table.header.name_count)
        for text in [info.sections.string(".debug_str", table.string_offset(name)).decode()]
    ]


def compare(path: Path, dump: str) -> DebugInfo:
    text = subprocess.run(
        [dump, "--debug-names", str(path)], check=True, capture_output=True, text=True
    ).stdout
    info = DebugInfo.of(open_object(path))
    assert not info.names.problems
    assert ours(info) == described(text)
    for table in info.names.tables:
        for name in range(table.header.name_count):
            simple = info.sections.string(".debug_str", table.string_offset(name)).decode()
            expected = {table_die.offset for table_die in dies(info, table, name)}
            assert expected <= {die.offset for die in info.names.find(simple)}
            assert expected <= {die.offset for die in info.names.find(upper(simple), any_case=True)}
    return info


def upper(name: str) -> str:
    """In capitals, but for what has none of one character."""
    return "".join(item.upper() if len(item.upper()) == 1 else item for item in name)


def dies(info: DebugInfo, table: NameTable, name: int) -> list[object]:
    result = (info.names.die_of(table, entry) for entry in table.entries(name))
    return [die for die in result if die is not None]


SOURCE = """
namespace ns { int g; }
namespace ns { inline namespace v1 { int Größe = 3; } }
namespace ns { struct Thing { int x; int get() const { return x; } }; }
namespace { int hidden; }
static int Helper(int a) { static int calls; return a * 2 + ++calls; }
int g = 4;
int main() { ns::Thing t{3}; return Helper(t.get()) + ns::g + g + hidden + ns::Größe; }
"""


@pytest.mark.parametrize(
    "options",
    [("-gpubnames",), ("-gdwarf64", "-gpubnames"), ("-fdebug-types-section", "-gpubnames")],
    ids=" ".join,
)
@pytest.mark.parametrize("units", [1, 3])
def test_indexes_of_clang(
    options: tuple[str, ...], units: int, tool: Callable[[str], str], tmp_path: Path
) -> None:
    clang, link, dump = tool("clang-19"), tool("ld.lld-19"), tool(DUMP)
    objects = []
    for number in range(units):
        source = tmp_path / f"{number}.cpp"
        source.write_text(
            SOURCE if not number else f"int more_{number}; int f{number}() {{ return 1; }}"
        )
        objects.append(str(source.with_suffix(".o")))
        command = [clang, "-target", "x86_64-linux-gnu", "-gdwarf-5", *options, "-c", str(source)]
        subprocess.run([*command, "-o", objects[-1]], check=True)
    path = tmp_path / "linked"
    subprocess.run([link, "-e", "main", *objects, "-o", str(path)], check=True)
    info = compare(path, dump)
    here = Scopes(info)
    for name, qualified in [
        ("ns::g", "ns::g"), ("g", "ns::g"), ("Größe", "ns::v1::Größe"), ("main", None),
        ("calls", None), ("hidden", None),
    ]:  # fmt: skip
        variable = global_named(here.info, name)
        assert (variable is None) == (name in ("main", "calls"))
        if variable is not None and qualified:
            assert variable.name == qualified.rsplit("::", 1)[-1]


def test_the_fixture(tool: Callable[[str], str]) -> None:
    compare(FIXTURE, tool(DUMP))
