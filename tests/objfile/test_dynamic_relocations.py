"""Memory of a file as loaded: what relocations make of it, and what they make unknown."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.printable import name_text
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unavailable
from dwarfgpu.objfile.dynamic_relocations import DynamicRelocations, linker_slots
from dwarfgpu.objfile.dynamic_segment import dynamic_tags
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import PF_W, PT_LOAD
from dwarfgpu.objfile.needed_libraries import needed_libraries
from tests.dwarf.builder import AMDGPU, FIXTURES, X86_64, Content, elf, read_fixture
from tests.work import calls_of

BASE = 0x5555_5555_4000
AARCH64, I386 = 183, 3
PROGRAM, LIBRARY = "x86_64/pointers.gcc.O0.v5", "x86_64/pointers.clang.O0.v5.so"


def held(address: int, size_bytes: int) -> bytes:
    """Memory in which each word of 16 bytes is 0x10, 0, 0 …"""
    whole = (b"\x10" + bytes(15)) * 64
    return whole[address % 16 : address % 16 + size_bytes]


def made(
    entries: bytes, machine: int = X86_64, kind: int = 4, executable: bool = True,
    symbols: tuple[bytes, ...] = (), alloc: int = 2, limits: FileLimits = DEFAULT_FILE_LIMITS,
) -> ObjectFile:  # fmt: skip
    """A file with one table, whose symbol 1 is `outside` and 2, 3 … are given."""
    is_32 = machine == I386
    size = 16 if is_32 else 24
    outside = struct.pack("<I", 1).ljust(size, b"\0")
    return ObjectFile("made", elf(
        {
            ".dynsym": Content(bytes(size) + outside + b"".join(symbols), 11, 2, link=2),
            ".dynstr": Content(b"\0outside\0inside\0", 3, 2),
            ".rela.dyn": Content(entries, kind, alloc, link=1),
        },
        machine, bits=32 if is_32 else 64, type=2 if executable else 3,
    ), limits)  # fmt: skip


def symbol(info: int = 0x11, section: int = 1, other: int = 0, size_bytes: int = 4) -> bytes:
    return struct.pack("<IBBHQQ", 9, info, other, section, 0x3000, size_bytes)


def rela(number: int, addend: int = 0, index: int = 0, at: int = 0x1000) -> bytes:
    return struct.pack("<QQq", at, index << 32 | number, addend)


def rel(number: int, index: int = 0) -> bytes:
    return struct.pack("<II", 0x1000, index << 8 | number)


def loaded(file: ObjectFile, address: int = 0x1000, size_bytes: int = 8) -> int:
    return int.from_bytes(
        DynamicRelocations(file, BASE).applied(address, size_bytes, held), "little"
    )


@pytest.mark.parametrize(
    ("machine", "entry", "expected"),
    [
        (X86_64, rela(8, 0x4010), BASE + 0x4010),
        (X86_64, rela(38, -16), BASE - 16),
        (X86_64, rela(0, 5), 0x10),
        (X86_64, rela(1, 4, 2), BASE + 0x3004),
        (X86_64, rela(6, 4, 2), BASE + 0x3000),
        (X86_64, rela(10, 4, 2), 0x55557004),
        (AARCH64, rela(1027, 0x4010), BASE + 0x4010),
        (AARCH64, rela(257, 4, 2), BASE + 0x3004),
        (AARCH64, rela(1025, 0, 2), BASE + 0x3000),
        (AMDGPU, rela(13, 0x4010), BASE + 0x4010),
        (AMDGPU, rela(3, 4, 2), BASE + 0x3004),
        (AMDGPU, rela(1, 0, 2), 0x55557000),
        (AMDGPU, rela(2, 0, 2), 0x5555),
    ],
)
def test_what_the_file_and_its_place_tell(machine: int, entry: bytes, expected: int) -> None:
    assert loaded(made(entry, machine, symbols=(symbol(),))) == expected


def test_addends_in_the_memory() -> None:
    assert loaded(made(rel(8), I386, kind=9), size_bytes=4) == BASE + 0x10 & 0xFFFF_FFFF
    inside = struct.pack("<IIIBBH", 9, 0x3000, 4, 0x11, 0, 1)
    assert loaded(made(rel(1, 2), I386, 9, symbols=(inside,)), size_bytes=4) == 0x5555_7010
    assert loaded(made(rel(6, 2), I386, 9, symbols=(inside,)), size_bytes=4) == 0x5555_7000


ELSEWHERE = [
    (X86_64, 1, "R_X86_64_64"), (X86_64, 6, "R_X86_64_GLOB_DAT"), (X86_64, 7, "R_X86_64_JUMP_SLOT"),
    (X86_64, 16, "R_X86_64_DTPMOD64"), (X86_64, 17, "R_X86_64_DTPOFF64"),
    (X86_64, 18, "R_X86_64_TPOFF64"), (X86_64, 36, "R_X86_64_TLSDESC"),
    (X86_64, 37, "R_X86_64_IRELATIVE"), (AARCH64, 257, "R_AARCH64_ABS64"),
    (AARCH64, 1026, "R_AARCH64_JUMP_SLOT"), (AARCH64, 1030, "R_AARCH64_TLS_TPREL"),
    (AMDGPU, 3, "R_AMDGPU_ABS64"), (AMDGPU, 5, "R_AMDGPU_REL64"),
]  # fmt: skip


@pytest.mark.parametrize(("machine", "number", "name"), ELSEWHERE)
def test_what_others_set(machine: int, number: int, name: str) -> None:
    setter = "the loader" if machine == AMDGPU else "the dynamic linker"
    with pytest.raises(Unavailable, match=f"^{setter} sets it: {name} against outside$"):
        loaded(made(rela(number, 0, 1), machine))
    assert loaded(made(rela(number, 0, 1), machine), 0x1010) == 0x10


def test_a_type_without_a_name_is_not_ignored() -> None:
    with pytest.raises(Unavailable, match="relocation type 99 of X86_64"):
        loaded(made(rela(99)))


@pytest.mark.parametrize(
    ("info", "section", "other", "expected"),
    [
        (0x11, 1, 0, None),  # global
        (0x01, 1, 0, BASE + 0x3000),  # local
        (0x11, 1, 2, BASE + 0x3000),  # hidden
        (0x11, 1, 3, BASE + 0x3000),  # protected
        (0x01, 0xFFF1, 0, 0x3000),  # absolute
        (0x0A, 1, 0, None),  # a resolver
        (0x06, 1, 0, None),  # thread-local
    ],
)
def test_symbols_of_a_shared_library(
    info: int, section: int, other: int, expected: int | None
) -> None:
    file = made(rela(1, 0, 2), executable=False, symbols=(symbol(info, section, other),))
    if expected is not None:
        assert loaded(file) == expected
        return
    with pytest.raises(Unavailable, match="R_X86_64_64 against inside"):
        loaded(file)


def test_what_is_copied_from_another_file() -> None:
    file = made(rela(5, 0, 2), symbols=(symbol(size_bytes=0x20),))
    for address in (0x1000, 0x101F, 0xFFF):
        with pytest.raises(Unavailable, match="R_X86_64_COPY against inside"):
            loaded(file, address, 4)
    assert loaded(file, 0x1020, 4) == 0x10


@pytest.mark.parametrize(("first", "size_bytes"), [(0, 1), (3, 2), (7, 1), (7, 8), (-4, 6)])
def test_parts_of_a_field(first: int, size_bytes: int) -> None:
    file = made(rela(8, 0x4010))
    around = held(0x0FF0, 16) + (BASE + 0x4010).to_bytes(8, "little") + bytes(8) + held(0, 16)
    applied = DynamicRelocations(file, BASE).applied(0x1000 + first, size_bytes, held)
    assert applied == around[16 + first : 16 + first + size_bytes]


@pytest.mark.parametrize("endian", ["little", "big"])
def test_relative_relocations_as_bitmaps(endian: Endian) -> None:
    order = "<" if endian == "little" else ">"
    words = struct.pack(order + "QQQ", 0x1000, 1 | 1 << 2, 1 | 1 << 1)
    data = elf({".relr.dyn": Content(words, 19, 2)}, AARCH64, endian=endian)
    relocations = DynamicRelocations(ObjectFile("made", data), BASE)

    def zeros(address: int, size_bytes: int) -> bytes:
        return bytes(size_bytes)

    last = 0x1008 + 63 * 8  # the first word of the second bitmap
    for address in range(0x0FF8, last + 16, 8):
        value = int.from_bytes(relocations.applied(address, 8, zeros), endian)
        assert value == (BASE if address in (0x1000, 0x1010, last) else 0), hex(address)


def bits(*rows: tuple[int, int]) -> list[int]:
    """The addresses that words of a bitmap relocate, of runs of a first address and words."""
    return [first + 8 * number for first, count in rows for number in range(count)]


def test_relative_relocations_in_any_order() -> None:
    """As the runs of a table, which a linker writes in their order (generic ABI, SHT_RELR)."""
    ones = (1 << 64) - 1
    words = struct.pack("<6Q", 0x3000, ones, ones, 0x1000, 0x2000, 1 | 1 << 63)
    relocations = DynamicRelocations(made(words, kind=19), BASE)
    relocated = {*bits((0x3000, 127)), 0x1000, 0x2000, 0x2008 + 62 * 8}
    for address in (*range(0xFF0, 0x2210, 8), *range(0x2FF0, 0x3410, 8)):
        value = relocations.applied(address, 8, lambda _, size: bytes(size))
        assert (int.from_bytes(value, "little") == BASE) == (address in relocated), hex(address)


def test_bitmaps_are_not_unpacked() -> None:
    """63 relocations of a word are one piece of work."""
    words = struct.pack("<Q", 0x1000) + b"\xff" * 8 * 1000
    assert calls_of(lambda: loaded(made(words, kind=19), 0x2000)) < 5 * 1000


@pytest.mark.parametrize("kind", [4, 19])
def test_tables_in_parts(kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dwarfgpu.objfile.dynamic_relocations._PART_ENTRIES", 2)
    if kind == 4:
        table = b"".join(rela(8, 0x10, at=at) for at in (0x1010, 0x1000, 0x1018, 0x1008, 0x1020))
        expected = BASE + 0x10
    else:
        table, expected = struct.pack("<QQQQQ", 0x1000, 3, 1, 1, 3), BASE
    relocations = DynamicRelocations(made(table, kind=kind), BASE)
    relocated = {4: bits((0x1000, 5)), 19: [0x1000, 0x1008, 0x1008 + 3 * 63 * 8]}[kind]
    for address in range(0xFF8, 0x1700, 8):
        value = int.from_bytes(
            relocations.applied(address, 8, lambda _, size: bytes(size)), "little"
        )
        assert value == (expected if address in relocated else 0), hex(address)


@pytest.mark.parametrize(("kind", "entry"), [(4, rela(8)), (19, struct.pack("<Q", 0x1000))])
def test_too_many_relocations_are_not_ignored(kind: int, entry: bytes) -> None:
    """Memory has what they make of it: none is read without them."""
    file = made(entry * 3, kind=kind, limits=FileLimits(relocations=5))
    message = r"\.rela\.dyn of made has relocations that count as 6: more than 5 \(--max-reloc"
    for address in (0x1000, 0x5000):
        with pytest.raises(LimitExceeded, match=message):
            loaded(file, address)
    assert linker_slots(file) == {}


HOSTILE: list[tuple[str, Callable[[], ObjectFile], type[DwarfGpuError]]] = [
    ("bitmap first", lambda: made(struct.pack("<Q", 3), kind=19), Malformed),
    ("one bit, many times", lambda: made(struct.pack("<QQ", 0xFF8, 3) * 1000, kind=19), Malformed),
    ("no bits, many times", lambda: made(struct.pack("<QQ", 0xF00, 1) * 1000, kind=19), Malformed),
    ("one place, many times", lambda: made(rela(8) * 1000), Malformed),
    ("a symbol outside", lambda: made(rela(1, 0, 0xFFFFFF)), Malformed),
]  # fmt: skip


@pytest.mark.parametrize(("what", "make", "kind"), HOSTILE, ids=[row[0] for row in HOSTILE])
def test_hostile_tables(
    what: str, make: Callable[[], ObjectFile], kind: type[DwarfGpuError]
) -> None:
    with pytest.raises(kind):
        loaded(make())


def test_tables_that_are_one() -> None:
    data = bytearray(elf({f"{index}": Content(rela(8) * 9, 4, 2) for index in range(40)}))
    at = int.from_bytes(data[40:48], "little")
    for index in range(1, 41):
        data[at + 64 * index + 24 : at + 64 * index + 40] = struct.pack("<QQ", 16, at - index - 16)
    with pytest.raises(LimitExceeded, match="overlap"):
        loaded(ObjectFile("made", bytes(data)))


def test_relocations_that_are_not_loaded_are_not_applied() -> None:
    assert loaded(made(rela(8, 0x4010), alloc=0)) == 0x10


def without_sections(name: str) -> ObjectFile:
    data = bytearray(read_fixture(name))
    data[40:48], data[60:64] = bytes(8), bytes(4)
    return ObjectFile(name, bytes(data))


@pytest.mark.parametrize("is_stripped", [False, True], ids=["sections", "dynamic segment"])
@pytest.mark.parametrize(
    ("name", "address", "expected"),
    [
        (PROGRAM, 0x4018, BASE + 0x4000),
        (PROGRAM, 0x4020, BASE + 0x400C),
        (PROGRAM, 0x3EB8, BASE + 0x4060),  # of a symbol that the program defines
        (PROGRAM, 0x4030, "R_X86_64_64 against puts"),
        (LIBRARY, 0x2610, BASE),  # .relr.dyn
        (LIBRARY, 0x3768, BASE),
        (LIBRARY, 0x3750, "R_X86_64_64 against number, which another file may define too"),
        (LIBRARY, 0x3770, "R_X86_64_64 against puts"),
    ],
)
def test_files_that_linkers_made(
    name: str, address: int, expected: int | str, is_stripped: bool
) -> None:
    file = without_sections(name) if is_stripped else ObjectFile(name, read_fixture(name))
    relocations = DynamicRelocations(file, BASE)

    def zeros(address: int, size_bytes: int) -> bytes:
        return bytes(size_bytes)

    if isinstance(expected, int):
        assert int.from_bytes(relocations.applied(address, 8, zeros), "little") == expected
        return
    with pytest.raises(Unavailable) as caught:
        relocations.applied(address, 8, zeros)
    assert caught.value.message == f"the dynamic linker sets it: {expected}"


def test_memory_of_a_code_object() -> None:
    code = CodeObject.open(FIXTURES / PROGRAM, BASE)
    [segment] = [
        loaded_segment
        for loaded_segment in code.loaded_segments()
        if 0 <= BASE + 0x4018 - loaded_segment.address < loaded_segment.size_bytes
    ]
    at = BASE + 0x4018 - segment.address
    assert segment.read(at, 8) == (BASE + 0x4000).to_bytes(8, "little")


def test_zeros_of_a_segment_behind_the_end_of_the_file(tmp_path: Path) -> None:
    """A large array in .bss lies behind everything that the file has."""
    data = bytearray(read_fixture(PROGRAM))
    first, count = struct.unpack_from("<Q", data, 0x20)[0], struct.unpack_from("<H", data, 0x38)[0]
    writable = [
        at
        for at in range(first, first + 56 * count, 56)
        if struct.unpack_from("<II", data, at) == (PT_LOAD, 4 | PF_W)
    ]
    struct.pack_into("<Q", data, writable[0] + 40, 1 << 24)  # p_memsz
    path = tmp_path / "made"
    path.write_bytes(data)
    segment = next(
        segment
        for segment in CodeObject.open(path).loaded_segments()
        if segment.size_bytes == 1 << 24
    )
    assert len(data) < 1 << 23
    assert segment.read(1 << 23, 8) == bytes(8)


def test_zeros_of_a_segment_hide_no_bytes_of_another_one(tmp_path: Path) -> None:
    """A damaged p_memsz reaches into the next segment."""
    data = bytearray(read_fixture(PROGRAM))
    first = int.from_bytes(data[0x20:0x28], "little")
    count = int.from_bytes(data[0x38:0x3A], "little")
    headers = range(first, first + 56 * count, 56)
    readable, code = (
        next(at for at in headers if struct.unpack_from("<II", data, at) == (PT_LOAD, flags))
        for flags in (4, 5)
    )
    address = int.from_bytes(data[code + 16 : code + 24], "little")
    struct.pack_into("<Q", data, readable + 40, address + 0x40)  # p_memsz
    path = tmp_path / "made"
    path.write_bytes(data)
    covering = [
        segment
        for segment in CodeObject.open(path).loaded_segments()
        if 0 <= address - segment.address < segment.size_bytes
    ]
    offset = int.from_bytes(data[code + 8 : code + 16], "little")
    assert [segment.read(address - segment.address, 16) for segment in covering] == [
        bytes(data[offset : offset + 16])
    ]


@pytest.mark.parametrize(
    ("machine", "number", "kind"),
    [
        (X86_64, 6, "address"), (X86_64, 16, "module"), (X86_64, 18, "displacement"),
        (X86_64, 36, "descriptor"), (I386, 6, "address"), (I386, 35, "module"),
        (I386, 14, "displacement"), (I386, 37, "negative"), (I386, 41, "descriptor"),
        (AARCH64, 1025, "address"), (AARCH64, 1028, "module"), (AARCH64, 1030, "displacement"),
        (AARCH64, 1031, "descriptor"), (X86_64, 1, None), (X86_64, 17, None), (I386, 36, None),
    ],
)  # fmt: skip
def test_words_for_the_name_of_a_variable(machine: int, number: int, kind: str | None) -> None:
    """The offset behind the number of a module is part of the same slot."""
    is_32 = machine == I386
    entry = rel(number, 1) if is_32 else rela(number, index=1)
    slots = linker_slots(made(entry, machine, 9 if is_32 else 4, executable=False))
    found = [(slot.kind, slot.address) for slot in slots.get("outside", ())]
    assert found == ([] if kind is None else [(kind, 0x1000)])


def test_many_words_for_one_name() -> None:
    """The work for a name does not grow with a table that names it often."""
    entries = b"".join(rela(18, index=1, at=0x1000 + 8 * number) for number in range(1000))
    slots = linker_slots(made(entries, executable=False))
    assert [slot.address for slot in slots["outside"][:2]] == [0x1000, 0x1008]
    assert len(slots["outside"]) < 100


@pytest.mark.parametrize(
    "name", [b"n" * 1024, b"n" * 1025, b"n" * 3000, b"n" * 20_000, b"a\1b", rb"a\x01b", b"\xff"]
)
def test_words_for_a_name_of_any_bytes(name: bytes) -> None:
    """A long name is not that of another variable with its beginning."""
    file = ObjectFile("made", elf({
        ".dynsym": Content(bytes(24) + struct.pack("<I", 1).ljust(24, b"\0"), 11, 2, link=2),
        ".dynstr": Content(b"\0" + name + b"\0", 3, 2),
        ".rela.dyn": Content(rela(6, index=1), 4, 2, link=1),
    }, X86_64, bits=64, type=3))  # fmt: skip
    assert list(linker_slots(file)) == [name_text(name)]


def test_names_that_use_the_same_bytes() -> None:
    """Their characters are more than those of the file."""
    count = 1000
    symbols = b"".join(struct.pack("<I", 1 + index).ljust(24, b"\0") for index in range(count))
    entries = b"".join(rela(6, index=1 + index) for index in range(count))
    file = ObjectFile("made", elf({
        ".dynsym": Content(bytes(24) + symbols, 11, 2, link=2),
        ".dynstr": Content(b"\0" + b"n" * 2000 + b"\0", 3, 2),
        ".rela.dyn": Content(entries, 4, 2, link=1),
    }, X86_64, bits=64, type=3))  # fmt: skip
    assert linker_slots(file) == {}


def test_a_dynamic_segment_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with DT_NULL, and what follows is not read."""
    tags = struct.pack("<QQQQ", 5, 0x123, 5, 0x456)
    header = struct.pack("<IIQQQQQQ", 2, 4, 0x1000, 0x1000, 0, 1 << 24, 1 << 24, 8)
    start = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, X86_64, 1, 0, 64, 0, 0, 64, 56, 1, 64, 0, 0
    )
    data = (start + header).ljust(0x1000, b"\0") + tags + bytes(1 << 24)
    file, read = ObjectFile("made", data), []
    whole = ObjectFile.file_bytes

    def counted(self: ObjectFile, offset: int, size_bytes: int, what: str) -> bytes:
        read.append(size_bytes)
        return whole(self, offset, size_bytes, what)

    monkeypatch.setattr(ObjectFile, "file_bytes", counted)
    assert dynamic_tags(file) == {5: 0x123}
    assert needed_libraries(file) == ()
    assert sum(read) < 1 << 16
