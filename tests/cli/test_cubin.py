"""Cubins on the command line: what `info`, `where`, `frames`, `dis`, `check` and `eval` say."""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from dwarfgpu.errors import LimitExceeded
from dwarfgpu.objfile import cuda_attributes, cuda_code
from dwarfgpu.objfile.elf import open_object
from tests.cli.command import FIXTURES, run, run_json

NVIDIA = FIXTURES / "nvidia"
CUBINS = sorted(NVIDIA.glob("*.cubin"))
TARGETS = {
    "axpy.sm_80.cubin": "sm_80",
    "axpy.sm_90.cubin": "sm_90a",
    "combine.sm_75.cubin": "sm_75",
    "combine.sm_75.lineinfo.cubin": "sm_75",
    "combine.sm_80.relocatable.cubin": "sm_80",
    "combine.sm_90.cubin": "sm_90",
    "kinds.sm_80.cubin": "sm_80",
    "loops.sm_120.cubin": "sm_120a",
}
"""As `cuobjdump -elf` of CUDA 13.1 says."""
AXPY = NVIDIA / "axpy.sm_90.cubin"
COMBINE = NVIDIA / "combine.sm_90.cubin"


def test_every_cubin_has_a_target_here() -> None:
    assert {path.name for path in CUBINS} == set(TARGETS)


@pytest.mark.parametrize("path", CUBINS, ids=lambda path: path.name)
def test_info(path: Path) -> None:
    answer = run_json("info", path).json
    assert answer["problems"] == [] and answer["gpu"] is None
    assert answer["elf"]["machine"] == "CUDA"
    assert answer["cuda"]["target"] == TARGETS[path.name]
    (kernel,) = answer["cuda"]["kernels"]
    assert kernel["name"] == path.name.split(".")[0]
    assert {unit["dialect"] for unit in answer["units"]} <= {"nvidia"}
    assert bool(answer["units"]) == (".lineinfo." not in path.name)
    names = [parameter["name"] for parameter in kernel["parameters"]]
    assert names == [f"{kernel['name']}_param_{number}" for number in range(len(names))]


def test_text_of_info() -> None:
    lines = run("info", COMBINE).lines
    assert lines[0] == f"{COMBINE}: ELF 64-bit little-endian executable, CUDA"
    assert "target sm_90" in lines
    assert "kernel combine [0x0,0x1300)" in lines
    assert "  [ 20, 28) parameter combine_param_3" in lines
    assert "  .text._ZL5weighPK4Pairf  [0x1300,0x1c80)" in lines


@pytest.mark.parametrize("path", CUBINS, ids=lambda path: path.name)
def test_check_finds_no_mistakes(path: Path) -> None:
    output = run("check", path)
    assert output.status == 0, output.out
    assert output.lines[-1].startswith("0 errors, 0 warnings")


def test_registers_are_named_by_ptx_and_lists_are_relocated() -> None:
    """Compiler and linker agree on addresses: the size of the function is that of its symbol."""
    (at,) = run_json("where", AXPY, "at").json["variables"]
    assert at["scope"] == [{"begin": 0, "end": 0x980}]
    operations = [entry["operations"] for entry in at["entries"]]
    assert operations[:2] == ["DW_OP_consts +5", "DW_OP_regx %r7"]
    assert all(entry["end"] <= 0x980 for entry in at["entries"])


def test_every_list_of_unlinked_units_is_read() -> None:
    for path in CUBINS:
        if ".lineinfo." not in path.name:
            answer = run_json("where", path, "--all").json
            assert answer["problems"] == []
            assert all(variable["error"] is None for variable in answer["variables"])


def test_functions_have_addresses_of_their_own() -> None:
    functions = run_json("where", COMBINE, "--all").json["functions"]
    assert [function["name"] for function in functions] == ["combine", "weigh", "twice"]
    starts = [function["ranges"][0]["begin"] for function in functions]
    assert starts == [0, 0x1300, 0x1C80]


def test_symbols_of_other_memory_are_at_no_address_of_code() -> None:
    """`scale` is at 0 of a constant bank, `tile` at 0x400 of shared memory."""
    file = open_object(COMBINE)
    for address, name in ((0, "combine"), (0x500, "combine"), (0x1310, "_ZL5weighPK4Pairf")):
        symbol = file.symbol_before(address)
        assert symbol is not None and symbol.name == name
    (scale,) = file.symbols_named("scale")
    assert scale.address == 0


def test_frames() -> None:
    lines = run("frames", COMBINE).lines
    assert "    DW_CFA_def_cfa: R1 +0" in lines
    assert any(line.startswith("FDE") and "weigh" in line for line in lines)


@pytest.mark.parametrize(
    ("path", "subject", "pc", "reason"),
    [
        (AXPY, "at", "0x170", "register %r7: dwarfgpu reads files for NVIDIA GPUs, but no values"),
        (
            COMBINE,
            "pairs",
            "0x300",
            "register R1: dwarfgpu reads files for NVIDIA GPUs, but no values",
        ),
        (COMBINE, "scale[1]", "0x300", "dwarfgpu reads files for NVIDIA GPUs, but no values"),
        (COMBINE, "counter", "0x300", "dwarfgpu reads files for NVIDIA GPUs, but no values"),
    ],
)
def test_values_need_a_machine(path: Path, subject: str, pc: str, reason: str) -> None:
    answered = run("eval", subject, "--file", path, "--pc", pc)
    assert reason in answered.err
    assert answered.out in ("", f"{subject} = <unavailable>\n")


def test_a_value_that_is_missing_names_the_register_to_give() -> None:
    """A variable is in a register of PTX: one of the machine does not give its contents."""
    question = ("eval", "total", "--file", AXPY, "--pc", "0x740", "--reg")
    assert "; --reg %r6=VALUE gives its contents" in run(*question, "R12=5").err
    assert run(*question, "%r6=0x40400000").out == "total = 3\n"


def test_a_kernel_has_no_caller() -> None:
    """Its call frame information has 0xffffffff for the return address: there is none."""
    answered = run("bt", "--file", COMBINE, "--pc", "0x10")
    assert answered.status == 0
    assert [line[:2] for line in answered.lines] == ["#0"]
    assert "outermost" not in answered.out
    end = run_json("bt", "--file", COMBINE, "--pc", "0x10").json["end"]
    assert end == {"is_outermost": True, "reason": "outermost: combine is a kernel"}
    titles = [line for line in run("frames", COMBINE).lines if line.startswith("CIE")]
    assert [title.rpartition("return address ")[2] for title in titles] == ["none", "R20", "R20"]


def test_a_gpu_that_is_unknown(tmp_path: Path) -> None:
    """The header has it, not the request."""
    data = bytearray((NVIDIA / "axpy.sm_80.cubin").read_bytes())
    data[48] = 1
    (path := tmp_path / "axpy.cubin").write_bytes(data)
    reason = f"{path} is for the NVIDIA GPU sm_1 by its e_flags 0x500501, which is not supported"
    assert run("eval", path, "lit1").error.startswith(reason)
    assert run("eval", path, "--arch", "sm_80", "-e", "lit1").out == "1\n"
    assert run("check", path).status == 0
    assert run("frames", path).status == 0


def test_instructions_are_not_decoded() -> None:
    """Whether or not the package that decodes the instructions of hosts is installed."""
    answered = run("disas", AXPY)
    assert (answered.status, answered.out) == (1, "")
    assert answered.err.endswith("Unsupported: instructions of NVIDIA GPUs are not decoded\n")


def test_dis_of_an_object_file_names_the_commands_that_read_it() -> None:
    answered = run("dis", "--file", AXPY)
    assert answered.status == 2
    assert answered.err.startswith(f"dwarfgpu: {AXPY}: an object file, not bytes as text; info, ")


def test_where_reports_what_cannot_be_relocated(tmp_path: Path) -> None:
    file = open_object(AXPY)
    (table,) = file.sections_named(".rela.debug_info")
    data = bytearray(AXPY.read_bytes())
    data[table.offset + 8] = 222
    path = tmp_path / "unknown.cubin"
    path.write_bytes(data)
    why = f": {path}: .rela.debug_info: relocation type 222 of CUDA is unknown"
    for arguments in (("--all", path), (path, "total")):
        answered = run("where", *arguments)
        assert answered.status == 1
        [said] = [line for line in (answered.out + answered.err).splitlines() if why in line]
        assert "Unsupported: " in said
    record = run_json("where", "--all", path).json
    assert [problem["kind"] for problem in record["problems"]] == ["Unsupported"]


def test_dis() -> None:
    lines = run("dis", "--arch", "sm_90", "90b0e29093d704").lines
    assert lines == ["0x0000  90b0e29093d704  DW_OP_regx %rd10"]


def test_where_shows_machine_registers() -> None:
    lines = run("where", AXPY, "at").lines
    at = lines.index("  [0x160,0x180)  axpy.py:10       in %r7: DW_OP_regx %r7")
    assert lines[at + 1 : at + 3] == [
        "    [0x160,0x170) R4",
        "    [0x170,0x180) in no register of the machine",
    ]
    (y,) = run_json("where", AXPY, "y").json["variables"]
    (entry,) = y["entries"]
    places = [allocated["places"] for allocated in entry["machine_registers"]]
    assert places == [[], ["R2", "?"], ["R2", "R3"], []]


def test_address_classes_by_the_names_of_cuda() -> None:
    answer = run_json("where", COMBINE, "--all").json
    storage = {one["name"]: one["storage"] for one in answer["variables"] if "storage" in one}
    expected = {"scale": "constant", "counter": "global", "tile": "shared", "index": "local"}
    assert expected.items() <= storage.items()
    (x,) = run_json("where", AXPY, "x").json["variables"]
    assert x["storage"] == "register"
    heading = "parameter int count, declared at line 30, in local storage of combine"
    assert run("where", COMBINE, "count").lines[0] == heading


def test_kinds_of_storage_of_nvidias_own_compiler() -> None:
    answer = run_json("where", NVIDIA / "kinds.sm_80.cubin", "--all").json
    storage = {one["name"]: one["storage"] for one in answer["variables"] if "storage" in one}
    assert storage["pairs"] == storage["count"] == "parameter"
    assert storage["last"] == storage["local"] == "local"
    assert storage["sum"] == storage["pair"] == "register"
    assert storage["scale"] == "constant" and storage["counter"] == "global"


def test_info_lists_registers_of_ptx() -> None:
    assert "registers of PTX in axpy: 23 in 45 places" in run("info", AXPY).lines
    assert "  [0x140,0x170) %r7 b32: R4" in run("info", AXPY, "--all").lines
    assert "  [0xe0,0x130) %rd6 b64, word 1: R3" in run("info", AXPY, "--all").lines
    registers = run_json("info", AXPY).json["cuda"]["ptx_registers"]
    assert len(registers) == 45 and registers[0]["name"] == "%p1"


def _parameter(ordinal: int, offset: int) -> bytes:
    """The beginning of an attribute of a parameter."""
    return struct.pack("<BBHIHH", 4, 0x17, 12, 0, ordinal, offset)


@pytest.mark.parametrize(
    ("there", "written", "fault"),
    [
        (_parameter(0, 0), _parameter(0, 255), "number 0 has 8 bytes at 255, and all have 28"),
        (_parameter(1, 8), _parameter(1, 7), "number 0 has 8 bytes at 0, and number 1 has 8 bytes"),
        (_parameter(2, 16), _parameter(3, 16), "none is number 2\n"),
        (_parameter(2, 16), _parameter(1, 16), "two are number 1\n"),
        (
            _parameter(2, 16) + struct.pack("<I", 0x11F000),
            _parameter(2, 16) + struct.pack("<I", 0x1F000),
            "number 2 has 0 bytes at 16\n",
        ),
    ],
)
def test_parameters_that_contradict_one_another(
    there: bytes, written: bytes, fault: str, tmp_path: Path
) -> None:
    data = COMBINE.read_bytes()
    assert data.count(there) == 1
    (path := tmp_path / "wrong.cubin").write_bytes(data.replace(there, written))
    says = f"{path}: .nv.info.combine: the parameters contradict one another: {fault}"
    answered = run("info", path)
    assert answered.status == 1 and f"problem: Malformed: {says}" in answered.out
    assert f"error: {says.rstrip()}" in run("check", path).out


@pytest.mark.parametrize(
    ("module", "limit", "most", "says"),
    [
        (cuda_attributes, "MAX_ATTRIBUTES", 3, ".nv.compat: there are more than 3 attributes"),
        (cuda_code, "MAX_PARAMETERS", 3, ".nv.info.combine: the kernels have more than 3 param"),
    ],
)
def test_very_many_attributes(
    module: ModuleType, limit: str, most: int, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = open_object(COMBINE)
    assert not cuda_code.read_cuda_code(file).problems
    monkeypatch.setattr(module, limit, most)
    problems = cuda_code.read_cuda_code(file).problems
    assert all(isinstance(problem, LimitExceeded) for problem in problems)
    assert says in str(problems[0])


def test_an_attribute_that_is_cut_short(tmp_path: Path) -> None:
    data = COMBINE.read_bytes()
    attribute = _parameter(0, 0)
    cut = data.replace(attribute, attribute[:2] + b"\xff\xff" + attribute[4:])
    (path := tmp_path / "cut.cubin").write_bytes(cut)
    answered = run("info", path)
    says = r"problem: Malformed: .*\.nv\.info\.combine: the attribute at offset 0x\w+ is cut short"
    assert answered.status == 1 and re.search(says, answered.out)


def test_kinds_of_parameters(tmp_path: Path) -> None:
    """As ptxas 13 writes a texture, which has no bytes, and those of kernels with several KiB of
    parameters: EIATTR_KPARAM_INFO_V2."""
    data = COMBINE.read_bytes()
    texture = struct.pack("<BBHIHHI", 4, 0x17, 12, 7, 2, 0xFFFF, 0x1F600)
    long = struct.pack("<BBHIHHHH", 4, 0x45, 12, 0, 3, 20, 8, 0)
    for new in (texture, long):
        at = data.index(_parameter(new[8], {2: 16, 3: 20}[new[8]]))
        data = data[:at] + new + data[at + 16 :]
    (path := tmp_path / "kinds.cubin").write_bytes(data)
    answered = run("info", path)
    assert answered.status == 0
    assert "  reference parameter combine_param_2" in answered.lines
    assert "  [ 20, 28) parameter combine_param_3" in answered.lines


KERNELS = sorted(NVIDIA.glob("*.kernels.txt"))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.name)
def test_kernels_as_cuobjdump(path: Path) -> None:
    """`NAME.kernels.txt` is what cuobjdump of CUDA 13.1 says."""
    name = path.name.replace(".kernels.txt", ".cubin")
    answer = run_json("info", NVIDIA / name).json["cuda"]
    text = path.read_text()
    assert f"sm={answer['target'].removeprefix('sm_')}\n" in text
    (kernel,) = answer["kernels"]
    counts = dict(re.findall(rf"function: {kernel['name']}\S+ (\D+): (\w+)", text))
    assert kernel["registers"] == int(counts["register count"])
    assert kernel["frame_size"] == int(counts["frame size"], 16)
    parameters = {
        int(ordinal, 16): (int(offset, 16), int(size, 16))
        for ordinal, offset, size in re.findall(
            r"Ordinal : (\w+) Offset : (\w+) Size : (\w+)", text
        )
    }
    result = [(one["offset"], one["size"]) for one in kernel["parameters"]]
    assert result == [parameters[ordinal] for ordinal in sorted(parameters)]


def test_location_lists_as_llvm_dwarfdump(tool: Callable[[str], str]) -> None:
    """ptxas 12.9 has the addresses in place: without a base address they begin at 0 in both."""
    path = NVIDIA / "axpy.sm_80.cubin"
    text = subprocess.run(
        [tool("llvm-dwarfdump-19"), "--debug-info", str(path)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    entries = re.findall(r"\(0x(\w{16}), 0x(\w{16})\): (.*?)\)?\n", text)
    expected = [(int(begin, 16), int(end, 16), expression) for begin, end, expression in entries]
    result = [
        (entry["begin"], entry["end"], re.sub(r"%\w+", _number, entry["operations"]))
        for variable in run_json("where", path, "--all").json["variables"]
        for entry in variable["entries"]
        if entry["begin"] is not None
    ]
    assert len(expected) > 20 and sorted(result) == sorted(expected)


def _number(name: re.Match[str]) -> str:
    return f"0x{name[0].encode().hex()}"


def test_call_frame_information_as_llvm_dwarfdump(tool: Callable[[str], str]) -> None:
    path = NVIDIA / "combine.sm_75.lineinfo.cubin"
    text = subprocess.run(
        [tool("llvm-dwarfdump-19"), "--debug-frame", str(path)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    matches = re.findall(r"DW_CFA_(same_value|undefined|def_cfa): reg(\d+)", text)
    entries = run_json("frames", path).json["sections"][0]["entries"]
    result = [
        (one["instruction"].removeprefix("DW_CFA_"), f"{one['register']}")
        for entry in entries
        for one in entry["instructions"]
        if "register" in one and one["instruction"] != "DW_CFA_val_expression"
    ]
    assert len(result) > 5 and result == matches
