"""Whole code objects of every version: against llvm-readelf, by hand, and mutated."""

from __future__ import annotations

import contextlib
import random
import re
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from dwarfgpu.arch.processors import PROCESSORS
from dwarfgpu.base.limits import FileLimits
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported, UsageError
from dwarfgpu.objfile import gpu_code
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.elf_notes import Note, notes, readable_notes
from dwarfgpu.objfile.file_architecture import architecture_of, processor_name
from dwarfgpu.objfile.gpu_code import read_gpu_code
from dwarfgpu.objfile.kernel_symbols import wave_size
from dwarfgpu.objfile.metadata import metadata_v2, metadata_v3
from dwarfgpu.objfile.metadata_notes import JoinedMetadata, joined_metadata
from dwarfgpu.objfile.metadata_value import Metadata, ValueBudget
from dwarfgpu.objfile.metadata_yaml import parse_yaml
from dwarfgpu.objfile.msgpack import unpack
from dwarfgpu.objfile.target_id import TargetId, parse_target_id, target_of_flags, target_of_isa
from tests.cli.command import run as command
from tests.dwarf.builder import Content, elf, overlapping, read_fixture
from tests.objfile.build import KernelCode, gpu_header, hip, note, run
from tests.tool_output import CODE_OBJECTS, printed_about

Tool = Callable[[str], str]


def _metadata_of(text: str) -> Metadata:
    """The metadata that llvm-readelf prints, which is YAML of the kind that is read here."""
    start = text.index("AMDGPU Metadata:\n") + len("AMDGPU Metadata:\n")
    return parse_yaml(text[start:].lstrip(" "))


@pytest.mark.parametrize(
    ("key", "there", "written", "expected"),
    [
        (".wavefront_size", 64, 32, "wave size 32, not 64"),
        (".group_segment_fixed_size", 0, 127, "bytes of LDS 127, not 0"),
        (".private_segment_fixed_size", 0, 127, "bytes of scratch 127, not 0"),
        (".vgpr_count", 5, 127, "VGPRs 127, more than 8"),
        (".kernarg_segment_size", 24, 32, "bytes of arguments 32, which are passed, not 24"),
    ],
)
def test_metadata_that_contradict_the_descriptor(
    key: str, there: int, written: int, expected: str, tmp_path: Path
) -> None:
    data = read_fixture("run/integers.gfx942.O2.v5.co")
    name = key.encode()
    assert name + bytes([there]) in data
    wrong = data.replace(name + bytes([there]), name + bytes([written]))
    kernel = read_gpu_code(ObjectFile("wrong.co", wrong)).kernels[0]
    assert kernel.contradictions == (expected,)
    path = tmp_path / "wrong.co"
    path.write_bytes(wrong)
    assert f"  the metadata contradict the descriptor: {expected}\n" in command("info", path).out
    checked = f"warning: the metadata of kernel vadd contradict its descriptor: {expected}"
    assert checked in command("check", path).out
    buffers = [item for name in ("a", "b", "out") for item in ("--arg", f"{name}=zeros:256")]
    done = command("dispatch", path, "vadd", "--grid", 64, "--workgroup", 64, *buffers)
    assert done.status == 0
    assert f"the descriptor counts; the metadata contradict it: {expected}" in done.err


def test_an_argument_behind_the_kernarg_segment(tmp_path: Path) -> None:
    data = read_fixture("run/integers.gfx942.O2.v5.co")
    offset = b".offset" + bytes([16])
    assert offset in data
    (path := tmp_path / "wrong.co").write_bytes(data.replace(offset, b".offset" + bytes([17]), 1))
    expected = "bytes up to the end of argument 2 25, more than 24"
    assert f"  the metadata contradict the descriptor: {expected}\n" in command("info", path).out


def test_two_kernels_of_a_name() -> None:
    data = read_fixture("run/integers.gfx942.O2.v5.co")
    assert b".symbol\xa7vadd.kd" in data
    kernels = [kernel.symbol for kernel in read_gpu_code(ObjectFile("it", data)).kernels]
    other = next(name for name in kernels if len(name) == len("vadd.kd") and name != "vadd.kd")
    wrong = data.replace(b".symbol\xa7" + other.encode(), b".symbol\xa7vadd.kd")
    [problem] = read_gpu_code(ObjectFile("wrong.co", wrong)).problems
    assert str(problem) == "wrong.co: the metadata have 2 kernels vadd.kd, which differ"


@pytest.mark.parametrize("path", CODE_OBJECTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_notes_and_header_as_llvm_reads_them(tool: Tool, path: Path) -> None:
    _compare(tool("llvm-readelf-19"), path)


def _compare(readelf: str, path: Path) -> None:
    file = open_object(path)
    code = read_gpu_code(file)
    assert code.problems == () and code.target is not None
    assert not any(kernel.contradictions for kernel in code.kernels)
    text = printed_about(path, readelf, "-h", "--notes", among=CODE_OBJECTS)
    result = [unpack(note.content) for note in notes(file) if note.owner == "AMDGPU"]
    assert result == ([_metadata_of(text)] if "AMDGPU Metadata:" in text else [])
    assert (code.metadata is not None) == bool(result)
    flags = re.search(r"Flags:\s+0x[0-9A-F]+, (.*)", text)
    assert flags is not None and code.version is not None
    settings = {"": "unsupported", "+": "on", "-": "off"}
    words = flags[1].split(", ")
    named = [word for word in words if not word.startswith(("xnack", "sramecc"))]
    assert named in ([code.target.processor], [])  # LLVM 19 does not know all of them
    for feature, ours in (("xnack", code.target.xnack), ("sramecc", code.target.sramecc)):
        (sign,) = [word[len(feature) :] for word in words if word.startswith(feature)] or [None]
        assert ours == ("unsupported" if sign is None else settings[sign] if sign else "any")
    if code.metadata is None:
        return  # what follows compares it with the descriptors
    if code.metadata.target is not None:
        # LLVM 24, which Triton brings along, has the major version of the processor in the triple.
        triple = r"(amdgcn-amd-amdhsa-|amdgpu[\da-f.]+-amd-amdhsa-unknown)-"
        assert re.fullmatch(triple + re.escape(str(code.target)), code.metadata.target)
    for kernel in code.kernels:
        assert kernel.metadata is not None and kernel.descriptor is not None
        assert kernel.descriptor.wave_size == kernel.metadata.wave_size
        assert kernel.descriptor.lds_bytes == kernel.metadata.lds_bytes
        assert kernel.descriptor.scratch_bytes == kernel.metadata.scratch_bytes
        assert kernel.descriptor.kernarg_bytes == kernel.metadata.kernarg_bytes
        assert kernel.entry in [s.address for s in file.symbols if s.name == kernel.name]


@pytest.mark.parametrize("version", [4, 5, 6])
@pytest.mark.parametrize("target", ["gfx90a:xnack+", "gfx906:sramecc-:xnack-", "gfx1100"])
def test_what_clang_makes(tool: Tool, tmp_path: Path, target: str, version: int) -> None:
    path = hip(tool("clang-19"), tmp_path, target, version)
    _compare(tool("llvm-readelf-19"), path)
    code = read_gpu_code(open_object(path))
    assert (code.version, str(code.target)) == (version, target)
    scale, total = code.kernels
    assert scale.metadata is not None and total.metadata is not None
    assert [
        (argument.offset_bytes, argument.size_bytes, argument.value_kind)
        for argument in scale.metadata.arguments
        if not argument.is_hidden
    ] == [(0, 8, "global_buffer"), (8, 4, "by_value"), (16, 16, "by_value")]
    assert (scale.lds_bytes, total.metadata.max_flat_workgroup_size) == (256, 128)
    assert (total.scratch_bytes or 0) >= 320


def test_generic_processors(tool: Tool, tmp_path: Path) -> None:
    source, path = tmp_path / "k.s", tmp_path / "k.o"
    source.write_text(".text\ns_endpgm\n")
    options = ("--target=amdgcn-amd-amdhsa", "-mcpu=gfx9-generic", "-mcode-object-version=6", "-c")
    run(tool("clang-19"), "-Wno-everything", *options, source, "-o", path)
    target = target_of_flags(open_object(path))
    assert (target.processor, target.generic_version) == ("gfx9-generic", 1)
    assert "generic_v1" in run(tool("llvm-readelf-19"), "-h", path)


@pytest.mark.parametrize(
    ("abi_version", "flags", "os_abi", "expected"),
    [
        (1, 0x12F, 64, TargetId("gfx906", "on", "off")),  # V3: one bit each
        (1, 0x22F, 64, TargetId("gfx906", "off", "on")),
        (1, 0x041, 64, TargetId("gfx1100", "unsupported", "unsupported")),
        (2, 0x02F, 64, TargetId("gfx906", "unsupported", "unsupported")),
        (2, 0x52F, 64, TargetId("gfx906", "any", "any")),
        (3, 0xA2F, 64, TargetId("gfx906", "off", "off")),
        (3, 0xF2F, 64, TargetId("gfx906", "on", "on")),
        (4, 0x07000051, 64, TargetId("gfx9-generic", "unsupported", "unsupported", 7)),
        (3, 0x07000051, 64, TargetId("gfx9-generic", "unsupported", "unsupported")),
        (0, 0x12C, 64, TargetId("gfx900", "on", "unsupported")),  # V2 of LLVM, with a processor
        (0, 0x12C, 65, TargetId("gfx900", "on", "unsupported")),  # no HSA: as V3
        (3, 0x02C, 0, TargetId("gfx900", "off", "unsupported")),
    ],
)
def test_flags(abi_version: int, flags: int, os_abi: int, expected: TargetId) -> None:
    data = gpu_header(elf({}), abi_version, flags, os_abi)
    assert target_of_flags(ObjectFile("made", data)) == expected


@pytest.mark.parametrize(
    ("isa", "expected"),
    [
        ((7, 0, 0), "gfx700"),
        ((8, 0, 0), "gfx802"),
        ((8, 0, 1), "gfx801:xnack+"),
        ((8, 0, 3), "gfx803"),
        ((9, 0, 0), "gfx900:xnack-"),
        ((9, 0, 1), "gfx900:xnack+"),
        ((9, 0, 7), "gfx906:xnack+"),
        ((9, 0, 10), "gfx90a:xnack-"),
        ((10, 1, 0), "gfx1010:xnack-"),
    ],
)
def test_targets_of_v2(isa: tuple[int, int, int], expected: str) -> None:
    assert str(target_of_isa(*isa)) == expected


@pytest.mark.parametrize("text", ["gfx942", "gfx90a:sramecc+:xnack-", "gfx9-4-generic", "gfx90c"])
def test_target_ids(text: str) -> None:
    assert str(parse_target_id(text)) == text


def test_target_ids_that_are_none() -> None:
    for text in ("", "942", "gfx942:", "gfx942:xnack", "gfx942 ", "GFX942", "gfx942" + ":a+" * 400):
        with pytest.raises(UsageError, match="is not a target"):
            parse_target_id(text)
    with pytest.raises(UsageError, match="unknown feature fast; known"):
        parse_target_id("gfx942:fast+")


@pytest.mark.parametrize(
    ("code", "wanted", "expected"),
    [
        ("gfx90a", "gfx90a:xnack+", True),
        ("gfx90a:xnack+", "gfx90a", True),
        ("gfx90a:xnack+", "gfx90a:xnack-", False),
        ("gfx90a:sramecc+", "gfx90a:xnack-", True),
        ("gfx90a", "gfx942", False),
    ],
)
def test_what_runs_where(code: str, wanted: str, expected: bool) -> None:
    assert parse_target_id(code).accepts(parse_target_id(wanted)) is expected


def test_every_processor_has_its_number() -> None:
    for processor in PROCESSORS.values():
        file = ObjectFile("made", gpu_header(elf({}), 3, processor.mach))
        assert target_of_flags(file).processor == processor.name


V2_METADATA = """---
Version: [ 1, 0 ]
Printf: [ '1:1:4:%d' ]
Kernels:
  - Name: vectorAdd
    SymbolName: 'vectorAdd@kd'
    Language: OpenCL C
    LanguageVersion: [ 1, 2 ]
    Attrs:
      ReqdWorkGroupSize: [ 64, 1, 1 ]
      VecTypeHint: float4
    Args:
      - { }
    CodeProps:
      KernargSegmentSize: 24
      GroupSegmentFixedSize: 512
      PrivateSegmentFixedSize: 16
      KernargSegmentAlign: 8
      WavefrontSize: 64
      NumSGPRs: 16
      NumVGPRs: 8
      NumSpilledVGPRs: 3
      MaxFlatWorkGroupSize: 256
      IsDynamicCallStack: true
    New: 1
"""
V2_ARGUMENTS = """      - Name: n
        TypeName: uint
        Size: 4
        Align: 4
        ValueKind: ByValue
        ValueType: U32
      - Name: a
        TypeName: 'float*'
        Size: 8
        Align: 8
        ValueKind: GlobalBuffer
        ValueType: F32
        AddrSpaceQual: Global
        AccQual: Default
        ActualAccQual: ReadOnly
        IsConst: true
        IsVolatile: false
      - Size: 8
        Align: 8
        ValueKind: HiddenGlobalOffsetX
        ValueType: I64
"""


def v2(metadata: str | None = V2_METADATA, isa: tuple[int, int, int] = (8, 0, 3)) -> bytes:
    """A code object as CLRX and early compilers made them."""
    text = KernelCode().pack() + bytes.fromhex("00000081bf") + bytes(11)
    names = b"\0vectorAdd\0data\0"
    symbols = bytes(24)
    symbols += struct.pack("<IBBHQQ", 1, 0x1A, 0, 1, 0x1000, 272)
    symbols += struct.pack("<IBBHQQ", 11, 0x12, 0, 1, 0x1008, 8)  # a function, no kernel
    records = note(b"AMD", 1, struct.pack("<II", 2, 1))
    name = struct.pack("<HHIII", 4, 7, *isa) + b"AMD\0AMDGPU\0"
    records += note(b"AMD", 3, name)
    if metadata is not None:
        arguments = metadata.replace("      - { }\n", V2_ARGUMENTS)
        records += note(b"AMD", 10, arguments.encode())
    sections = {
        ".text": Content(text, flags=6, address=0x1000),
        ".note": Content(records, 7),
        ".symtab": Content(symbols, 2, link=4),
        ".strtab": Content(names, 3),
    }
    return gpu_header(elf(sections), 0, 2)


def test_v2() -> None:
    code = read_gpu_code(ObjectFile("v2.hsaco", v2()))
    assert code.problems == ()
    assert (code.version, str(code.target)) == (2, "gfx803")
    assert code.metadata is not None
    assert (code.metadata.version, code.metadata.printf) == ((1, 0), ("1:1:4:%d",))
    (kernel,) = code.kernels
    assert (kernel.name, kernel.address, kernel.entry) == ("vectorAdd", 0x1000, 0x1100)
    metadata = kernel.metadata
    assert metadata is not None and kernel.descriptor is not None
    assert (metadata.language, metadata.language_version) == ("OpenCL C", (1, 2))
    assert (metadata.required_workgroup_size, metadata.vec_type_hint) == ((64, 1, 1), "float4")
    assert (metadata.sgpr_count, metadata.vgpr_count, metadata.vgpr_spill_count) == (16, 8, 3)
    assert (metadata.uses_dynamic_stack, dict(metadata.unknown_keys)) == (True, {"New": 1})
    assert [
        (a.name, a.offset_bytes, a.value_kind, a.value_type, a.actual_access, a.qualifiers)
        for a in metadata.arguments
    ] == [
        ("n", 0, "by_value", "u32", None, ()),
        ("a", 8, "global_buffer", "f32", "read_only", ("const",)),
        (None, 16, "hidden_global_offset_x", "i64", None, ()),
    ]
    assert (kernel.lds_bytes, kernel.wave_size, kernel.kernarg_bytes) == (512, 64, 24)


def test_v2_notes_as_llvm_reads_them(tool: Tool, tmp_path: Path) -> None:
    path = tmp_path / "v2.hsaco"
    path.write_bytes(v2())
    text = run(tool("llvm-readelf-19"), "--notes", path)
    for line in ("Major: 2, Minor: 1", "Name: vectorAdd", "Major: 8, Minor: 0, Stepping: 3"):
        assert line in text
    assert [(note.owner, note.type) for note in notes(open_object(path))] == [
        ("AMD", 1), ("AMD", 3), ("AMD", 10),
    ]  # fmt: skip


def test_v2_of_llvm_5(tmp_path: Path) -> None:
    """Its kernels have no symbols, and their hidden arguments may have no room in the kernarg
    segment."""
    one = V2_METADATA.replace("    SymbolName: 'vectorAdd@kd'\n", "")
    one = one.replace("KernargSegmentSize: 24", "KernargSegmentSize: 16")
    second = one[one.index("  - Name:") :].replace("vectorAdd", "other")
    (path := tmp_path / "v2.co").write_bytes(v2(one + second))
    code = read_gpu_code(open_object(path))
    assert (code.problems, [kernel.name for kernel in code.kernels]) == ((), ["vectorAdd", "other"])
    faults = [fault for kernel in code.kernels for fault in kernel.contradictions]
    assert not any("end of argument" in fault for fault in faults)
    assert not re.search(" $", command("info", path).out, re.MULTILINE)
    twice = v2(one + second.replace("other", "vectorAdd"))
    [problem] = read_gpu_code(ObjectFile("wrong.co", twice)).problems
    assert str(problem) == "wrong.co: the metadata have 2 kernels vectorAdd"


def test_the_machine_of_v2() -> None:
    file = ObjectFile("v2.hsaco", v2())
    assert processor_name(file) == architecture_of(file).name == "gfx803"
    with pytest.raises(Unsupported, match="the AMD GPU processor gfx1230"):
        architecture_of(ObjectFile("v2.hsaco", v2(isa=(12, 3, 0))))


def test_the_wave_size_of_a_relocatable_object(tool: Tool, tmp_path: Path) -> None:
    source, path = tmp_path / "k.s", tmp_path / "k.o"
    source.write_text(
        ".text\nk: s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n"
        ".amdhsa_next_free_vgpr 8\n.amdhsa_next_free_sgpr 8\n.amdhsa_wavefront_size32 1\n"
        ".end_amdhsa_kernel\n"
    )
    target = ("--target=amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-Wno-everything")
    run(tool("clang-19"), *target, "-c", source, "-o", path)
    assert wave_size(open_object(path)) == 32
    (kernel,) = read_gpu_code(open_object(path)).kernels
    assert (kernel.wave_size, kernel.entry) == (32, None)


def test_v2_without_metadata() -> None:
    code = read_gpu_code(ObjectFile("v2.hsaco", v2(None, (9, 0, 1))))
    assert str(code.target) == "gfx900:xnack+"
    (kernel,) = code.kernels
    assert (kernel.metadata, kernel.lds_bytes, kernel.kernarg_bytes) == (None, 512, 8)


def test_the_name_of_the_target_in_a_note() -> None:
    for name, expected in (
        ("amdgcn-amd-amdhsa--gfx902+xnack", "gfx902:xnack+"),
        ("amdgcn-amd-amdhsa--gfx906+sram-ecc+xnack", "gfx906:sramecc+:xnack+"),
        ("amdgcn-amd-amdhsa--gfx900", "gfx900"),
    ):
        data = gpu_header(elf({".note": Content(note(b"AMD", 11, name.encode()), 7)}), 0, 0)
        assert str(read_gpu_code(ObjectFile("made", data)).target) == expected
    for name, message in (
        ("tahiti", "the note of the target names no processor: 'tahiti'"),
        ("gfx9?", "the note of the target: gfx9? is not a target: expected one like "),
        ("gfx900+fast", "the note of the target: gfx900:fast+ names the unknown feature fast"),
        ("gfx999", "the AMD GPU processor gfx999"),
    ):
        data = gpu_header(elf({".note": Content(note(b"AMD", 11, name.encode()), 7)}), 0, 0)
        (problem,) = read_gpu_code(ObjectFile("made", data)).problems
        assert isinstance(problem, Malformed | Unsupported), "it is no request"
        assert str(problem).startswith(f"made: {message}")
        with pytest.raises(type(problem), match=f"^{re.escape(f'made: {message}')}"):
            processor_name(ObjectFile("made", data))


def test_v3_is_v4_with_other_flags() -> None:
    original = read_fixture("hip/nest.gfx90a.O2.v4.co")
    code = read_gpu_code(ObjectFile("v3.co", gpu_header(original, 1, 0x13F)))
    assert (code.version, str(code.target)) == (3, "gfx90a:sramecc-:xnack+")
    assert code.kernels == read_gpu_code(ObjectFile("v4.co", original)).kernels


def test_metadata_of_very_many_kernels() -> None:
    """A kernel takes as long as 16 values, however few it has."""
    one = "  - Name: k\n    SymbolName: k\n"
    packed = b"\x82\xa5.name\xa1k\xa7.symbol\xa4k.kd"
    for count in (3, 4):
        for read, data in (
            (metadata_v2, f"Kernels:\n{one * count}".encode()),
            (metadata_v3, b"\x81\xaeamdhsa.kernels" + bytes([0x90 + count]) + packed * count),
        ):
            if count == 3:
                assert len(read(data, ValueBudget(48)).kernels) == 3
                continue
            with pytest.raises(LimitExceeded, match=r"4 kernels: more.*--max-metadata-values"):
                read(data, ValueBudget(48))


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (b"\x01", "the metadata is not a map"),
        (b"\x81\xaeamdhsa.kernels\x01", "amdhsa.kernels is not a sequence"),
        (b"\x81\xaeamdhsa.kernels\x91\x01", "a kernel is not a map"),
        (b"\x81\xaeamdhsa.kernels\x91\x80", "a kernel of the metadata has no name"),
        (b"\x81\xaeamdhsa.kernels\x91\x81\xa5.name\x01", ".name of the metadata is not a string"),
        (b"\x81\xaeamdhsa.kernels\x91\x81\xab.sgpr_count\xff", ".sgpr_count of the metadata is no"),
        (b"\x81\xaeamdhsa.kernels\x91\x81\xa5.args\x91\x80", "has no size or no value kind"),
        (b"\x81\xafamdhsa.versions\x01\x02", "1 byte after the metadata"),
    ],
)
def test_metadata_that_is_wrong(metadata: bytes, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        metadata_v3(metadata)
    data = gpu_header(elf({".note": Content(note(b"AMDGPU", 32, metadata), 7)}), 3, 0x4C)
    code = read_gpu_code(ObjectFile("made", data))
    assert str(code.target) == "gfx942"  # the header stays readable
    (problem,) = code.problems
    assert message in str(problem) and "made: metadata" in str(problem)


def test_text_that_is_not_utf8() -> None:
    with pytest.raises(Malformed, match="not UTF-8"):
        metadata_v2(b"a: \xff")


def test_notes_that_are_cut_short() -> None:
    good = note(b"GNU", 3, b"1234")
    for size in range(len(good) + 12, 2 * len(good)):
        data = elf({".note": Content((good + note(b"GNU", 3, b"5678"))[:size], 7)})
        result, problem = readable_notes(ObjectFile("made", data))
        assert [item.content for item in result][:1] == [b"1234"]
        assert (problem is None) == (len(result) == 2)


def test_sections_of_notes_that_overlap() -> None:
    contents = {f".note{n}": Content(note(b"GNU", 3, b"1234"), 7) for n in range(20)}
    data = overlapping(elf(contents), ".note")
    result, problem = readable_notes(ObjectFile("made", data))
    assert 20 < len(result) < 100 and problem is not None, "not all 210"


def test_other_machines_and_processors() -> None:
    with pytest.raises(Unsupported, match="not for an AMD GPU"):
        read_gpu_code(ObjectFile("made", elf({}, machine=62)))
    (problem,) = read_gpu_code(ObjectFile("made", gpu_header(elf({}), 3, 0xFE))).problems
    assert "0xfe" in str(problem)


MUTATED = ["v2", "hip/data.gfx942.O2.v5.co", "opencl/kernels.gfx90a.O2.v4.co"]


@pytest.mark.parametrize("name", MUTATED)
def test_mutated_files_give_only_our_errors(name: str) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    original = v2() if name == "v2" else read_fixture(name)
    file = ObjectFile("whole", original)
    targets = [
        (section.offset, section.size_bytes)
        for section in file.sections
        if section.type == 7 or (section.name in (".rodata", ".symtab") and section.size_bytes)
    ]
    targets += [(0, 64), (file._sections_at, 64 * len(file.sections))]
    for _ in range(400):
        data = bytearray(original)
        for _ in range(source.randint(1, 6)):
            start, size = source.choice(targets)
            at = start + source.randrange(size)
            data[at] = source.choice((0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)))
        if source.random() < 0.1:
            del data[source.randrange(len(data)) :]
        with contextlib.suppress(DwarfGpuError):
            read_gpu_code(ObjectFile("mutated", bytes(data)))


def test_broken_metadata_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every wave of a dispatch asks for its kernel."""
    data = bytearray(read_fixture("hip/nest.gfx942.O2.v5.co"))
    data[data.index(b"AMDGPU\0\0") + 8] = 0xC1  # MessagePack never uses it
    file = ObjectFile("nest", bytes(data))
    calls: list[str] = []

    def read(notes: Sequence[Note], limits: FileLimits, path: str) -> JoinedMetadata:
        calls.append(path)
        return joined_metadata(notes, limits, path)

    monkeypatch.setattr(gpu_code, "joined_metadata", read)
    for _ in range(3):
        code = read_gpu_code(file)
        assert [str(problem) for problem in code.problems]
        assert [kernel.name for kernel in code.kernels] == ["nest"]
    assert len(calls) == 1
