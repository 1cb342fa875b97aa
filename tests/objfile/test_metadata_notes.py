"""Metadata in several notes, as a linker leaves those of several objects."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.errors import IllFormed, LimitExceeded, Malformed
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.elf_notes import Note
from dwarfgpu.objfile.gpu_code import read_gpu_code
from dwarfgpu.objfile.metadata_notes import JoinedMetadata, joined_metadata
from tests.cli.command import run as command
from tests.dwarf.builder import read_fixture
from tests.objfile.build import run
from tests.objfile.test_gpu_code import V2_METADATA, v2

Tool = Callable[[str], str]
TARGET = "amdgcn-amd-amdhsa--gfx942"


def _packed(value: object) -> bytes:
    """MessagePack of maps, arrays, short texts and small numbers."""
    if isinstance(value, dict):
        items = b"".join(_packed(key) + _packed(item) for key, item in value.items())
        return bytes([0x80 + len(value)]) + items
    if isinstance(value, list):
        return bytes([0x90 + len(value)]) + b"".join(map(_packed, value))
    if isinstance(value, str):
        return bytes([0xD9, len(value)]) + value.encode()
    assert isinstance(value, int)
    return bytes([value])


def _note(
    *names: str, minor: int = 2, target: str = TARGET, printf: Sequence[str] = (), vgprs: int = 8
) -> Note:
    kernels = [{".name": name, ".symbol": f"{name}.kd", ".vgpr_count": vgprs} for name in names]
    top = {"amdhsa.version": [1, minor], "amdhsa.target": target, "amdhsa.kernels": kernels}
    if printf:
        top["amdhsa.printf"] = list(printf)
    return Note("AMDGPU", 32, _packed(top))


def _joined(*notes: Note, most: int = 1_000_000) -> tuple[JoinedMetadata, list[str], list[str]]:
    """The metadata, the names of its kernels, and what is wrong."""
    joined = joined_metadata(notes, FileLimits(metadata_values=most), "t.co")
    kernels = () if joined.metadata is None else joined.metadata.kernels
    return joined, [kernel.name for kernel in kernels], list(map(str, joined.problems))


def test_kernels_of_all_notes() -> None:
    """The kernel of a template is in each object that uses it; triples name the system in several
    ways."""
    other = _note("b", "c", target="amdgpu9.42-amd-amdhsa-unknown-gfx942", printf=["2:1:4:%d"])
    joined, names, problems = _joined(
        _note("a", "b", printf=["1:0:hi"]), Note("GNU", 3, b""), other
    )
    assert (names, problems, joined.unread, dict(joined.left_out)) == (
        ["a", "b", "c"],
        [],
        None,
        {},
    )
    assert joined.metadata is not None
    assert (joined.metadata.version, joined.metadata.target) == ((1, 2), TARGET)
    assert joined.metadata.printf == ("1:0:hi", "2:1:4:%d")


def test_a_note_of_v2() -> None:
    """Each is a document of its own."""
    second = V2_METADATA.replace("vectorAdd", "other")
    notes = [Note("AMD", 10, text.encode()) for text in (V2_METADATA, second)]
    notes = [Note(note.owner, 10, note.content.replace(b"      - { }\n", b"")) for note in notes]
    assert _joined(*notes)[1:] == (["vectorAdd", "other"], [])
    _, names, problems = _joined(notes[0], _note("b"))
    assert names == ["vectorAdd"]
    assert problems == ["t.co: metadata, note 2: of type 32 of AMDGPU, not 10 of AMD"]
    assert read_gpu_code(ObjectFile("v2.co", v2())).problems == ()


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (_note("b", minor=1), "version 1.1, not 1.2 as before"),
        (
            _note("b", target="amdgcn-amd-amdhsa--gfx90a"),
            f"for 'amdgcn-amd-amdhsa--gfx90a', not '{TARGET}' as before",
        ),
    ],
)
def test_notes_that_are_not_joined(other: Note, reason: str) -> None:
    joined, names, problems = _joined(_note("a"), other)
    assert (names, problems) == (["a"], [f"t.co: metadata, note 2: {reason}"])
    assert joined.left_out == {"b.kd": joined.problems[0]}
    assert isinstance(joined.problems[0], IllFormed)
    assert _joined(_note("a"), other, other, other)[2] == [
        f"t.co: metadata, note 2 and 2 more: {reason}"
    ]


def test_a_broken_note() -> None:
    """Any kernel may be in it; the others stay."""
    broken = Note("AMDGPU", 32, b"\xc1")
    what = "the byte 0xc1 at offset 0x0 begins no value"
    for notes in ((_note("a"), broken, _note("b")), (broken, _note("a"), _note("b"), broken)):
        joined, names, problems = _joined(*notes)
        where = "note 2" if notes[0] is not broken else "note 1 and 1 more"
        assert (names, problems) == (["a", "b"], [f"t.co: metadata, {where}: {what}"])
        assert isinstance(joined.unread, Malformed)
    assert _joined(broken)[1:] == ([], [f"t.co: metadata: {what}"])


def test_a_kernel_in_several_notes() -> None:
    joined, names, problems = _joined(_note("a", "b"), _note("a", vgprs=9), _note("a", "c"))
    assert names == ["b", "c"]
    assert problems == ["t.co: the metadata have 3 kernels a.kd, which differ"]
    assert joined.left_out == {"a.kd": joined.problems[0]}
    assert _joined(_note("a", "a"))[1:] == (["a", "a"], ["t.co: the metadata have 2 kernels a.kd"])


@pytest.mark.parametrize("counts", [(8, 8, 9), (8, 9, 8), (8, 9, 9)])
def test_kernels_that_differ_are_counted_in_any_order(counts: tuple[int, ...]) -> None:
    problems = _joined(*(_note("a", vgprs=count) for count in counts))[2]
    assert problems == ["t.co: the metadata have 3 kernels a.kd, which differ"]


def test_printf_records_of_one_number() -> None:
    notes = [_note("a", printf=["1:0:hi"]), _note("b", printf=["1:0:hi"]), _note("c")]
    assert _joined(*notes)[1:] == (["a", "b", "c"], [])
    _, names, problems = _joined(notes[0], _note("b", printf=["1:1:4:%d"]))
    assert (names, problems) == (["a", "b"], ["t.co: the metadata have 2 printf records 1"])


def test_the_limit_is_one_for_all_notes() -> None:
    notes = [_note(f"k{number}", f"k{number + 1}") for number in range(0, 20, 2)]
    joined, names, problems = _joined(*notes, most=64)
    assert names == ["k0", "k1", "k2", "k3"]
    assert isinstance(joined.unread, LimitExceeded)
    [problem] = problems
    assert problem.startswith("t.co: metadata, note 3 and 7 more: metadata has more than 64 values")
    texts = [Note("AMDGPU", 32, _packed(dict.fromkeys(("x" * 250, "z"), "y" * 250)))] * 10
    [problem] = _joined(*texts, most=64)[2]
    assert "note 3 and 7 more: metadata has 2" in problem and "more than 2048" in problem


def test_very_many_notes() -> None:
    """One takes as long as 16 values, however few it has."""
    one = Note("AMDGPU", 32, b"\x80")
    assert _joined(*[one] * 4, most=64)[2] == []
    assert _joined(*[one] * 5, most=64)[2] == [
        "t.co: metadata, note 5: metadata has 5 notes: more than one for each 16 of 64 values "
        "(--max-metadata-values)"
    ]


CL = "__kernel void {0}(__global int *b, int n) {{ b[0] = n; }}\n"


@pytest.fixture
def linked(tool: Tool, tmp_path: Path) -> Path:
    """A code object of two translation units."""
    clang, objects = tool("clang-19"), []
    tool("ld.lld-19")
    for name in ("one", "two"):
        (tmp_path / f"{name}.cl").write_text(CL.format(name))
        objects.append(tmp_path / f"{name}.o")
        run(
            clang, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942",
            "-nogpulib", "-g", "-O2", "-c", tmp_path / f"{name}.cl", "-o", objects[-1],
        )  # fmt: skip
    path = tmp_path / "t.co"
    run(tool("ld.lld-19"), "-shared", *objects, "-o", path)
    return path


def test_what_clang_links(tool: Tool, linked: Path, tmp_path: Path) -> None:
    """By sections, by segments, and before linking for the GPU."""
    run(tool("ld.lld-19"), "-r", tmp_path / "one.o", tmp_path / "two.o", "-o", tmp_path / "r.o")
    data = bytearray(linked.read_bytes())
    struct.pack_into("<Q", data, 40, 0)  # e_shoff
    struct.pack_into("<HHH", data, 58, 0, 0, 0)
    for file in (
        open_object(linked),
        open_object(tmp_path / "r.o"),
        ObjectFile("stripped", bytes(data)),
    ):
        code = read_gpu_code(file)
        kernels = [
            (kernel.name, len(kernel.metadata.arguments))
            for kernel in code.kernels
            if kernel.metadata is not None
        ]
        assert (kernels, code.problems) == ([("one", 2), ("two", 2)], ())
    sizes = ("--grid", 1, "--workgroup", 1)
    done = command("dispatch", linked, "two", *sizes, "--arg", "0=zeros:4", "--arg", "1=7")
    assert done.status == 0 and "[  8, 12) n = 0x7" in done.out


def test_why_a_kernel_has_no_arguments(linked: Path, tmp_path: Path) -> None:
    data = linked.read_bytes()
    version = data.rindex(b"amdhsa.version\x92\x01\x02")
    assert version > data.index(b"amdhsa.version")
    wrong = data[:version] + b"amdhsa.version\x92\x01\x01" + data[version + 17 :]
    (path := tmp_path / "wrong.co").write_bytes(wrong)
    why = f"{path}: metadata, note 2: version 1.1, not 1.2 as before"
    assert why in command("info", path).out
    assert f"error: {why} [lost-section" in command("check", path).out
    launch = ("dispatch", path, "two", "--grid", 1, "--workgroup", 1)
    done = command(*launch, "--arg", "1=7")
    assert done.status != 0
    assert "the arguments of two are not known: the metadata cannot be used: " in done.err
    assert why in done.err
    state = tmp_path / "state.json"
    assert command(*launch, "--save", state).status == 0
    done = command("eval", "--state", state, "$_kernarg")
    assert f"no metadata describe the arguments of kernel two: {why}" in done.out + done.err
    done = command("dispatch", path, "one", *launch[3:], "--arg", "0=zeros:4", "--arg", "1=7")
    assert "[  8, 12) n = 0x7" in done.out


def test_notes_of_one_code_object_twice() -> None:
    """Two segments may have the same notes."""
    data = read_fixture("run/integers.gfx942.O2.v5.co")
    code = read_gpu_code(ObjectFile("t.co", data))
    joined, names, problems = _joined(*code.notes, *code.notes)
    assert (names, problems) == ([kernel.name for kernel in code.kernels], [])
    assert joined.metadata == code.metadata
