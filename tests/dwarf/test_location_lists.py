"""Location lists and range lists of all kinds."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf import list_entries
from dwarfgpu.dwarf.address_ranges import Range, merged
from dwarfgpu.dwarf.scope.scope_entries import code_ranges
from dwarfgpu.dwarf.split.contributions import Contributions
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, Unsupported
from dwarfgpu.expr.context import ExprLoc, LocList
from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import run
from tests.dwarf.builder import Shape, debug_info, file_of, read_fixture
from tests.work import calls_of

ROOT = Shape(
    dw.TAG_COMPILE_UNIT,
    (
        (dw.AT_LOW_PC, dw.FORM_ADDR),
        (dw.AT_ADDR_BASE, dw.FORM_SEC_OFFSET),
        (dw.AT_LOCATION, dw.FORM_SEC_OFFSET),
        (dw.AT_RANGES, dw.FORM_SEC_OFFSET),
    ),
)


def table(contents: bytes) -> bytes:
    """Contents behind a length, version 5, address_size 8 and segment_selector_size 0."""
    return (len(contents) + 4).to_bytes(4, "little") + b"\5\0\x08\0" + contents


ADDRESSES = {".debug_addr": table(b"".join(a.to_bytes(8, "little") for a in (0x5000, 0x6000)))}
LOAD = 0x10_0000


def address(value: int) -> bytes:
    return value.to_bytes(8, "little")


def uleb(*values: int) -> bytes:
    return b"".join(map(encode_uleb, values))


def located(lists: bytes, version: int = 5, load_address: int = LOAD) -> list[tuple[object, ...]]:
    """The entries of the list at offset 0."""
    section = ".debug_loclists" if version >= 5 else ".debug_loc"
    entries = b"\x01" + address(0x1000) + b"\x08\0\0\0" + bytes(8)
    info = debug_info(
        file_of(entries, [ROOT], {**ADDRESSES, section: lists}, version), load_address
    )
    unit = info.units[0]
    location = unit.location_of(unit.root, dw.AT_LOCATION)
    assert isinstance(location, LocList)
    assert location.unit is unit
    return [(entry.begin, entry.end, entry.expression) for entry in location.entries]


def ranged(lists: bytes, version: int = 5) -> tuple[Range, ...]:
    section = ".debug_rnglists" if version >= 5 else ".debug_ranges"
    entries = b"\x01" + address(0x1000) + b"\x08\0\0\0" + bytes(8)
    info = debug_info(file_of(entries, [ROOT], {**ADDRESSES, section: lists}, version))
    return code_ranges(info.units[0].root)


X, Y = b"\x30", b"\x31"
END = b"\0"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (END, []),
        (b"\x02" + uleb(0, 1) + b"\x01" + X + END, [(0x5000, 0x6000, X)]),  # startx_endx
        (b"\x03" + uleb(1, 4) + b"\x01" + X + END, [(0x6000, 0x6004, X)]),  # startx_length
        (b"\x04" + uleb(4, 8) + b"\x01" + X + END, [(0x1004, 0x1008, X)]),  # offset_pair
        (b"\x05\x01" + X + END, [(None, None, X)]),  # default_location
        (b"\x07" + address(8) + address(12) + b"\x01" + X + END, [(8, 12, X)]),  # start_end
        (b"\x08" + address(8) + uleb(4) + b"\x01" + X + END, [(8, 12, X)]),  # start_length
        # base_addressx and base_address hold for the entries after them
        (b"\x01\x00\x04\x01\x02\x01" + X + END, [(0x5001, 0x5002, X)]),
        (
            b"\x04\x01\x02\x01" + X + b"\x06" + address(0x9000) + b"\x04\x01\x02\x01" + Y + END,
            [(0x1001, 0x1002, X), (0x9001, 0x9002, Y)],
        ),
        (b"\x09\x01\x02\x04\x01\x02\x01" + X + END, [(0x1001, 0x1002, X)]),  # GNU view pair
        (b"\x04\x04\x04\x01" + X + END, []),  # equal bounds cover nothing
        (b"\x07" + address(2**64 - 1) + address(0) + b"\x01" + X + END, []),  # dropped code
        (b"\x06" + address(2**64 - 1) + b"\x04\x01\x02\x01" + X + END, []),
        # Overlapping entries are places that hold at the same time (A.2.5.5): all are kept.
        (
            b"\x04\x00\x08\x01" + X + b"\x04\x04\x10\x01" + Y + END,
            [(0x1000, 0x1008, X), (0x1004, 0x1010, Y)],
        ),
        (b"\x04\x01\x02\x00" + END, [(0x1001, 0x1002, b"")]),  # an empty expression is one
    ],
)
def test_location_lists_of_dwarf_5(
    data: bytes, expected: list[tuple[int | None, int | None, bytes]]
) -> None:
    assert located(data) == [
        (None if a is None else a + LOAD, None if b is None else b + LOAD, expression)
        for a, b, expression in expected
    ]


def pair(begin: int, end: int, expression: bytes | None = None) -> bytes:
    tail = b"" if expression is None else len(expression).to_bytes(2, "little") + expression
    return address(begin) + address(end) + tail


@pytest.mark.parametrize("version", [2, 3, 4])
def test_location_lists_before_dwarf_5(version: int) -> None:
    data = (
        pair(4, 8, X) + pair(0, 0x10, Y) + pair(6, 6, X) + pair(2**64 - 1, 0x8000) + pair(1, 2, Y)
    )
    form = dw.FORM_SEC_OFFSET if version == 4 else dw.FORM_DATA4
    shape = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_LOCATION, form)))
    entries = b"\x01" + address(0x1000) + bytes(4)
    others = {".debug_loc": data + pair(0, 0)}
    unit = debug_info(file_of(entries, [shape], others, version)).units[0]
    location = unit.location_of(unit.root, dw.AT_LOCATION)
    assert isinstance(location, LocList)
    assert [(entry.begin, entry.end, entry.expression) for entry in location.entries] == [
        (0x1004, 0x1008, X), (0x1000, 0x1010, Y), (0x8001, 0x8002, Y),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (b"", Malformed, "1 byte needed"),
        (b"\x04\x01\x02\x01" + X, Malformed, "1 byte needed"),  # no end
        (b"\x04\x01\x02\x05" + X, Malformed, "5 bytes needed"),
        (b"\x0a", Malformed, "kind 0xa"),
        (b"\x01\x02", Malformed, "index 2"),
        (b"\x04\x08\x04\x00" + END, IllFormed, "ends at 0x1004, before its begin 0x1008"),
    ],
)
def test_location_lists_that_cannot_be_read(
    data: bytes, error: type[DwarfGpuError], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        located(data)
    assert "made.co" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (END, []),
        (b"\x01\x01\x04\x01\x02" + END, [(0x6001, 0x6002)]),
        (b"\x02\x00\x01" + END, [(0x5000, 0x6000)]),
        (b"\x03\x00\x04" + END, [(0x5000, 0x5004)]),
        (b"\x04\x04\x08\x04\x08\x08" + END, [(0x1004, 0x1008)]),
        (b"\x05" + address(0x9000) + b"\x04\x01\x02" + END, [(0x9001, 0x9002)]),
        (b"\x06" + address(8) + address(12) + END, [(8, 12)]),
        (b"\x07" + address(8) + uleb(4) + END, [(8, 12)]),
    ],
)
def test_range_lists_of_dwarf_5(data: bytes, expected: list[tuple[int, int]]) -> None:
    assert list(ranged(data)) == expected


def test_range_lists_before_dwarf_5() -> None:
    data = pair(4, 8) + pair(1, 1) + pair(2**64 - 1, 0) + pair(1, 2) + pair(0, 0)
    assert ranged(data, version=4) == ((0x1004, 0x1008), (1, 2))


@pytest.mark.parametrize("data", [b"", b"\x08", b"\x04\x01"])
def test_range_lists_that_cannot_be_read(data: bytes) -> None:
    with pytest.raises(Malformed, match=r"\.debug_rnglists list 0x0"):
        ranged(data)


ZEROED = "list 0x{:x}: the list is overwritten with zeros"


@pytest.mark.parametrize(
    ("version", "zeros", "is_error"),
    [(5, 15, False), (5, 16, True), (4, 3 * 16 + 15, False), (4, 4 * 16, True)],
)
@pytest.mark.parametrize("read", [located, ranged])
@pytest.mark.parametrize("rest", [b"", b"\xff"])
def test_zeros_that_replaced_lists(
    read: Callable[[bytes, int], object], version: int, zeros: int, is_error: bool, rest: bytes
) -> None:
    """An empty list has one byte, in DWARF 4 two addresses: no producer writes so many of them,
    but for range lists of code that a linker dropped."""
    if is_error and (version, read) != (4, ranged):
        with pytest.raises(Malformed, match=ZEROED.format(0)):
            read(bytes(zeros) + rest, version)
    else:
        assert list(read(bytes(zeros) + rest, version)) == []  # type: ignore[call-overload]


def test_zeros_that_replaced_the_rest_of_a_list() -> None:
    assert ranged(b"\4\1\2" + bytes(15)) == ((0x1001, 0x1002),)
    assert ranged(b"\6" + bytes(16) + END + b"\4\1\2" + END) == ()  # dropped code
    assert ranged(pair(1, 2) + bytes(56), 4) == ((0x1001, 0x1002),)
    for data, version in ((b"\4\1\2" + bytes(16), 5), (pair(1, 2) + bytes(64), 4)):
        assert ranged(data, version) == ((0x1001, 0x1002),)  # gold leaves space behind lists
    with pytest.raises(Malformed, match=ZEROED.format(0)):
        located(b"\4\1\2\1" + X + bytes(16))


@pytest.mark.parametrize(("version", "count"), [(5, 15), (4, 99)])
def test_zeros_behind_a_location_list(version: int, count: int) -> None:
    """Before DWARF 5 they may be views of the next unit."""
    data = (b"\4\1\2\1" if version == 5 else pair(1, 2) + b"\1\0") + X + bytes(count)
    assert located(data, version) == [(LOAD + 0x1001, LOAD + 0x1002, X)]


def test_views_of_the_next_location_list() -> None:
    """GCC writes the views of a list before it, which may be any number of zeros."""
    names = [*ROOT.attributes, (dw.AT_GNU_LOCVIEWS, dw.FORM_SEC_OFFSET)]
    shape = Shape(dw.TAG_COMPILE_UNIT, tuple(names))
    lists = b"\4\1\2\1" + X + bytes(40)
    entries = b"\x01" + address(0x1000) + b"\x08\0\0\0" + bytes(12)
    unit = debug_info(file_of(entries, [shape], {".debug_loclists": lists})).units[0]
    location = unit.location_of(unit.root, dw.AT_LOCATION)
    assert isinstance(location, LocList) and len(location.entries) == 1


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_empty_functions_of_a_relocatable_file(
    compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """In DWARF 4, the pairs of each are the address of its section, which is 0, twice."""
    source = "".join(f"void f{n}(void) {{ __builtin_unreachable(); }}\n" for n in range(6))
    (tmp_path / "empty.c").write_text(source)
    options = ("-g", "-gdwarf-4", "-O2", "-ffunction-sections", "-c", "empty.c")
    subprocess.run([tool(compiler), *options], cwd=tmp_path, check=True, timeout=60)
    done = run("check", tmp_path / "empty.o")
    assert (done.status, done.lines[-1]) == (0, "0 errors, 0 warnings")


def test_commands_name_lists_that_zeros_replaced(tmp_path: Path) -> None:
    data = bytearray(read_fixture("core/crash.x86_64.O2"))
    for name in (".debug_loclists", ".debug_rnglists"):
        section = ObjectFile("", bytes(data)).sections_by_name[name]
        data[section.offset : section.offset + section.size_bytes] = bytes(section.size_bytes)
    path = tmp_path / "crash"
    path.write_bytes(data)
    done = run("where", path, "--pc", "leaf", "n")
    assert f".debug_loclists {ZEROED.format(0x182)}" in done.out
    done = run("where", path, "--all")
    assert f".debug_rnglists {ZEROED.format(0x17)}" in done.out
    assert "error: the list is overwritten with zeros [unreadable-list" in run("check", path).out


def indexed(section: str, base_name: int, name: int, form: int, index: int) -> tuple[bytes, bytes]:
    """A file whose unit names list `index` of a table of two, and the table."""
    shape = Shape(
        dw.TAG_COMPILE_UNIT,
        ((dw.AT_LOW_PC, dw.FORM_ADDR), (base_name, dw.FORM_SEC_OFFSET), (name, form)),
    )
    entry = b"\x04\x01\x02" + (b"\x01" + X if section == ".debug_loclists" else b"")
    lists = table(b"\x02\0\0\0" + b"\x08\0\0\0\x09\0\0\0" + END + entry + END)
    entries = b"\x01" + address(0x1000) + b"\x0c\0\0\0" + uleb(index)
    return file_of(entries, [shape], {section: lists}), lists


@pytest.mark.parametrize(("index", "expected"), [(0, []), (1, [(0x1001, 0x1002)])])
def test_lists_by_index(index: int, expected: list[tuple[int, int]]) -> None:
    data, _ = indexed(
        ".debug_loclists", dw.AT_LOCLISTS_BASE, dw.AT_LOCATION, dw.FORM_LOCLISTX, index
    )
    unit = debug_info(data).units[0]
    location = unit.location_of(unit.root, dw.AT_LOCATION)
    assert isinstance(location, LocList)
    assert [(entry.begin, entry.end) for entry in location.entries] == expected
    data, _ = indexed(".debug_rnglists", dw.AT_RNGLISTS_BASE, dw.AT_RANGES, dw.FORM_RNGLISTX, index)
    assert list(code_ranges(debug_info(data).units[0].root)) == expected


def test_an_index_beyond_the_table() -> None:
    data, _ = indexed(".debug_rnglists", dw.AT_RNGLISTS_BASE, dw.AT_RANGES, dw.FORM_RNGLISTX, 2)
    with pytest.raises(Malformed, match="list 2 of the 2"):
        code_ranges(debug_info(data).units[0].root)


def test_offsets_without_a_base_address() -> None:
    shape = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_RANGES, dw.FORM_SEC_OFFSET),))
    data = file_of(b"\x01" + bytes(4), [shape], {".debug_rnglists": b"\x04\x01\x02\0"})
    with pytest.raises(IllFormed, match="neither it nor its unit a base address"):
        code_ranges(debug_info(data).units[0].root)


@pytest.mark.parametrize(
    ("form", "data", "expected"),
    [
        (dw.FORM_EXPRLOC, b"\x01\x30", b"\x30"),
        (dw.FORM_BLOCK1, b"\x01\x30", b"\x30"),
        (dw.FORM_DATA1, b"\x01", None),
        (dw.FORM_STRING, b"x\0", None),
    ],
)
def test_attributes_that_are_expressions(form: int, data: bytes, expected: bytes | None) -> None:
    shape = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LOCATION, form),))
    unit = debug_info(file_of(b"\x01" + data, [shape])).units[0]
    if expected is None:
        with pytest.raises(IllFormed, match="is not a location"):
            unit.location_of(unit.root, dw.AT_LOCATION)
    else:
        assert unit.location_of(unit.root, dw.AT_LOCATION) == ExprLoc(expected, unit)


@pytest.mark.parametrize(
    ("high_form", "high", "expected"),
    [
        (dw.FORM_ADDR, address(0x1010), [(0x1000, 0x1010)]),
        (dw.FORM_DATA4, b"\x10\0\0\0", [(0x1000, 0x1010)]),
        (dw.FORM_ADDR, address(0x1000), []),
        (dw.FORM_ADDR, address(0x800), []),
    ],
)
def test_low_and_high_pc(high_form: int, high: bytes, expected: list[tuple[int, int]]) -> None:
    attributes = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, high_form))
    data = file_of(b"\x01" + address(0x1000) + high, [Shape(dw.TAG_COMPILE_UNIT, attributes)])
    assert list(code_ranges(debug_info(data).units[0].root)) == expected


@pytest.mark.parametrize("low", [0, 2**64 - 1, 2**64 - 2])
def test_code_that_the_linker_dropped(low: int) -> None:
    attributes = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA1))
    data = file_of(b"\x01" + address(low) + b"\x01", [Shape(dw.TAG_COMPILE_UNIT, attributes)])
    assert code_ranges(debug_info(data).units[0].root) == ()


def test_merged() -> None:
    assert merged([Range(4, 8), Range(0, 2), Range(2, 3), Range(5, 6)]) == ((0, 3), (4, 8))


def padded(value: int, size_bytes: int) -> bytes:
    """A number as LEB128 of at least so many bytes."""
    data = bytearray(encode_uleb(value))
    while len(data) < size_bytes:
        data[-1] |= 0x80
        data.append(0)
    return bytes(data)


def result(lists: bytes, root: int) -> object:
    """The entries of the list at offset 0 and how much was read, or the error."""
    entries = b"\x01" + address(root) + b"\x08\0\0\0" + bytes(8)
    info = debug_info(file_of(entries, [ROOT], {**ADDRESSES, ".debug_loclists": lists}))
    (unit,) = info.units
    try:
        location = unit.location_of(unit.root, dw.AT_LOCATION)
    except DwarfGpuError as error:
        return type(error), str(error)
    assert isinstance(location, LocList)
    return location.entries, location.empty, location.in_order, unit.sections.budget._spent_bytes


def test_short_pairs_of_offsets_are_read_as_any_others(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(19)
    offsets = [0, 1, 0x7F, 0x80, 0x3FFF, 0x4000, 0x1F_FFFF, 0x20_0000, 1 << 40, (1 << 64) - 1]
    lists: list[tuple[bytes, int]] = []
    for _ in range(400):
        data = b""
        for _ in range(rng.randrange(6)):
            begin, end = sorted(rng.choices(offsets, k=2))
            if rng.random() < 0.1:
                begin, end = end, begin
            data += b"\4" + padded(begin, rng.randrange(4)) + padded(end, rng.randrange(4))
            size_bytes = rng.choice([0, 1, 2, 0x7F, 0x80, 300])
            data += padded(size_bytes, rng.randrange(3)) + rng.randbytes(size_bytes)
            data += rng.choice([b""] * 6 + [b"\1\1", b"\5\1\x30", b"\x0a", b"\x06" + b"\xff" * 8])
        data += rng.choice([END, END + b"\xff" * 400, b""])
        data = data[: rng.randrange(len(data) + 1)] if rng.random() < 0.2 else data
        lists.append((data, rng.choice([0x1000, (1 << 64) - 0x100, (1 << 64) - 1])))
    outcome = [result(*one) for one in lists]
    monkeypatch.setattr(list_entries, "_SHORT_OFFSET", 0)
    assert outcome == [result(*one) for one in lists]
    assert sum(isinstance(one, tuple) and len(one) == 4 for one in outcome) > 100


def test_an_entry_of_a_list_takes_no_call_of_its_own() -> None:
    entry = b"\4" + uleb(0x12345, 0x12346, 1) + X
    calls = {}
    for count in (100, 1_100):
        entries = b"\x01" + address(0x1000) + b"\x08\0\0\0" + bytes(8)
        data = entry * count + END + b"\xff" * 200
        info = debug_info(file_of(entries, [ROOT], {".debug_loclists": data}))
        (unit,) = info.units
        attribute = unit.root.attribute(dw.AT_LOCATION)
        assert attribute is not None
        calls[count] = calls_of(partial(unit.lists.locations_of, attribute))
    assert calls[1_100] - calls[100] <= 4 * 1_000  # of tuples, lists and a dictionary


def test_every_offset_is_compared_with_the_header_before_it() -> None:
    def contribution(address_size: int) -> bytes:
        header = (5).to_bytes(2, "little") + bytes((address_size, 0)) + bytes(4)
        return (len(header) + 4).to_bytes(4, "little") + header + bytes(4)

    data = contribution(8) + contribution(4)
    lists = Contributions(".debug_loclists", data, "little")
    first, second = 12, len(data) // 2 + 12
    for _ in range(2):
        lists.check(first, 8)
        lists.check(second, 4)
        for offset, address_size in ((first, 4), (second, 8), (second, 2)):
            with pytest.raises(IllFormed, match="disagree"):
                lists.check(offset, address_size)
        lists.check(len(data), 2)  # outside of all


@pytest.mark.parametrize("section", [".debug_addr", ".debug_loclists", ".debug_rnglists"])
def test_segment_selectors_are_refused(section: str) -> None:
    """Each address would have a selector before it (DWARF 5 7.27 to 7.29)."""
    whole = table(bytes(4) + b"\x08" + address(0x1000) + uleb(4, 0) + bytes(20))
    data = whole[:7] + b"\4" + whole[8:]
    entries = b"\x01" + address(0x1000) + b"\x08\0\0\0" + b"\x0c\0\0\0" * 2
    unit = debug_info(file_of(entries, [ROOT], {section: data})).units[0]
    with pytest.raises(Unsupported, match=f"segment selectors of 4 bytes in {section}"):
        if section == ".debug_addr":
            unit.address(0)
        elif section == ".debug_loclists":
            unit.location_of(unit.root, dw.AT_LOCATION)
        else:
            code_ranges(unit.root)


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("size_bytes", [(1 << 64) - 1, (1 << 64) - 0x1000 + 1])
def test_a_length_beyond_the_last_address(version: int, size_bytes: int) -> None:
    """It does not wrap around to a range that ends before its begin."""
    if version == 5:
        of_locations, of_ranges = b"\x08" + address(0x1000), b"\x07" + address(0x1000)
        data, size_of_block = uleb(size_bytes), b"\x01"
    elif size_bytes < 1 << 64:  # offsets from the base address of the unit, 0x1000
        of_locations = of_ranges = b""
        data, size_of_block = address(0) + address(size_bytes), b"\x01\0"
    else:
        return
    expected = f"list entry at 0x1000 has {size_bytes} bytes, more than there are addresses"
    with pytest.raises(IllFormed, match=expected):
        located(of_locations + data + size_of_block + X + END, version)
    with pytest.raises(IllFormed, match=expected):
        ranged(of_ranges + data + END, version)


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("begin", [(1 << 64) - 0x1000, (1 << 64) - 3])
def test_an_offset_beyond_the_last_address(version: int, begin: int) -> None:
    """It is no mark of code that the linker dropped: a variable there is not optimized out."""
    if version == 5:
        of_locations = of_ranges = b"\x04" + uleb(begin, 0x10)
        size_of_block, end_of_list = b"\x01", b"\0"
    else:
        of_locations = of_ranges = address(begin) + address(0x10)
        size_of_block, end_of_list = b"\x01\0", address(0) + address(0)
    expected = (
        f"list entry begins at {0x1000 + begin:#x}, beyond the last address {(1 << 64) - 1:#x}"
    )
    with pytest.raises(IllFormed, match=expected):
        located(of_locations + size_of_block + b"\x50" + end_of_list, version)
    with pytest.raises(IllFormed, match=expected):
        ranged(of_ranges + end_of_list, version)


@pytest.mark.parametrize("begin", [(1 << 64) - 2, (1 << 64) - 1])
def test_an_offset_that_is_the_mark_of_a_linker(begin: int) -> None:
    assert ranged(b"\x04" + uleb(begin, begin) + b"\0") == ()


def test_a_range_up_to_the_last_address() -> None:
    data = address(0x1000) + uleb((1 << 64) - 0x1000)
    locations = b"\x08" + data + b"\x01" + X + END
    assert located(locations, load_address=0) == [(0x1000, 1 << 64, X)]
    assert ranged(b"\x07" + data + END) == (Range(0x1000, 1 << 64),)
