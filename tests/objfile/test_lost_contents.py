"""Notes and kernel descriptors that were overwritten, and where commands say so."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import readable_notes
from dwarfgpu.objfile.gpu_code import read_gpu_code
from dwarfgpu.objfile.metadata import Argument, argument_fault
from tests.check.made import findings, verdict_on
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES, read_fixture
from tests.objfile.test_lost_symbols import CORE, NEST, PATTERNS, overwritten

ENTRY = (
    "there is no code at 0x580, the entry of kernel nest by its descriptor at 0x580, which may be "
    "damaged"
)


def faults(data: bytes) -> list[str]:
    found = [found for found in findings(verdict_on(data)) if found.rule == "lost-section"]
    return [finding.message for finding in found]


def test_a_descriptor_that_leads_to_itself(tmp_path: Path) -> None:
    """kernel_code_entry_byte_offset is one of the fields that are 0."""
    data = overwritten(NEST, ".rodata", bytes, 0, 32)
    assert faults(data) == [f"made.co: {ENTRY}"]
    (path := tmp_path / "f.co").write_bytes(data)
    done = run("info", path)
    assert f"problem: Malformed: {path}: {ENTRY}" in done.out and done.status == 1
    assert f"note: Malformed: {path}: {ENTRY}" in run("disas", path).err


DISPATCH = (
    *("nest", "--grid", 64, "--workgroup", 64),
    *("--arg", "in=range:64", "--arg", "out=zeros:4096", "--arg", "limit=10"),
)


def changed(there: bytes, written: bytes) -> bytes:
    """The code object with other bytes in place of some."""
    data = read_fixture(NEST)
    assert there in data
    return data.replace(there, written, 1)


@pytest.mark.parametrize(
    ("offset", "reason", "is_refused"),
    [
        (0x1084, "entries are multiples of 256, and the function nest is at 0x1600", True),
        (0x1081, "entries are multiples of 256, and the function nest is at 0x1600", True),
        (0x1180, "the function nest is at 0x1600", False),
    ],
)
def test_an_entry_that_is_no_kernel(
    offset: int, reason: str, is_refused: bool, tmp_path: Path
) -> None:
    data = overwritten(NEST, ".rodata", lambda size: offset.to_bytes(size, "little"), 16, 24)
    entry = 0x580 + offset
    fault = (
        f"kernel nest begins at {entry:#x} by its descriptor at 0x580, which may be damaged: "
        f"{reason}"
    )
    assert faults(data) == [f"made.co: {fault}"]
    (path := tmp_path / "f.co").write_bytes(data)
    assert f"problem: Malformed: {path}: {fault}" in run("info", path).out
    done = run("dispatch", path, *DISPATCH)
    refused = f"kernel nest cannot begin at {entry:#x} of its file"
    assert (done.status != 0, refused in done.err) == (is_refused, is_refused)
    assert is_refused or f"note: Malformed: {path}: {fault}" in done.err


@pytest.mark.parametrize(
    ("there", "written", "fault"),
    [
        (
            b"\xb8.max_flat_workgroup_size",
            b"\xb8.max_flat_work\0\0\0\0p_size",
            "kernel nest of the metadata has no .max_flat_workgroup_size, but unknown keys: "
            r"'.max_flat_work\x00\x00\x00\x00p_size'",
        ),
        (
            b"\xa7.offset",
            b"\xa7.offsey",
            "argument 0 of kernel nest of the metadata has no .offset, but unknown keys: '.offsey'",
        ),
        (
            b"\xaeamdhsa.version",
            b"\xaeamdhsa.versioo",
            "the metadata has no amdhsa.version, but unknown keys: 'amdhsa.versioo'",
        ),
        (
            b"amdhsa--gfx942",
            b"amdhsa--gfx950",
            "the metadata are for 'amdgcn-amd-amdhsa--gfx950', the code object is for gfx942",
        ),
        (
            b"amdhsa--gfx942",
            b"amdhsa--\0\0\0942",
            r"the metadata are for 'amdgcn-amd-amdhsa--\x00\x00\x00942', the code object is for "
            "gfx942",
        ),
    ],
)
def test_metadata_that_were_overwritten(
    there: bytes, written: bytes, fault: str, tmp_path: Path
) -> None:
    data = changed(there, written)
    assert faults(data) == [f"made.co: {fault}"]
    (path := tmp_path / "f.co").write_bytes(data)
    assert f": {path}: {fault}" in run("info", path).out
    assert f": {path}: {fault}" in run("dispatch", path, *DISPATCH).err


@pytest.mark.parametrize(
    ("there", "written", "fault"),
    [
        (
            b".offset\x10",
            b".offset\x0c",
            "global_buffer has 8 bytes at 8, and by_value has 4 bytes at 12",
        ),
        (b".offset\0\xa5.size\x08", b".offset\0\xa5.size\0", "global_buffer has 0 bytes at 0"),
    ],
)
def test_arguments_that_contradict_one_another(
    there: bytes, written: bytes, fault: str, tmp_path: Path
) -> None:
    data = changed(there, written)
    says = f"the metadata of kernel nest contradict themselves: {fault}"
    assert faults(data) == [f"made.co: {says}"]
    (path := tmp_path / "f.co").write_bytes(data)
    done = run("info", path)
    assert f"problem: Malformed: {path}: {says}" in done.out and done.status == 1
    done = run("dispatch", path, *DISPATCH)
    assert done.error == f"Malformed: the metadata contradict themselves: {fault}"


def test_an_argument_that_is_an_empty_structure() -> None:
    """Clang passes one of OpenCL C as a value of 0 bytes."""
    places = ((0, 0, "by_value"), (0, 8, "global_buffer"), (8, 0, "by_value"), (8, 4, "by_value"))
    arguments = [Argument(kind, size_bytes, offset) for offset, size_bytes, kind in places]
    assert argument_fault(arguments) is None


def test_notes_of_a_code_object(tmp_path: Path) -> None:
    data = overwritten(NEST, ".note", bytes)
    fault = ".note begins with zeros: notes are lost"
    assert faults(data) == [f"made.co: {fault}"]
    (path := tmp_path / "f.co").write_bytes(data)
    done = run("info", path)
    assert f"problem: Malformed: {path}: {fault}" in done.out and done.status == 1
    done = run("run", path, *DISPATCH)
    assert fault in done.err


def test_the_program_header_of_notes_that_a_tool_removed(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    path = tmp_path / "removed"
    kept = ("--only-section", ".debug_info", "--only-section", ".debug_abbrev")
    command = [tool("llvm-objcopy-19"), *kept, FIXTURES / "x86_64/demo.gcc.O0.v5", path]
    subprocess.run(command, check=True, timeout=60)
    assert not faults(path.read_bytes())


def test_the_note_of_a_build_id(tmp_path: Path) -> None:
    data = overwritten(CORE, ".note.gnu.build-id", bytes)
    fault = ".note.gnu.build-id begins with zeros: notes are lost"
    assert faults(data) == [f"made.co: {fault}"]
    (path := tmp_path / "crash").write_bytes(data)
    assert f"problem: Malformed: {path}: {fault}" in run("info", path).out
    done = run("bt", "--core", FIXTURES / f"{CORE}.core", "--file", path)
    assert f"it has no build ID (Malformed: {path}: {fault})" in done.err


def test_notes_and_descriptors_of_producers_are_sound() -> None:
    for pattern in PATTERNS:
        for path in sorted(FIXTURES.glob(pattern)):
            data = path.read_bytes()
            if data[:4] != b"\x7fELF":
                continue
            file = ObjectFile(str(path), data)
            assert readable_notes(file)[1] is None
            assert file.machine != "AMDGPU" or not read_gpu_code(file).problems
