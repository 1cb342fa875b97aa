"""The memory of a core file, and what was loaded: never zeros, never another file's bytes."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import DwarfGpuError, Malformed, Unavailable, UsageError
from dwarfgpu.machine.core import notes
from dwarfgpu.machine.core.load import Core, load_core
from dwarfgpu.model.storage import Memory
from tests.dwarf.builder import FIXTURES
from tests.machine.cores import AMDGPU, Load, auxiliary, core, mapped_files, note, status

ARCH = architecture("x86_64")
DEFAULT = Memory(ARCH.address_space(0))
STACK, BASE = 0x7FFF_0000_0000, 0x5555_0000_0000
PAGE = 4096


def thread(lwp: int = 7, stack: int = STACK) -> bytes:
    """A thread whose rsp is the 20th register, and whose others are their indices."""
    registers = [index + 1 for index in range(27)]
    registers[19] = stack
    return status(lwp, b"".join(struct.pack("<Q", register) for register in registers))


def library(build_id: bytes | None = b"\x12\x34", filler: bytes = b"L") -> bytes:
    """An ELF file of two pages at 0x1000 and 0x2000, with a build ID in the first."""
    data = b"" if build_id is None else note("GNU", 3, build_id)
    rows = [
        (1, 4, 0, 0x1000, 0, PAGE, PAGE, PAGE),
        (1, 6, PAGE, 0x2000, 0, PAGE, PAGE, PAGE),
        (4, 4, 0x200, 0x1200, 0, len(data), len(data), 4),
    ]
    ident = b"\x7fELF\2\1\1" + bytes(9)
    fields = (3, 62, 1, 0x1010, 64, 0, 0, 64, 56, len(rows), 0, 0, 0)
    head = ident + struct.pack("<HHIQQQIHHHHHH", *fields)
    table = b"".join(struct.pack("<IIQQQQQQ", *row) for row in rows)
    page = (head + table).ljust(0x200, b"\0") + data
    return page.ljust(PAGE, b"1") + filler * PAGE


@pytest.fixture
def lib(tmp_path: Path) -> Path:
    path = tmp_path / "lib.so"
    path.write_bytes(library())
    return path


def written(tmp_path: Path, *notes: bytes, loads: tuple[Load, ...] = (), machine: int = 62) -> Path:
    path = tmp_path / "core"
    stack = () if any(load.address == STACK for load in loads) else (Load(STACK, b"stack"),)
    path.write_bytes(core(notes, (*loads, *stack), machine))
    return path


def mapped(lib: Path | str) -> bytes:
    return mapped_files(
        (BASE, BASE + PAGE, 0, str(lib)), (BASE + PAGE, BASE + 2 * PAGE, 1, str(lib))
    )


def loads(page: bytes | None = None, second: bytes = b"") -> tuple[Load, ...]:
    first = library()[:PAGE] if page is None else page
    return Load(BASE, first, PAGE, 4), Load(BASE + PAGE, second, PAGE, 5)


def read(core: Core, address: int, size_bytes: int) -> bytes:
    return core.target.read_memory(DEFAULT, address, size_bytes)


def why(core: Core, address: int) -> str:
    with pytest.raises(Unavailable) as raised:
        read(core, address, 1)
    return raised.value.message.removeprefix(f"cannot access memory at address {address:#x}: ")


def test_what_is_left_out_is_read_from_the_file_with_the_build_id(
    tmp_path: Path, lib: Path
) -> None:
    result = load_core(written(tmp_path, thread(), mapped(lib), loads=loads()))
    assert read(result, BASE + PAGE - 2, 4) == b"11LL"
    [loaded] = result.files
    assert (loaded.load_address, loaded.is_program) == (BASE - 0x1000, False)
    assert result.notes == ("the core file does not say where the program is: give it with --file",)


def test_what_the_core_holds_wins_over_the_file(tmp_path: Path, lib: Path) -> None:
    result = load_core(written(tmp_path, thread(), mapped(lib), loads=loads(second=b"core")))
    assert read(result, BASE + PAGE, 6) == b"coreLL"


HEADER, SECOND = loads()
PART = "the core file leaves it out, but not all of its segment: it may have been modified"
DAMAGED = "the program header of its segment is damaged: "


@pytest.mark.parametrize(
    ("second", "known"),
    [
        (Load(BASE + PAGE, b"core", PAGE, 6), PART),
        (Load(BASE + PAGE, b"core", PAGE, 4), PART),  # read-only after relocation
        (Load(BASE + PAGE, b"core", PAGE, 5), b"LL"),  # code is not modified
        (Load(BASE + PAGE, b"\x7fELF", PAGE, 6), b"LL"),  # as Linux dumps a file's first page
        (Load(BASE + PAGE, b"", PAGE, 6), b"LL"),  # not modified
        (Load(BASE + PAGE, b"core!!", 4, 6), DAMAGED + "it has 6 bytes of 4"),
        (Load(0, b"core", PAGE, 6), "the core file has no segment of it, but of everything that "
         "is only read"),
    ],
)  # fmt: skip
def test_a_segment_that_no_program_writes_is_no_reason_to_read_the_file(
    tmp_path: Path, lib: Path, second: Load, known: bytes | str
) -> None:
    """What is not in the core is that of the file only if it was not modified."""
    result = load_core(written(tmp_path, thread(), mapped(lib), loads=(HEADER, second)))
    if isinstance(known, str):
        assert why(result, BASE + PAGE + 4) == known
    else:
        assert read(result, BASE + PAGE + 4, 2) == known


def test_a_core_without_segments_of_what_is_only_read_is_complete(
    tmp_path: Path, lib: Path
) -> None:
    """As GDB's gcore writes them."""
    result = load_core(written(tmp_path, thread(), mapped(lib)))
    assert [loaded.path for loaded in result.files] == []  # it cannot be checked
    head = Load(BASE, HEADER.data, PAGE, 4)
    third = mapped_files(
        (BASE, BASE + PAGE, 0, str(lib)),
        (BASE + PAGE, BASE + 2 * PAGE, 1, str(lib)),
        (BASE + 9 * PAGE, BASE + 10 * PAGE, 0, str(lib)),
    )
    result = load_core(written(tmp_path, thread(), third, loads=(head,)))
    assert read(result, BASE + PAGE, 2) == b"LL"


def test_a_segment_of_the_headers_is_damaged(tmp_path: Path, lib: Path) -> None:
    path = written(tmp_path, thread(), mapped(lib), loads=loads(second=b"core"))
    data = bytearray(path.read_bytes())
    struct.pack_into("<Q", data, 64 + 2 * 56 + 8, 0)  # p_offset
    path.write_bytes(data)
    assert why(load_core(path), BASE + PAGE) == DAMAGED + "its bytes are those of the ELF header"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (library(b"\x99"), "it has build ID 99, what was mapped has build ID 1234"),
        (library(None), "it has no build ID, what was mapped has build ID 1234"),
        (b"text", "{} is not an ELF file"),
        (None, "{} cannot be read: No such file or directory"),
    ],
)
def test_another_file_is_not_taken(
    tmp_path: Path, lib: Path, data: bytes | None, reason: str
) -> None:
    lib.unlink()
    if data is not None:
        lib.write_bytes(data)
    result = load_core(written(tmp_path, thread(), mapped(lib), loads=loads()))
    text = f"{lib} is not used: {reason.format(lib)}"
    assert not result.files
    assert result.notes[0] == text
    assert why(result, BASE + PAGE) == f"the core file leaves it out, and {text}"
    assert read(result, BASE + PAGE - 2, 2) == b"11"


@pytest.mark.parametrize(("same", "is_used"), [(True, True), (False, False)])
def test_without_build_ids_the_first_page_must_be_the_same(
    tmp_path: Path, lib: Path, same: bool, is_used: bool
) -> None:
    lib.write_bytes(library(None))
    page = library(None)[: PAGE - 1] + (b"1" if same else b"2")
    result = load_core(written(tmp_path, thread(), mapped(lib), loads=loads(page)))
    assert bool(result.files) == is_used


@pytest.mark.parametrize("flags", [(), ("-m32",), ("-static", "-nostdlib", "-Wl,-n")])
def test_a_stripped_program_is_that_with_debug_information(
    tmp_path: Path, tool: Callable[[str], str], flags: tuple[str, ...]
) -> None:
    """Without a build ID, in each ELF class, and where a page has all of the program."""
    source, full, stripped = (tmp_path / name for name in ("a.c", "full", "stripped"))
    source.write_text("int x = 1;\nint main(void) { return x; }\nvoid _start(void) { main(); }\n")
    command = [tool("gcc"), "-g", "-nostartfiles", "-Wl,--build-id=none", *flags]
    done = subprocess.run([*command, str(source), "-o", full], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("gcc cannot build it")
    subprocess.run([tool("strip"), full, "-o", stripped], check=True)
    page = stripped.read_bytes()[:PAGE].ljust(PAGE, b"\0")
    other = bytearray(full.read_bytes())
    other[0x18] ^= 1  # e_entry
    for content, is_used in ((full.read_bytes(), True), (bytes(other), False)):
        full.write_bytes(content)
        result = load_core(written(tmp_path, thread(), mapped(full), loads=loads(page)))
        assert bool(result.files) == is_used
        # What ran may have been another program with this first page.
        taken = f"{full} is taken for what ran before its sections changed, as by strip"
        assert sum(note.startswith(taken) for note in result.notes) == is_used


def test_a_program_that_was_built_again_is_not_the_stripped_one(tmp_path: Path, lib: Path) -> None:
    """It has as many sections, at another offset."""
    content = bytearray(library(None))
    page = bytes(content[:PAGE])
    for at, is_used in ((None, True), (0x28, False)):
        if at is not None:
            content[at] ^= 0x10  # e_shoff
        lib.write_bytes(content)
        result = load_core(written(tmp_path, thread(), mapped(lib), loads=loads(page)))
        assert bool(result.files) == is_used


def test_a_file_that_cannot_be_checked_is_not_taken(tmp_path: Path, lib: Path) -> None:
    result = load_core(written(tmp_path, thread(), mapped(lib), loads=loads(b"")))
    assert not result.files
    assert "does not hold its first page" in why(result, BASE)
    assert any("does not hold its first page" in note for note in result.notes)


def test_a_file_of_data_is_not_taken_and_not_complained_about(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_bytes(bytes(2 * PAGE))
    result = load_core(written(tmp_path, thread(), mapped(data), loads=loads(bytes(PAGE))))
    reason = f"the core file leaves it out, and it is of {data}, which has no build ID"
    assert why(result, BASE + PAGE) == reason
    assert len(result.notes) == 1  # of the program


def test_a_file_in_place_of_a_deleted_one_is_taken_where_it_matches(
    tmp_path: Path, lib: Path
) -> None:
    result = load_core(written(tmp_path, thread(), mapped(f"{lib} (deleted)"), loads=loads()))
    assert read(result, BASE + PAGE, 2) == b"LL"


def test_the_part_behind_the_last_page_of_a_file_is_not_zeros(tmp_path: Path, lib: Path) -> None:
    lib.write_bytes(library()[: PAGE + 10])
    parts = mapped_files((BASE, BASE + 3 * PAGE, 0, str(lib)))
    memory = (Load(BASE, library()[:PAGE], 3 * PAGE, 5),)
    result = load_core(written(tmp_path, thread(), parts, loads=memory))
    assert read(result, BASE + PAGE + 9, 2) == b"L\0"  # the rest of a page is zeros
    assert why(result, BASE + 2 * PAGE) == f"it is after the end of {lib}"


def test_where_no_stack_is_held_files_may_have_been_changed_in_memory(
    tmp_path: Path, lib: Path
) -> None:
    notes = (thread(stack=0x1234), mapped(lib))
    result = load_core(written(tmp_path, *notes, loads=loads()))
    assert why(result, BASE + PAGE) == "the core file leaves it out"
    assert any("no stack" in note for note in result.notes)


OVERFLOWED = {
    "in the guard page, which is a segment": (STACK - 8, Load(STACK - PAGE, b"", PAGE, 0), True),
    "below all segments": (STACK - 3 * PAGE, None, True),
    "in memory that is left out": (STACK - 8, Load(STACK - PAGE, b"", PAGE, 6), False),
}


@pytest.mark.parametrize(("pointer", "below", "is_held"), OVERFLOWED.values(), ids=OVERFLOWED)
def test_the_stack_of_an_overflow_is_above_its_pointer(
    tmp_path: Path, lib: Path, pointer: int, below: Load | None, is_held: bool
) -> None:
    stack = Load(STACK, bytes(PAGE), PAGE, 6)
    memory = [*loads(), *([] if below is None else [below]), stack]
    result = load_core(written(tmp_path, thread(stack=pointer), mapped(lib), loads=memory))
    assert any("no stack" in note for note in result.notes) is not is_held
    if is_held:
        assert read(result, BASE + PAGE, 2) == b"LL"
    else:
        assert why(result, BASE + PAGE) == "the core file leaves it out"


def test_a_core_that_is_cut_short_has_a_note(tmp_path: Path) -> None:
    path = written(tmp_path, thread(), loads=(Load(0x9000, b"12345678"),))
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"12345678") + 4])
    result = load_core(path)
    assert read(result, 0x9000, 4) == b"1234"
    assert why(result, 0x9004) == f"{path} is cut short"


def test_the_program_is_what_has_the_entry(tmp_path: Path, lib: Path) -> None:
    entry = auxiliary(entry=BASE + 0x10)
    result = load_core(written(tmp_path, thread(), mapped(lib), entry, loads=loads()))
    [loaded] = result.files
    assert (loaded.is_program, result.notes) == (True, ())


def test_the_program_may_be_given(tmp_path: Path, lib: Path) -> None:
    copy = tmp_path / "copy"
    lib.rename(copy)
    path = written(tmp_path, thread(), mapped(lib), auxiliary(entry=BASE + 0x10), loads=loads())
    assert load_core(path, str(copy)).files[0].file.path == str(copy)
    copy.write_bytes(library(b"\x99"))
    with pytest.raises(UsageError, match="copy is not the program that ran: it has build ID 99"):
        load_core(path, str(copy))


def test_a_file_for_another_machine_is_not_taken(tmp_path: Path, lib: Path) -> None:
    """Its header is damaged: the build ID is the right one."""
    data = library()
    lib.write_bytes(data[:18] + b"\x3d" + data[19:])
    path = written(tmp_path, thread(), mapped(lib), auxiliary(entry=BASE + 0x10), loads=loads())
    result = load_core(path)
    assert not result.files
    assert result.notes[0] == (
        f"{lib} is not used: it is for machine 61, what was mapped is for X86_64"
    )
    assert len(result.notes) == 2 and result.notes[1].startswith("FILE names the program")
    assert why(result, BASE + PAGE).endswith(result.notes[0])
    expected = f"lib.so is not for the machine of {path}: it is for machine 61, little-endian, not "
    with pytest.raises(UsageError, match=expected):
        load_core(path, str(lib))
    nothing = written(tmp_path, thread(), mapped(lib), auxiliary(entry=BASE + 0x10))
    with pytest.raises(UsageError, match=expected):  # where nothing else can be checked
        load_core(nothing, str(lib))


def test_without_mapped_files_the_entry_point_locates_the_program(
    tmp_path: Path, lib: Path
) -> None:
    path = written(tmp_path, thread(), auxiliary(entry=0x7000_1010))
    result = load_core(path, str(lib))
    assert result.files[0].load_address == 0x7000_0000
    assert len(result.notes) == 1 and "is accepted unchecked" in result.notes[0]
    with pytest.raises(UsageError, match="does not say where"):
        load_core(written(tmp_path, thread()), str(lib))
    assert load_core(path, str(lib), load_address=0x9000).files[0].load_address == 0x9000


def test_a_program_whose_first_page_was_overwritten(tmp_path: Path, lib: Path) -> None:
    """It was taken for a file of data, and the program of the command line left out."""
    notes = thread(), mapped(lib), auxiliary(entry=BASE + 0x10)
    path = written(tmp_path, *notes, loads=loads(bytes(64) + library()[64:PAGE]))
    result = load_core(path, str(lib))
    assert [file.load_address for file in result.files] == [BASE - 0x1000]
    overwritten = "its first page in the core file is not that of an ELF file"
    assert result.notes == (f"{lib} is accepted unchecked: {overwritten}",)
    result = load_core(path)
    assert not result.files
    assert f"{lib} is not used: {overwritten}" in result.notes


def test_the_file_of_a_code_object_is_a_path_or_its_text() -> None:
    kernels = "kernels.gfx942.O0.v5.co"
    path = FIXTURES / "opencl" / kernels
    for file in (path, str(path)):
        named = {f"file:///opt/app/{kernels}": file}
        result = load_core(FIXTURES / "core/loop.gfx942.core.xz", code_objects=named)
        assert [each.file.path for each in result.files] == [str(path)] and not result.notes


def test_libraries_are_looked_for_in_the_sysroot(tmp_path: Path, lib: Path) -> None:
    path = written(tmp_path, thread(), mapped("/usr/lib/lib.so"), loads=loads())
    assert not load_core(path, sysroot=str(tmp_path / "none")).files
    for sysroot in (str(tmp_path), tmp_path):
        assert load_core(path, sysroot=sysroot).files[0].file.path == str(lib)
    inside = tmp_path / "root/usr/lib"
    inside.mkdir(parents=True)
    lib.rename(inside / "lib.so")
    result = load_core(path, sysroot=str(tmp_path / "root"))
    assert result.files[0].file.path == str(inside / "lib.so")


def test_one_file_mapped_twice_is_two(tmp_path: Path, lib: Path) -> None:
    other = BASE + 16 * PAGE
    parts = mapped_files(
        (BASE, BASE + PAGE, 0, str(lib)), (BASE + PAGE, BASE + 2 * PAGE, 1, str(lib)),
        (other, other + PAGE, 0, str(lib)), (other + PAGE, other + 2 * PAGE, 1, str(lib)),
    )  # fmt: skip
    memory = (*loads(), Load(other, library()[:PAGE], PAGE, 4), Load(other + PAGE, b"", PAGE, 5))
    result = load_core(written(tmp_path, thread(), parts, loads=memory))
    assert [file.load_address for file in result.files] == [BASE - 0x1000, other - 0x1000]


@pytest.mark.parametrize(
    ("start", "pages", "offset"),
    [(BASE + PAGE, 2, 2 * PAGE), (BASE + PAGE - 0x800, 1, PAGE)],
)
def test_a_part_at_an_offset_that_the_program_headers_contradict(
    tmp_path: Path, lib: Path, start: int, pages: int, offset: int
) -> None:
    """Other bytes of the file were shown as the memory of the process."""
    parts = mapped_files(
        (BASE, BASE + PAGE, 0, str(lib)), (start, BASE + 2 * PAGE, pages, str(lib))
    )
    entry = auxiliary(entry=BASE + 0x10)
    result = load_core(written(tmp_path, thread(), parts, entry, loads=loads()))
    reason = (
        f"it is not read at {offset:#x} of {lib}, as NT_FILE says: the program headers contradict"
    )
    assert any(text.startswith(f"memory from {start:#x} on: {reason}") for text in result.notes)
    assert reason in why(result, BASE + PAGE)


def test_a_page_that_a_process_mapped_to_read_it(tmp_path: Path, lib: Path) -> None:
    """Behind the beginning of the file, at another distance than the segments."""
    parts = mapped_files(
        (BASE, BASE + PAGE, 0, str(lib)), (BASE + PAGE, BASE + 2 * PAGE, 2, str(lib))
    )
    memory = (Load(BASE, library()[:PAGE], PAGE, 4), Load(BASE + PAGE, b"", PAGE, 4))
    result = load_core(written(tmp_path, thread(), parts, loads=memory))
    assert not any("contradict" in note for note in result.notes)


def test_the_vdso_is_read_from_memory(tmp_path: Path) -> None:
    path = written(tmp_path, thread(), auxiliary(sysinfo_ehdr=BASE), loads=(Load(BASE, library()),))
    [loaded] = load_core(path).files
    assert (loaded.name, loaded.load_address) == ("[vdso]", BASE - 0x1000)


@pytest.mark.parametrize(
    ("sections_at", "count", "names", "why"),
    [
        (1 << 40, 17, 0, "17 section headers do not fit into the file"),
        (64, 0xFF11, 0, "65297 section headers do not fit into the file"),
        (0, 4, 0, "the section headers are not found: e_shnum is 4, but e_shoff is 0"),
        (0x300, 4, 1, "section name table at "),
    ],
)
def test_a_vdso_with_a_damaged_table_of_sections(
    tmp_path: Path, sections_at: int, count: int, names: int, why: str
) -> None:
    """As a file that cannot be used: one note."""
    image = bytearray(library())
    struct.pack_into("<Q", image, 40, sections_at)
    struct.pack_into("<HHH", image, 58, 64, count, names)
    assert_unused_vdso(tmp_path, bytes(image), why)


def test_a_vdso_that_is_longer_than_what_is_read(tmp_path: Path) -> None:
    image = bytearray(library().ljust(2 << 20, b"\0"))
    struct.pack_into("<Q", image, 40, (2 << 20) - 64)
    struct.pack_into("<HHH", image, 58, 64, 1, 0)
    assert_unused_vdso(tmp_path, bytes(image), "1 section headers do not fit into the file")


def assert_unused_vdso(tmp_path: Path, image: bytes, why: str) -> None:
    loads = (Load(BASE, image),)
    loaded = load_core(written(tmp_path, thread(), auxiliary(sysinfo_ehdr=BASE), loads=loads))
    assert not loaded.files
    prefix = f"the vDSO at {BASE:#x} cannot be read: [vdso]: {why}"
    assert [note for note in loaded.notes if "vDSO" in note and note.startswith(prefix)]


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (core([note("AMDGPU", 33, b"")], machine=AMDGPU), Malformed, "8 bytes needed"),
        (core([]), Malformed, "has no threads"),
        (core([note("CORE", 1, b"")]), Malformed, "NT_PRSTATUS has 0 bytes, not 336"),
    ],
)
def test_what_cannot_be_loaded(
    tmp_path: Path, data: bytes, error: type[DwarfGpuError], message: str
) -> None:
    path = tmp_path / "core"
    path.write_bytes(data)
    with pytest.raises(error, match=message):
        load_core(path)


def test_a_register_that_is_given_goes_over_the_core(tmp_path: Path) -> None:
    result = load_core(written(tmp_path, thread()))
    rbx = ARCH.register_named("rbx")
    assert rbx is not None
    assert result.target.read_register(1, rbx) == (6).to_bytes(8, "little")
    result.target.overrides.set_register(1, rbx, bytes(8))
    assert result.target.read_register(1, rbx) == bytes(8)


def test_addresses_that_no_machine_has_cost_nothing(tmp_path: Path) -> None:
    beyond = (1 << 64) - 4
    path = written(tmp_path, thread(), loads=(Load(beyond, b"12345678"),))
    memory = load_core(path).target.memory
    assert memory.known(beyond, 1 << 40) == [(0, b"12345678")]


def test_a_very_long_auxiliary_vector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether its entries have one number or many."""
    monkeypatch.setattr(notes, "MAX_AUXILIARY", 10)
    for count, problems in ((10, 0), (11, 1)):
        vector = struct.pack("<QQ", 9, BASE) * count
        dump = load_core(written(tmp_path, thread(), note("CORE", notes.NT_AUXV, vector))).dump
        assert [str(problem) for problem in dump.problems] == [
            f"{dump.file.path}: the auxiliary vector has more than 10 entries"
        ] * problems


def test_very_many_unreadable_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What several have is said once."""
    monkeypatch.setattr(notes, "MAX_PROBLEMS", 3)
    damaged = [note("CORE", 1, bytes(size)) for size in (0, 4, 0, 8, 4, 12, 16)]
    dump = load_core(written(tmp_path, thread(), *damaged)).dump
    assert [problem.message for problem in dump.problems] == [
        *(f"NT_PRSTATUS has {size} bytes, not 336" for size in (0, 4, 8)),
        "2 other problems of its notes are not listed",
    ]
