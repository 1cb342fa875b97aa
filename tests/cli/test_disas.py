"""`dwarfgpu disas`."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.cli.main import main
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.objfile import symbols
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.kernel_symbols import kernels
from dwarfgpu.objfile.string_table import StringTable
from dwarfgpu.service.code import disassembly
from dwarfgpu.service.code.code_to_show import code_between, line_spans
from dwarfgpu.service.code.disassembly import Disassembly, undefined_text
from tests.cli.command import FIXTURES, run, run_json, validate
from tests.dwarf.builder import Content, elf
from tools.bombs.containers import named_functions
from tools.bombs.model import write_files

NEST = FIXTURES / "hip/nest.gfx942.O2.v5.co"
WAVE64 = FIXTURES / "opencl/args.gfx1030.wave64.O0.v5.co"
HOST = FIXTURES / "x86_64/demo.gcc.O2.v5"


def test_addresses_with_arrows_and_lines() -> None:
    done = run("disas", NEST, "0x1660,+0x20", "--arrows", "always")
    assert done.status == 0
    assert done.lines == [
        "nest.gfx942.O2.v5.co: gfx942, wave64",
        "",
        "0000000000001600 <nest>:",
        "; hip/nest.hip:12",
        "    1660     s_and_saveexec_b64 s[0:1], vcc                         // BE80206A",
        "    1664     s_xor_b64 s[0:1], exec, s[0:1]                         // 8880007E",
        "    1668  ,- s_cbranch_execz 4 <nest+0x7c>                          // BF880004",
        "; hip/nest.hip:23",
        "    166c  |  v_mad_u64_u32 v[4:5], s[2:3], v5, s8, v[6:7]           // D1E80204 04181105",
        "; hip/nest.hip:24",
        "    1674  |  global_store_dword v[0:1], v4, off offset:3072         // DC708C00 007F0400",
        "; hip/nest.hip:12",
        "    167c  '> s_andn2_saveexec_b64 s[0:1], s[0:1]                    // BE802300",
    ]


@pytest.mark.parametrize("where", ["0x1660,+0x10", "0x166c,0x1670", "nest,+0x70"])
def test_the_last_instruction_is_whole(where: str) -> None:
    """As llvm-objdump --stop-address: an instruction of eight bytes that begins before the end."""
    done = run("disas", NEST, where)
    assert done.status == 0
    assert done.lines[-1].split("//")[1].split() == ["D1E80204", "04181105"]


def test_a_line_has_its_code_alone() -> None:
    lines = run("disas", NEST, "nest.hip:13", "--no-bytes").lines
    assert [line for line in lines if line.startswith("    ")] == [
        "    1684  global_load_dword v4, v[2:3], off offset:4",
        "    1694  s_waitcnt vmcnt(0)",
        "    1698  v_add_u32_e32 v8, v4, v5",
    ]


def test_a_line_has_all_of_its_code() -> None:
    """Also where its rows are not statements, as at 0x1660: the addresses are those of the line
    table as llvm-dwarfdump prints it."""
    lines = run("disas", NEST, "nest.hip:12", "--no-bytes").lines
    assert [int(line.split()[0], 16) for line in lines if line.startswith("    ")] == [
        0x165C, 0x1660, 0x1664, 0x1668, 0x167C, 0x1680,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "spans"),
    [  # those of `disassemble /s leaf` in GDB 13
        (81, [(0x1218, 0x121A)]),
        (82, [(0x1210, 0x1218), (0x1234, 0x1236)]),
        (84, [(0x1227, 0x122B), (0x1240, 0x1244), (0x1246, 0x124E)]),
        (88, [(0x121A, 0x121F), (0x122B, 0x1234), (0x1236, 0x123D)]),
    ],
)
def test_the_code_of_a_line_is_that_of_gdb(line: int, spans: list[tuple[int, int]]) -> None:
    """At `-O2`, line 84 begins as a statement only at an address whose code is of line 88."""
    code = Disassembly(CodeObject.open(HOST))
    assert line_spans(code, "demo.c", line) == spans


def test_a_line_without_code_of_its_own_has_that_of_its_statement() -> None:
    code = Disassembly(CodeObject.open(HOST))
    assert line_spans(code, "demo.c", 83) == [(0x1236, 0x1238)]


def test_a_line_without_code_shows_that_of_the_next() -> None:
    done = run("disas", NEST, "nest.hip:17", "--no-bytes")
    assert [line for line in done.lines if line.startswith("    ")] == [
        "    16c0  v_add_u32_e32 v7, -7, v8",
    ]
    assert "nest.hip:17 has no code: line 18 at 0x16c0 is used" in done.err


def test_a_function_has_its_descriptor_and_inlined_calls() -> None:
    lines = run("disas", NEST, "nest").lines
    assert lines[2] == ".amdhsa_kernel nest"
    assert "\t.amdhsa_kernarg_size 20" in lines
    assert "; block_x inlined into nest:" in lines
    assert run("disas", NEST, "0x1668").lines == lines  # the function that has the address


def test_the_wave_size_is_that_of_the_kernels() -> None:
    lines = run("disas", WAVE64, "--no-source", "--no-bytes").lines
    assert lines[0].endswith("gfx1030, wave64")
    assert any("s_and_saveexec_b64" in line or "exec" in line for line in lines)
    assert not any("exec_lo" in line for line in lines)


def test_data() -> None:
    answer = run_json("disas", NEST, "0x1668,0x1674").json
    validate(answer)
    (function,) = answer["functions"]
    assert (function["name"], function["wave_size"], function["descriptor"]) == ("nest", 64, None)
    branch = function["instructions"][0]
    assert branch["text"] == "s_cbranch_execz 4"
    assert (branch["target"], branch["target_name"]) == (0x167C, "nest+0x7c")
    assert branch["source"]["line"] == 12 and branch["functions"] == ["nest"]
    validate(run_json("disas", NEST).json)


def test_registers() -> None:
    done = run("disas", NEST, "0x1674,+8", "--registers", "--no-source")
    text = "global_store_dword v[0:1], v4, off offset:3072"
    assert (
        done.lines[-1] == f"    1674  {text:<58}// reads v4 v[0:1] exec, stores global.b32, vmcnt"
    )
    answer = run_json("disas", NEST, "--registers").json
    validate(answer)
    (function,) = answer["functions"]
    effects = {
        instruction["text"]: instruction["effects"] for instruction in function["instructions"]
    }
    assert effects["s_cbranch_execz 4"]["reads"] == ["exec"]
    assert effects[text]["memory"] == ["stores global.b32"]
    assert effects[text]["counters"] == ["vmcnt"]


@pytest.mark.parametrize("path", [NEST, FIXTURES / "x86_64/demo.gcc.O0.v5"], ids=["AMD", "x86-64"])
def test_pieces_join_where_they_are_cut(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large function is read in pieces: an instruction may begin in one and end in the next."""
    made = Disassembly(CodeObject.open(path))
    if made.processor is None:
        pytest.importorskip("capstone")
    item = max(made.ranges, key=lambda item: item.end - item.begin)
    whole = [(line.address, line.text) for line in made.instructions(item.begin, item.end)]
    assert len(whole) > 20
    sizes: list[int] = []
    read = Disassembly.bytes_at

    def counted(code: Disassembly, begin: int, end: int) -> bytes:
        sizes.append(end - begin)
        return read(code, begin, end)

    monkeypatch.setattr(Disassembly, "bytes_at", counted)
    for size in (4, 8, 12, 20):
        monkeypatch.setattr(disassembly, "_AT_ONCE", size)
        lines = made.instructions(item.begin, item.end)
        assert [(line.address, line.text) for line in lines] == whole
        assert max(sizes) <= size + 20
        sizes.clear()


def test_bytes_that_are_not_an_instruction(tmp_path: Path) -> None:
    broken = bytearray(NEST.read_bytes())
    place = broken.index(bytes.fromhex("6a2080be"))
    broken[place : place + 4] = b"\xff\xff\xff\xff"
    path = tmp_path / "broken.co"
    path.write_bytes(broken)
    done = run("disas", path, "0x1660,+8", "--no-bytes", "--no-source")
    assert done.status == 1
    assert done.lines[-2:] == [
        "    1660  .long 0xffffffff",
        "    1664  s_xor_b64 s[0:1], exec, s[0:1]",
    ]
    assert undefined_text(b"\x01\x02") == ".byte 0x01, 0x02"


def test_a_range_may_begin_at_a_function_or_line() -> None:
    """`readelf -s`: nest is at 0x1600; `llvm-dwarfdump --debug-line`: line 12 begins at 0x165c."""
    for place, begin in (("nest,+0x20", "0x1600"), ("nest.hip:12,+8", "0x165c")):
        done = run("disas", NEST, place, "--no-source")
        size = place.partition(",")[2]
        assert done.out == run("disas", NEST, f"{begin},{size}", "--no-source").out
        assert done.lines[-1].split()[0] == f"{int(begin, 0) + int(size, 0) - 4:x}"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("0x1660..0x1680", "0x1660..0x1680: a range is written 0x1660,0x1680"),
        ("0x10", "0x10: the file has no code at 0x10"),
        ("0x10,0x20", "the file has no code there"),
        ("0x1660,0x1660", "the range is empty"),
        ("0x1660,+0", "the range is empty"),
        ("0x1660,0x1650", "the range ends before it begins"),
        ("nets", 'Function "nets" not defined.'),
        ("nest.hip:9999", "neither this line nor one after it has code"),
    ],
)
def test_wrong_places(place: str, message: str) -> None:
    done = run("disas", NEST, place)
    assert done.status == 2 and message in done.err


def test_code_of_a_host() -> None:
    pytest.importorskip("capstone", reason="needs capstone")
    lines = run("disas", HOST, "factorial", "--no-source", "--arrows", "never").lines
    assert any("callq 0x11d0 <factorial>" in line for line in lines)
    assert any(line.split()[1:2] == ["retq"] for line in lines)


def test_a_carriage_return_alone_ends_a_line(
    tool: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As gcc counts lines."""
    pytest.importorskip("capstone")
    (tmp_path / "cr.c").write_bytes(b"int a;\rint main(void)\r\n{\n  return 7;\n}\n")
    monkeypatch.chdir(tmp_path)
    subprocess.run([tool("gcc"), "-g", "-O0", "cr.c", "-o", "cr"], check=True, timeout=60)
    assert "; cr.c:4: return 7;" in run("disas", "cr", "main").lines


def test_json_without_a_decoder_is_the_error_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    cubin = run_json("disas", FIXTURES / "nvidia/axpy.sm_80.cubin")
    assert cubin.status == 1 and [*cubin.json] == ["schema", "error"]
    assert cubin.json["error"]["message"] == "instructions of NVIDIA GPUs are not decoded"
    monkeypatch.setitem(sys.modules, "capstone", None)
    host = run_json("disas", HOST, "leaf")
    assert host.status == 1 and [*host.json] == ["schema", "error"]
    assert host.json["error"]["message"].startswith("instructions of X86_64 need capstone: ")


def test_json_has_the_error_after_what_was_read(tmp_path: Path) -> None:
    data = bytearray(NEST.read_bytes())
    (table,) = struct.unpack_from("<Q", data, 40)
    (count,) = struct.unpack_from("<H", data, 60)
    for header in range(table, table + 64 * count, 64):
        if struct.unpack_from("<Q", data, header + 8)[0] & 4:  # SHF_EXECINSTR
            struct.pack_into("<Q", data, header + 24, len(data) - 100)
    (tmp_path / "cut.co").write_bytes(data)
    done = run_json("disas", tmp_path / "cut.co")
    validate(done.json)
    (function,) = done.json["functions"]
    assert (done.status, function["instructions"]) == (1, [])
    assert done.json["error"]["kind"] == "Malformed"
    assert ".text" in done.json["error"]["message"]


def test_json_has_the_notes() -> None:
    done = run_json("disas", NEST, "nest.hip:17")
    assert done.json["notes"] == [
        "nest.hip:17 has no code: line 18 at 0x16c0 is used, the next with code"
    ]
    core = run_json("disas", FIXTURES / "core/crash.x86_64.O0.core", "nosuchname")
    assert core.status == 2 and core.json["error"]["kind"] == "UsageError"


def test_code_of_a_host_without_capstone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "capstone", None)
    done = run("disas", HOST, "factorial")
    assert (done.status, done.out) == (1, "")
    assert done.error.startswith("Unsupported: instructions of X86_64 need capstone: ")
    assert done.error.endswith(" install capstone")


def test_colours() -> None:
    text = run("disas", NEST, "0x1668,+4", "--color", "always").out
    assert "\x1b[" in text and "s_cbranch_execz" in text
    comments = re.findall(r"\x1b\[([0-9;]*)m(?:;|//)", text)
    assert set(comments) == {"38;5;243"}  # light grey would be hardly visible on white


OBJDUMP = "llvm-objdump-19"


@pytest.mark.skipif(not shutil.which(OBJDUMP), reason=f"needs {OBJDUMP}")
@pytest.mark.parametrize(
    "name",
    ["hip/nest.gfx942.O2.v5.co", "hip/nest.gfx90a.O0.v4.co", "opencl/args.gfx906.O2.v5.co"],
)
def test_descriptors_against_llvm(name: str) -> None:
    path = FIXTURES / name
    listing = subprocess.run(
        [OBJDUMP, "-D", "-j", ".rodata", path], capture_output=True, text=True, check=True
    ).stdout
    expected = re.findall(r"^\s*\.(?:end_)?amdhsa.*", listing, re.M)
    lines = [line for line in run("disas", path).lines if "amdhsa_" in line]
    assert lines == expected


def test_what_is_not_simulated_is_listed() -> None:
    """All of a compiled kernel is."""
    done = run("disas", FIXTURES / "hip/nest.gfx942.O2.v5.co", "nest", "--simulated")
    assert (done.status, done.out) == (0, "nest: 347 of 347 are simulated\n")


def test_an_instruction_that_a_table_lacks(tmp_path: Path) -> None:
    """It is one line, whatever its second dword would be alone; nothing says that it is wrong."""
    data = (FIXTURES / "triton/axpy.gfx950.co").read_bytes()
    place = data.index(bytes.fromhex("000001d2007f0100"))  # v_and_or_b32
    path = tmp_path / "k.co"
    path.write_bytes(data[:place] + bytes.fromhex("0000ffd20002807e") + data[place + 8 :])
    done = run("disas", path, "--no-source", "--no-bytes")
    assert done.status == 1
    [line] = [line for line in done.lines if ".long" in line]
    assert line.split(None, 1)[1] == ".long 0xd2ff0000, 0x7e800200"
    done = run("disas", path, "--simulated")
    assert done.status == 1
    assert done.lines[1].endswith(
        ".long 0xd2ff0000, 0x7e800200  # unknown to dwarfgpu, whose table of gfx950 is incomplete"
    )


def test_what_is_not_simulated_has_no_json() -> None:
    done = run("disas", FIXTURES / "hip/nest.gfx942.O2.v5.co", "--simulated", "--json")
    assert done.status == 2
    assert "--simulated cannot be combined with --json" in done.out + done.err


def test_code_beyond_the_last_address_is_an_error(tmp_path: Path) -> None:
    data = bytearray(NEST.read_bytes())
    table, count = int.from_bytes(data[40:48], "little"), data[60]
    for header in range(table, table + 64 * count, 64):
        if data[header + 8] & 4:  # SHF_EXECINSTR
            data[header + 16 : header + 24] = b"\xf0" + b"\xff" * 7
    path = tmp_path / "beyond"
    path.write_bytes(data)
    done = run("disas", path)
    assert done.status == 2
    assert "section .text: the code from 0xfffffffffffffff0 on has" in done.error
    assert done.error.endswith("bytes: no address is so large")


def test_debug_information_that_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = Content(struct.pack("<IIQQ", 1, 0, 0x42, 1) + b"no stream of zlib", flags=0x800)
    code = Content(bytes(4) * 2, flags=6, address=0x1000)
    path = tmp_path / "damaged.co"
    path.write_bytes(elf({".text": code, ".debug_info": damaged}))
    main(["disas", str(path)])
    assert "source lines may be missing: Malformed: .debug_info of " in capsys.readouterr().err


def test_lines_and_names_that_cannot_be_read(tmp_path: Path) -> None:
    """Inlined calls are shown without the lines, if only these are lost."""
    sections = {section.name: section for section in CodeObject.open(NEST).file.sections}
    for name, position, has_calls in (
        (".debug_line", 0x98, True),
        (".debug_str_offsets", 0, False),
    ):
        data = bytearray(NEST.read_bytes())
        begin = sections[name].offset + position
        data[begin : begin + 8] = bytes(8)
        path = tmp_path / "damaged.co"
        path.write_bytes(data)
        done = run("disas", path, "nest")
        assert any(" inlined into nest:" in line for line in done.lines) == has_calls
        [note] = done.notes
        assert note.startswith("source lines may be missing: ") and name in note
        assert run_json("disas", path, "nest").json["notes"] == [note]
        assert not run("disas", path, "nest", "--no-source").notes
    assert not run("disas", NEST, "nest").notes


def test_the_demo_has_the_addresses_of_its_state() -> None:
    """An address that another command shows for the demo is a PLACE."""
    [_, frame] = run("lanes", "--demo", "--lane", "0").lines[1:3]
    pc = frame.split()[2]
    done = run("disas", "--demo", f"{pc},+4", "--no-source")
    assert (done.lines[-1].split()[0], done.status) == (pc.removeprefix("0x"), 0)


def test_kernels_of_one_entry_have_their_own_descriptors(tmp_path: Path) -> None:
    """One that the compiler found to have no code begins where the next one does."""
    demo = bytearray(WAVE64.read_bytes())
    file = ObjectFile("made", bytes(demo))
    first, second = kernels(file)[:2]
    # The descriptor has the distance to the code at byte 16.
    for section in file.sections:
        if section.address <= first.descriptor < section.address + section.size_bytes:
            at = section.offset + first.descriptor - section.address + 16
    demo[at : at + 8] = (second.entry - first.descriptor).to_bytes(8, "little", signed=True)
    path = tmp_path / "made.co"
    path.write_bytes(demo)
    done = run("disas", path, f"*{second.entry:#x}")
    named = [line.split()[1] for line in done.lines if line.startswith(".amdhsa_kernel ")]
    assert sorted(named) == sorted([first.name, second.name])


@pytest.mark.parametrize(
    ("command", "shown"),
    [("disas FILE s0000005", "s0000005"), ("disas FILE 0x1014", "s0000005"),
     ("disas FILE 0x1010,+8", "s0000004 s0000005"), ("info FILE", ""), ("check FILE", "")],
)  # fmt: skip
def test_only_names_that_are_shown_are_read(
    command: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a table that is too large for all of its symbols to be kept."""
    monkeypatch.setattr(symbols, "_MAX_KEPT_TABLE", 10)
    write_files(named_functions(1_000), tmp_path)
    read: list[str] = []
    name_at = StringTable.at

    def counted(table: StringTable, offset: int) -> str:
        read.append(name_at(table, offset))
        return read[-1]

    monkeypatch.setattr(StringTable, "at", counted)
    done = run(*command.replace("FILE", str(tmp_path / "bomb")).split())
    for name in shown.split():
        assert any(f"<{name}>" in line for line in done.lines)
    names = [name for name in read if name.startswith("s0")]
    assert len(names) <= 8


def test_what_names_an_address_that_has_several_symbols(tmp_path: Path) -> None:
    """The last function, else the first symbol; also where sections overlap."""
    names, rows = b"\0a\0b\0c\0", b""
    for name, kind, address in (
        (1, 0x10, 0x1000), (3, 0x12, 0x1000), (5, 0x12, 0x1000), (1, 0x11, 0x1000),
        (3, 0x10, 0x1008), (5, 0x11, 0x1008), (9, 0x12, 0x100C), (0, 0x12, 0x100C),
    ):  # fmt: skip
        rows += struct.pack("<IBBHQQ", name, kind, 0, 1, address, 4)
    path = tmp_path / "named.co"
    contents = {
        ".text": Content(bytes(0x10), flags=6, address=0x1000),
        ".symtab": Content(bytes(24) + rows, type=2, link=3, entry_bytes=24),
        ".strtab": Content(names, type=3),
        ".around": Content(bytes(0x18), flags=6, address=0xFFC),
    }
    path.write_bytes(elf(contents))
    code = Disassembly(CodeObject.open(path, 0x7000))
    assert [(item.name, item.begin, item.end, item.symbol_end) for item in code.ranges] == [
        (".around", 0x7FFC, 0x8000, 0x8000),
        ("c", 0x8000, 0x8008, 0x8004),
        ("c", 0x8000, 0x8008, 0x8004),
        ("b", 0x8008, 0x8010, 0x800C),
        ("b", 0x8008, 0x8014, 0x800C),
    ]
    assert code.ranges_named("b") == code.ranges[3:]
    assert code.ranges_named(".around") == code.ranges[:1]
    assert code.ranges_named("a") == ()
    assert code.range_at(0x8011) == code.ranges[4] and code.range_at(0x8014) is None
    assert [item.item for item in code_between(code, 0x7FFE, 0x8001)] == [*code.ranges[:3]]
