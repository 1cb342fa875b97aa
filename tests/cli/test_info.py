"""`dwarfgpu info`: text, JSON, and what happens with files that are broken."""

from __future__ import annotations

import json
import random
import re
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.service.file.file_report import report_on
from dwarfgpu.service.file.file_report_json import SCHEMA, report_json, streamed_report
from dwarfgpu.view.json_pieces import json_pieces
from tests.cli.command import FIXTURES, Json, run, run_json
from tests.dwarf.builder import X86_64, Shape, abbreviations, elf, read_fixture, unit
from tests.objfile.test_bundle import CODE, GFX942, HOST, ON, compressed, plain
from tests.objfile.test_gpu_code import v2
from tools.bombs.containers import described_kernels, long_names
from tools.bombs.model import write_files

Tool = Callable[[str], str]
NEST = FIXTURES / "hip/nest.gfx942.O2.v5.co"
BINARIES = sorted(
    path
    for path in FIXTURES.glob("*/*")
    if path.suffix == ".co" or re.search(r"\.v[45]$", path.name)
)


@pytest.mark.parametrize("path", BINARIES, ids=lambda path: path.name)
def test_every_fixture_is_known(path: Path) -> None:
    answer = run_json("info", path)
    assert answer.status == 0 and answer.json["problems"] == []
    assert answer.json["units"] and answer.json["sections"]
    for entry in answer.json["units"]:
        assert entry["error"] is None
        assert entry["producer"] or entry["kind"] == dw.UT_TYPE  # clang names none there
    is_gpu = path.suffix == ".co"
    assert (answer.json["gpu"] is not None) == is_gpu
    if is_gpu:
        gpu = answer.json["gpu"]
        assert gpu["processor"] == path.name.split(".")[1]
        assert gpu["code_object_version"] in (4, 5, 6)
        assert gpu["kernels"] and all(kernel["descriptor"] for kernel in gpu["kernels"])
    assert run("info", path).status == run("info", path, "--all").status == 0


def test_a_kernel() -> None:
    (kernel,) = run_json("info", NEST).json["gpu"]["kernels"]
    names = ("name", "wave_size", "lds_size", "kernarg_size", "max_flat_workgroup_size")
    assert [kernel[name] for name in names] == ["nest", 64, 0, 20, 1024]
    arguments = kernel["arguments"]
    assert [(item["offset"], item["size"], item["kind"]) for item in arguments] == [
        (0, 8, "global_buffer"), (8, 8, "global_buffer"), (16, 4, "by_value"),
    ]  # fmt: skip
    assert kernel["entry"] == 0x1600 and kernel["descriptor"]["fields"]["enable_ieee_mode"] == 1


@pytest.mark.parametrize("count", [0, 1, 3])
def test_json_in_pieces_is_that_of_the_whole_report(count: int, tmp_path: Path) -> None:
    """Kernels are written one by one; not all of them are held as JSON."""
    write_files(described_kernels(count), tmp_path)
    report = report_on(str(tmp_path / "bomb"), None, ())
    assert report.gpu is not None and len(report.gpu.kernels) == count
    pieces = list(json_pieces({"schema": SCHEMA, **streamed_report(report)}))
    assert sum('"kernarg_align"' in piece for piece in pieces) == count
    assert not any(piece.count('"kernarg_align"') > 1 for piece in pieces)
    assert "".join(pieces) == json.dumps({"schema": SCHEMA, **report_json(report)})


@pytest.mark.parametrize("path", [NEST, next(one for one in BINARIES if one.suffix != ".co")])
def test_json_in_pieces_of_a_fixture(path: Path) -> None:
    report = report_on(str(path), None, ())
    whole = json.dumps({"schema": SCHEMA, **report_json(report)})
    assert run("info", path, "--json").out == whole + "\n"


def test_text() -> None:
    lines = run("info", NEST).lines
    assert lines[0] == f"{NEST}: ELF 64-bit little-endian shared object, AMDGPU for hsa"
    assert lines[1] == "target gfx942 (xnack any, sramecc any)"
    assert lines[2] == "code object V5, metadata 1.2 for amdgcn-amd-amdhsa--gfx942"
    assert lines[3].startswith("kernel nest (descriptor 0x")
    assert any(line.startswith("  [  0,  8) global_buffer") for line in lines)
    assert any(line.startswith("  .debug_info ") for line in lines)
    assert lines[-1].endswith("; dialect upstream-clang")


def test_all_lists_units_and_fields() -> None:
    lines = run("info", FIXTURES / "asm/legacy.gfx942.v5.co", "--all").lines
    assert any(re.fullmatch(r" +granulated_workitem_vgpr_count +5", line) for line in lines)
    assert any(re.match(r"  0x0 .*: DWARF 5, 32-bit; ", line) for line in lines)


def test_v2_of_clrx(tmp_path: Path) -> None:
    path = tmp_path / "v2.hsaco"
    path.write_bytes(v2())
    gpu = run_json("info", path).json["gpu"]
    assert (gpu["code_object_version"], gpu["target"], gpu["printf"]) == (2, "gfx803", ["1:1:4:%d"])
    (kernel,) = gpu["kernels"]
    assert (kernel["required_workgroup_size"], kernel["unknown_keys"]) == ([64, 1, 1], ["New"])
    text = run("info", path)
    assert text.status == 0
    assert "  workgroup size: required 64x1x1, at most 256" in text.lines
    assert "  [  8, 16) global_buffer float* a global f32 default const" in text.lines


@pytest.fixture
def fat(tmp_path: Path) -> Path:
    code = {id: read_fixture(CODE[id]) for id in (ON, GFX942)}
    path = tmp_path / "host"
    path.write_bytes(elf({".hip_fatbin": compressed(plain({HOST: b"", **code}))}, machine=62))
    return path


def test_a_fat_binary(fat: Path) -> None:
    listed = run_json("info", fat).json
    result = [
        (code_object["index"], code_object["target"]) for code_object in listed["code_objects"]
    ]
    assert result == [(0, None), (1, "gfx90a:xnack+"), (2, "gfx942")]
    assert {code_object["compression"] for code_object in listed["code_objects"]} == {"zlib"}
    assert (listed["elf"]["machine"], listed["gpu"]) == ("X86_64", None)
    assert "  (give one with --target to see what is in it)" in run("info", fat).lines
    picked = run_json("info", fat, "--target", "gfx942").json
    alone = run_json("info", NEST).json
    assert {**picked, "file": None} == {**alone, "file": None}
    wrong = run("info", fat, "--target", "gfx1100")
    assert wrong.status == 2 and "holds no code for gfx1100; it has" in wrong.error


def test_eval_in_a_fat_binary(fat: Path) -> None:
    arguments = ("--lane", 3, "--pc", "0x1640", "--reg", "v6=[" + "7," * 63 + "7]", "t")
    assert run("eval", "--file", fat, "--target", "gfx942", *arguments).lines[0] == "t = 7"


def test_bundles(tmp_path: Path) -> None:
    path = tmp_path / "a.bundle"
    path.write_bytes(plain({HOST: b"", GFX942: read_fixture(CODE[GFX942])}))
    answer = run_json("info", path).json
    assert answer["gpu"]["target"] == "gfx942" and len(answer["code_objects"]) == 2
    path.write_bytes(plain({ON: b"x", GFX942: b"y"}))
    answer = run_json("info", path).json
    assert (answer["elf"], len(answer["code_objects"])) == (None, 2)
    assert run("info", path).lines[0] == f"{path}: offload bundle"


def test_a_separate_debug_file(tmp_path: Path) -> None:
    debug = (FIXTURES / "x86_64/demo.gcc.O0.v5").read_bytes()
    link = b"a.debug\0" + zlib.crc32(debug).to_bytes(4, "little")
    path = tmp_path / "a"
    path.write_bytes(elf({".gnu_debuglink": link}, machine=62))
    answer = run_json("info", path, "--debug-dir", tmp_path).json
    assert (answer["elf"]["debug_file"], answer["units"]) == (None, [])
    (tmp_path / "a.debug").write_bytes(debug)
    answer = run_json("info", path).json
    assert answer["elf"]["debug_link"] == {"name": "a.debug", "crc": zlib.crc32(debug)}
    assert answer["elf"]["debug_file"] == str(tmp_path / "a.debug")
    assert [unit["language_name"] for unit in answer["units"]] == ["C11"]
    assert f"debug information in {tmp_path / 'a.debug'}" in run("info", path).lines


def test_eval_in_a_stripped_file(tool: Tool, tmp_path: Path) -> None:
    """The wave size is in descriptors, which the debug file does not have."""
    objcopy, debug, path = tool("llvm-objcopy-19"), tmp_path / "k.debug", tmp_path / "k.co"
    whole = FIXTURES / "hip/nest.gfx1100.O2.v5.co"
    for command in (
        [objcopy, "--only-keep-debug", whole, debug],
        [objcopy, "--strip-debug", f"--add-gnu-debuglink={debug}", whole, path],
    ):
        subprocess.run(command, check=True)
    arguments = ("--pc", "0x1640", "--lane", 3, "--reg", "v6=[" + "7," * 31 + "7]")
    stripped = run("eval", "--file", path, *arguments).out
    assert stripped.replace("k.co", whole.name) == run("eval", "--file", whole, *arguments).out
    assert "int t = 7 " in stripped
    debug.chmod(0o600)  # objcopy keeps the mode of a file that may be read only
    debug.write_bytes(debug.read_bytes() + b"!")
    assert "int t = 7" not in run("eval", "--file", path, *arguments).out


def _with_unit(*attributes: tuple[int, int], values: bytes) -> bytes:
    sections = {
        ".debug_info": unit(b"\x01" + values),
        ".debug_abbrev": abbreviations(Shape(0x11, attributes)),
    }
    return elf(sections)


@pytest.mark.parametrize(
    ("data", "augmentation"),
    [
        (_with_unit((0x3E09, 0x08), values=b"[amd:v0.0]\0"), "[amd:v0.0]"),
        (_with_unit((0x3E09, 0x19), values=b""), None),  # taken by another vendor, as a flag
        (_with_unit((0x3E09, 0x0B), values=b"\1"), None),
    ],
)
def test_augmentation(tmp_path: Path, data: bytes, augmentation: str | None) -> None:
    path = tmp_path / "a.co"
    path.write_bytes(data)
    (result,) = run_json("info", path).json["units"]
    assert result["augmentation"] == augmentation


def test_a_part_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.co"
    path.write_bytes(_with_unit((0x25, 0x0E), values=b"\xff\0\0\0"))
    answer = run_json("info", path)
    assert answer.status == 1
    (result,) = answer.json["units"]
    assert result["producer"] is None and "no string starts" in result["error"]["message"]
    text = run("info", path)
    assert text.status == 1 and any("no string starts" in line for line in text.lines)


def test_names_of_a_file_move_no_cursor(tmp_path: Path) -> None:
    path = tmp_path / "a.co"
    path.write_bytes(_with_unit((0x25, 0x08), values=b"\x1b[2J\0"))
    assert "\x1b" not in run("info", path).out


def test_requests_that_are_wrong(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("text")
    for arguments, message in (
        ([], "give one FILE or more, or folders"),
        (["/nonexistent"], "cannot be read"),
        ([tmp_path / "text"], "is not an ELF file"),
        ([NEST, "--target", "gfx90a"], "is for gfx942, not for gfx90a"),
        ([NEST, "--target", "99"], "is one code object: leave out --target, or give its target"),
        ([FIXTURES / "x86_64/demo.gcc.O0.v5", "--target", "99"], "holds no code for a GPU"),
        ([NEST, "--dialect", "bogus"], "invalid choice"),
    ):
        done = run("info", *arguments)
        assert done.status == 2 and message in done.error
        assert run_json("info", *arguments).json["error"]["kind"] == "UsageError"


def test_large_files_of_debian(tool: Tool) -> None:
    path = Path("/usr/bin/python3.11d")
    if not path.exists():
        pytest.skip("python3-dbg is not installed")
    dumped = subprocess.run(
        [tool("llvm-dwarfdump-19"), "--debug-info", "--recurse-depth=0", path],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    units: list[Json] = run_json("info", path).json["units"]
    assert [unit["producer"] for unit in units] == re.findall(r'DW_AT_producer\t\("(.*)"\)', dumped)
    theirs = re.findall(r"DW_AT_language\t\(DW_LANG_(\w+)\)", dumped)
    assert [unit["language_name"] for unit in units] == theirs


@pytest.mark.parametrize("name", ["hip/data.gfx942.O2.v5.co", "asm/legacy.gfx942.v5.co", "v2"])
def test_mutated_files(tmp_path: Path, name: str) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    original = v2() if name == "v2" else read_fixture(name)
    path = tmp_path / "mutated"
    for _ in range(60):
        data = bytearray(original)
        for _ in range(source.randint(1, 40)):
            data[source.randrange(len(data))] = source.choice((0, 1, 0xFF, source.randrange(256)))
        if source.random() < 0.1:
            del data[source.randrange(64, len(data)) :]
        path.write_bytes(data)
        assert run_json("info", path).status in (0, 1, 2)
        assert run("info", path, "--all").status in (0, 1, 2)


def test_a_stripped_file_is_not_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "stripped"
    path.write_bytes(elf({".gnu_debugaltlink": b"gone.debug\0" + bytes(range(20))}, X86_64))
    done = run("info", path, "--debug-dir", tmp_path)
    assert done.status == 0
    assert "no debug information" in done.lines
    assert done.lines[-1] == "  not found; no unit here needs it"
    assert "problem" not in done.out and "MissingContext" not in done.out
    assert run_json("info", path, "--debug-dir", tmp_path).status == 0


def test_an_absent_file_that_units_may_need_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "prog"
    path.write_bytes((FIXTURES / "split/dwz4/prog").read_bytes())
    done = run("info", path, "--debug-dir", tmp_path)
    assert done.status == 1
    assert done.lines[-1].startswith("  problem: MissingContext: ")
    assert "no debug information" not in done.lines


@pytest.mark.parametrize(
    ("beginning", "says"),
    [
        (b"!<arch>\na.o/", "an ar archive of object files; extract one with `ar x`"),
        (b"!<thin>\na.o/", "an ar archive of object files; extract one with `ar x`"),
        (b"!<arch>\ndebian-binary", "a Debian package; extract its files with `dpkg-deb -x`"),
        (b"PK\3\4", "a zip archive; extract a file with `unzip`"),
    ],
)
def test_an_archive_is_called_one(beginning: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "lib.a"
    path.write_bytes(beginning.ljust(60))
    done = run("eval", "--file", path, "x")
    assert done.status == 2
    assert done.error == f"{path} is {says}"


def test_a_very_long_name_in_metadata_is_cut(tmp_path: Path) -> None:
    """The mark says how long the line is, and JSON has all of it."""
    path = tmp_path / "made"
    path.write_bytes(long_names(40_000)["bomb"])
    lines = run("info", path).lines
    long = [line for line in lines if "characters: --json has all)" in line]
    assert [line.split("nnn")[0].strip() for line in long] == [
        "kernel", "language", "[  0,  4) by_value"
    ]  # fmt: skip
    assert long[0].endswith("nnn… (40007 characters: --json has all)")
    assert max(map(len, lines)) < 33_000
    assert run_json("info", path).json["gpu"]["kernels"][0]["name"] == "n" * 40_000
