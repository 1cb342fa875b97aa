"""What the user says that a vector register holds where upstream clang does not."""

from __future__ import annotations

from pathlib import Path

import pytest

import dwarfgpu as dg
from dwarfgpu.arch.amdgpu import PRIVATE_LANE
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import Ambiguous, UsageError
from dwarfgpu.expr.dialect.dialect import VGPR_HOLDS, VgprContents, vgpr_contents
from dwarfgpu.expr.explicit_context import ExplicitUnit, FrameWithoutProgram
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.gpu_code import read_gpu_code
from tests.cli.command import FIXTURES, run, run_json

KERNELS = FIXTURES / "opencl/kernels.gfx942.O2.v5.co"
DWORDS = ("--reg", "v2=[1,2,3,4]", "--reg", "v3=[16,32,48,64]")
PRIVATE = ("--mem", "private_lane[3]#0x4=01020304050607080900")
MACHINE = ("--dialect", "upstream-clang", "--lane", 3, *DWORDS, *PRIVATE)
IN_T = ("--file", KERNELS, "--pc", 0x2120, "--reg", "v0=[10,11,12,13]")
"""In the kernel `diverge`, which has no scratch memory."""
IN_N = ("--file", KERNELS, "--pc", 0x2340, "--reg", "v2=[10,11,12,13]")
"""In the function `walk`: one of the kernels has scratch memory."""
VALUE, ADDRESS = VGPR_HOLDS
AS_VALUE = (
    "is assumed to hold the value itself, by the quirk vgpr-holds-value: upstream clang writes "
    "DW_OP_bregx for its address, too"
)
AS_ADDRESS = (
    "is assumed to hold the address of the value, by the quirk vgpr-holds-address: upstream clang "
    "writes DW_OP_bregx for the value itself, too"
)
SUFFIX = "lit1; swap; xderef"


def _state(registers: dict[str, list[int]]) -> dg.StateTarget:
    """A wave of gfx942 with dwords of vector registers."""
    arch = dg.architecture("gfx942")
    state = dg.StateTarget(arch)
    state.add_wave(0)
    for name, dwords in registers.items():
        register = arch.register_named(name)
        assert register is not None
        state.set_lanes(0, register, [*dwords, *[None] * (64 - len(dwords))])
    return state


@pytest.mark.parametrize(
    ("operations", "value", "address"),
    [
        ("bregx v2 0", "v2 + byte 12 (wave 0)", "private_lane#0x4 (wave 0, lane 3)"),
        ("bregx v2 8", "implicit 0x0c (8 bytes)", "private_lane#0xc (wave 0, lane 3)"),
        (f"bregx v2 0; {SUFFIX}", "v2 + byte 12 (wave 0)", "private_lane#0x4 (wave 0, lane 3)"),
        ("bregx v2 4; lit2; swap; xderef", "implicit 0x08 (8 bytes)", "local#0x8 (wave 0)"),
        (
            f"bregx v2 0; {SUFFIX}; piece 4; bregx v3 0; piece 4",
            "{bytes 0-3: v2 + byte 12; bytes 4-7: v3 + byte 12}",
            "{bytes 0-3: private_lane#0x4 (wave 0, lane 3); "
            "bytes 4-7: private_lane#0x40 (wave 0, lane 3)}",
        ),
    ],
)
def test_each_reading_of_a_location(operations: str, value: str, address: str) -> None:
    assert run("eval", *MACHINE, "--quirk", VALUE, operations).lines == [value]
    assert run("eval", *MACHINE, "--quirk", ADDRESS, operations).lines == [address]


def test_each_reading_within_a_computation() -> None:
    """The value is a number, and the address a location, which the rest of the operations take."""
    [place] = run("eval", *MACHINE, "--quirk", ADDRESS, "bregx v2 0; deref; stack_value").lines
    assert place == "implicit 0x0807060504030201 (8 bytes)"
    failed = run("eval", *MACHINE, "--quirk", VALUE, "bregx v2 0; deref; stack_value")
    assert "cannot access memory at address 0x4" in failed.error


@pytest.mark.parametrize("quirk", [VALUE, ADDRESS])
def test_every_register_has_a_note(quirk: str) -> None:
    done = run("eval", *MACHINE, "--quirk", quirk, f"bregx v2 0; {SUFFIX}; piece 4; bregx v3 0")
    assumed = AS_VALUE if quirk == VALUE else AS_ADDRESS
    assert f"note: v2 {assumed}\n" in done.err and f"note: v3 {assumed}\n" in done.err
    certain = run("eval", *MACHINE, "--quirk", quirk, "regx v2")
    assert "quirk" not in certain.err


def test_a_lane_holds_a_dword_of_a_value() -> None:
    done = run("eval", *MACHINE, "--quirk", VALUE, "bregx v2 0; piece 8")
    assert "upstream clang: 64 bits of one lane of a vector register, which has 32" in done.error


def test_a_typed_register() -> None:
    arch = dg.architecture("gfx942")
    state = _state({"v2": [1, 2, 3, 4]})
    private = Memory(arch.address_space(PRIVATE_LANE), 0, 3)
    state.set_memory(private, 4, (77).to_bytes(4, "little"))
    types = {32: BaseType("int", "signed", 32), 64: BaseType("long", "signed", 64)}
    unit = ExplicitUnit(dg.UnitFormat(), dg.dialect("upstream-clang"), types)

    def typed(holds: VgprContents | None, bits: int = 32) -> int | float:
        context = dg.Context(
            architecture=arch,
            wave=0,
            lane=3,
            target=state,
            unit=unit,
            frame=FrameWithoutProgram(arch, 0, state.stop),
            vgpr_holds=holds,
        )
        value = dg.evaluate(dg.assemble(f"regval_type v2 {bits}", arch=arch), context)
        assert isinstance(value, dg.Value)
        return value.number

    with pytest.raises(Ambiguous, match="--quirk vgpr-holds-value or vgpr-holds-address chooses"):
        typed(None)
    assert (typed("value"), typed("address")) == (4, 77)
    with pytest.raises(Ambiguous, match="64 bits of one lane"):
        typed("value", 64)


def _with_long_int(folder: Path) -> Path:
    """The kernels, whose `int` has 64 bits."""
    data = bytearray(KERNELS.read_bytes())
    code_object = dg.CodeObject.open(KERNELS)
    arch = dg.architecture("gfx942")
    variable = dg.Session(arch, (code_object,), pc=0x2120).variable("t")
    kind = variable.die.reference(dw.AT_TYPE)
    assert kind is not None
    # Its size is behind the abbreviation, the name and the encoding.
    [size_at] = [
        section.offset + kind.offset + 3
        for section in code_object.file.sections
        if section.name == ".debug_info"
    ]
    assert data[size_at] == 4
    data[size_at] = 8
    path = folder / "long.co"
    path.write_bytes(data)
    return path


def _with_scratch(path: Path, name: str) -> Path:
    """The same file, where each lane of a kernel has 16 bytes of scratch memory."""
    file = dg.CodeObject.open(path).file
    [kernel] = [one for one in read_gpu_code(file).kernels if one.name == name]
    [section] = [one for one in file.sections if one.name == ".rodata"]
    assert kernel.address is not None
    data = bytearray(path.read_bytes())
    data[section.offset + kernel.address - section.address + 4] = 16
    path.write_bytes(data)
    return path


def _kernels_with_scratch(folder: Path) -> Path:
    path = folder / "scratch.co"
    path.write_bytes(KERNELS.read_bytes())
    return _with_scratch(path, "diverge")


IN_PRIVATE = ", in private memory: 64 bits do not fit into one lane of it"
QUIRKS = [(), ("--quirk", VALUE), ("--quirk", ADDRESS)]
IN_CALL = ("--pc", 0x2450, "--lane", 3, "--reg", "v8=[10,11,12,13]")
"""In the kernel `call`, which has 1024 bytes of LDS, where LLVM has moved an array."""
PERHAPS_MOVED = (
    "t is in private memory or in LDS, at the address in v8: LLVM moves variables of kernels to "
    "LDS and leaves their descriptions, and of the 1024 bytes of LDS of call, its variables take "
    "0; with its type T, *(T @private_lane *)$v8[$_lane] is the one and *(T @local *)$v8[$_lane] "
    "the other"
)


@pytest.mark.parametrize("quirks", QUIRKS)
def test_an_object_larger_than_a_dword_is_at_the_address(
    quirks: tuple[str, ...], tmp_path: Path
) -> None:
    memory = ("--mem", "private_lane[3]#0xd=0102030405060708")
    machine = ("--file", _with_long_int(tmp_path), *IN_T[2:], "--lane", 3, *memory, *quirks)
    note = f"upstream clang: v0 holds the address of t{IN_PRIVATE}"
    read = run("eval", *machine, "t")
    assert read.lines == ["t = 578437695752307201"] and f"note: {note}\n" in read.err
    located = run("location", *machine, "t")
    assert located.status == 0 and '"t" is private_lane#0xd' in located.out
    assert "quirk" not in read.err + located.err


@pytest.mark.parametrize("quirks", QUIRKS)
def test_an_object_that_may_be_in_lds_is_refused(quirks: tuple[str, ...], tmp_path: Path) -> None:
    """AMDGPUPromoteAlloca: its description is still that of a variable in private memory."""
    memory = ("--mem", "private_lane[3]#0xd=0102030405060708", "--mem", "local#0xd=09000000")
    path = _with_scratch(_with_long_int(tmp_path), "call")
    machine = ("--file", path, *IN_CALL, *memory, *quirks)
    for asked in ("t", "&t", "t + 1"):
        assert run("eval", *machine, asked).error == f"{asked}: Unavailable: {PERHAPS_MOVED}"
    for command in ("location", "explain", "lanes"):
        done = run(command, *machine, "t")
        assert PERHAPS_MOVED in done.out + done.err
        assert "v8 holds the address" not in done.out + done.err
    places = [f"*(int @{space} *)$v8[$_lane]" for space in ("private_lane", "local")]
    assert run("eval", *machine, *places).lines == [
        f"{places[0]} = 67305985", f"{places[1]} = 9"
    ]  # fmt: skip


def test_an_object_that_can_only_be_in_lds_is_refused(tmp_path: Path) -> None:
    done = run("eval", "--file", _with_long_int(tmp_path), *IN_CALL, "t")
    assert done.error == (
        "t: Unavailable: t is in LDS, at the address in v8, not in private memory as described: "
        "the kernel call has no scratch memory; with its type T, *(T @local *)$v8[$_lane] reads it"
    )


def test_lds_that_variables_take_is_no_doubt(tmp_path: Path) -> None:
    """The kernel `lds` has 256 bytes of it, all of its `tile`."""
    memory = ("--mem", "private_lane[3]#0xd=0102030405060708")
    place = ("--pc", 0x2520, "--lane", 3, *IN_T[4:])
    done = run("eval", "--file", _with_long_int(tmp_path), *place, *memory, "t")
    assert done.lines == ["t = 578437695752307201"]
    assert f"v0 holds the address of t{IN_PRIVATE}" in done.err


def test_variables_of_other_functions_are_not_moved(tmp_path: Path) -> None:
    memory = ("--mem", "private_lane[3]#0x4=0102030405060708")
    place = ("--pc", 0x2340, "--lane", 3, "--reg", "v2=[1,2,3,4]")
    done = run("eval", "--file", _with_long_int(tmp_path), *place, *memory, "n")
    assert done.lines == ["n = 578437695752307201"]


def test_an_unknown_amount_of_lds_is_a_doubt(tmp_path: Path) -> None:
    """Without its descriptor, the address of a kernel is unknown."""
    path = _with_long_int(tmp_path)
    data = bytearray(path.read_bytes())
    for section in dg.CodeObject.open(path).file.sections:
        if section.name in (".dynstr", ".strtab"):
            at = data.index(b"diverge.kd", section.offset)
            data[at : at + 10] = b"diverge_kd"
    path.write_bytes(data)
    done = run("eval", "--file", path, *IN_T[2:], "--lane", 3, "t")
    assert "and it is unknown whether diverge is a kernel; with its type T" in done.error


def test_where_says_that_the_register_holds_the_address(tmp_path: Path) -> None:
    shown = run("where", _with_long_int(tmp_path), "t").out
    assert "v0 holds its address: DW_OP_bregx" in shown
    for path, held in (
        (KERNELS, "value"),
        (_kernels_with_scratch(tmp_path), "value or its address"),
    ):
        assert (
            f"v0 holds the {held}: DW_OP_bregx"
            in run("where", path, "--function", "diverge", "t").out
        )


NO_SCRATCH = (
    "note: upstream clang: v0 holds t itself, not its address in private memory: the kernel "
    "diverge has no scratch memory\n"
)


@pytest.mark.parametrize("command", ["eval", "explain", "location", "lanes"])
def test_without_scratch_memory_a_register_holds_the_value(command: str) -> None:
    done = run(command, *IN_T, "--lane", 3, "t")
    assert done.status == 0 and NO_SCRATCH.removeprefix("note: ").strip() in done.out + done.err
    shown = {"eval": "t = 13", "explain": "=> t = 13", "location": "v0 + byte 12", "lanes": " 13"}
    assert shown[command] in done.out
    taken = "^ upstream clang: of two readings, the register holds the value itself"
    assert (taken in done.out) == (command == "explain")


def test_what_the_user_says_goes_before_it() -> None:
    done = run("location", *IN_T, "--lane", 3, "--quirk", ADDRESS, "t")
    assert '"t" is private_lane#0xd' in done.out and "scratch" not in done.out + done.err


def test_a_kernel_with_scratch_memory_has_addresses(tmp_path: Path) -> None:
    done = run("eval", "--file", _kernels_with_scratch(tmp_path), *IN_T[2:], "--lane", 3, "t")
    assert "v0 holds the value itself or its address" in done.error


def test_a_dynamic_stack_has_addresses(tmp_path: Path) -> None:
    path = _kernels_with_scratch(tmp_path)
    data = bytearray(path.read_bytes())
    file = dg.CodeObject.open(path).file
    kernel = next(one for one in read_gpu_code(file).kernels if one.name == "diverge")
    assert kernel.address is not None
    descriptor = data.index(bytes([0, 0, 0, 0, 16, 0, 0, 0]), kernel.address)
    data[descriptor + 4] = 0
    data[descriptor + 57] |= 8  # uses_dynamic_stack, bit 11 of the properties
    path.write_bytes(data)
    done = run("eval", "--file", path, *IN_T[2:], "--lane", 3, "t")
    assert "v0 holds the value itself or its address" in done.error


def test_a_variable_that_may_be_in_lds_is_refused() -> None:
    """The kernel `call` has no scratch memory, but LDS that its variables do not take."""
    done = run("eval", "--file", KERNELS, *IN_CALL, "t")
    assert "v8 holds the value itself or its address" in done.error


def test_a_function_is_called_by_kernels(tmp_path: Path) -> None:
    """`walk`, as one of the kernels has scratch memory, and as none has."""
    refused = run("eval", *IN_N, "--lane", 3, "n")
    assert "v2 holds the value itself or its address" in refused.error
    path = tmp_path / "none.co"
    data = bytearray(KERNELS.read_bytes())
    kernels = read_gpu_code(dg.CodeObject.open(KERNELS).file).kernels
    [address] = [kernel.address for kernel in kernels if kernel.scratch_bytes]
    assert address is not None and data[address + 4] == 72
    data[address + 4] = 0
    path.write_bytes(data)
    done = run("eval", "--file", path, *IN_N[2:], "--lane", 3, "n")
    assert done.lines == ["n = 13"]
    assert "no kernel of the code object of walk has scratch memory" in done.err


def test_the_two_exclude_each_other() -> None:
    both = "the quirks vgpr-holds-value and vgpr-holds-address exclude each other: give one"
    with pytest.raises(UsageError, match=both):
        vgpr_contents(frozenset(VGPR_HOLDS))
    with pytest.raises(UsageError, match=both):
        dg.Session(dg.architecture("gfx942"), quirks=frozenset(VGPR_HOLDS))
    for subject in (("lit1",), (*IN_T, "--lane", 3, "t")):
        done = run("eval", "--quirk", VALUE, "--quirk", ADDRESS, *subject)
        assert (done.status, done.error) == (2, both)


@pytest.mark.parametrize("command", ["eval", "explain", "location", "lanes"])
def test_every_command_that_evaluates_takes_it(command: str) -> None:
    refused = run(command, *IN_N, "--lane", 3, "n")
    assert "--quirk vgpr-holds-value or vgpr-holds-address chooses" in refused.out + refused.err
    done = run(command, *IN_T, "--lane", 3, "--quirk", VALUE, "t")
    assert done.status == 0 and f"note: v0 {AS_VALUE}" in done.out + done.err
    shown = {"eval": "t = 13", "explain": "=> t = 13", "location": "v0 + byte 12", "lanes": " 13"}
    assert shown[command] in done.out


def test_lanes_have_it_together() -> None:
    done = run_json("eval", *IN_T, "--lane", "0-3", "--quirk", VALUE, "t")
    assert [one["data"] for one in done.json["lanes"]] == [10, 11, 12, 13]
    assert all(f"v0 {AS_VALUE}" in one["notes"] for one in done.json["lanes"])


DISPATCHED = (
    *("--dispatch", "diverge", "--grid", 64, "--workgroup", 64),
    *("--arg", "in=range:65", "--arg", "out=zeros:4096", "--arg", "limit=20"),
)


def test_the_value_is_what_the_kernel_computes() -> None:
    """`r = a + launches; r += in[t + 1]`, in code of clang 19 at -O2."""
    commands = ("break kernels.cl:36", "run", "info locals")
    given = [word for command in commands for word in ("-ex", command)]
    for quirks in ((), ("--quirk", VALUE)):
        done = run("debug", KERNELS, *DISPATCHED, *quirks, "--batch", *given)
        assert done.lines[-3:] == ["t = 21", "a = 21", "r = 46"]
        assert (NO_SCRATCH in done.err) == (not quirks)


def test_a_value_can_be_watched_and_written() -> None:
    commands = (
        "break kernels.cl:36", "run", "delete", "watch r", "set var r = 40", "continue",
        "print &r",
    )  # fmt: skip
    given = [word for command in commands for word in ("-ex", command)]
    done = run("debug", KERNELS, *DISPATCHED, "--batch", *given)
    assert "\nOld value = 40\nNew value = 120\n" in done.out
    assert "not its address in private memory" in done.err


def test_watchpoints_follow_what_is_assumed(tmp_path: Path) -> None:
    """A variable is not watched while two readings of its location are possible."""
    commands = (
        "break kernels.cl:36", "run", "delete", "watch r", "set vgpr-holds value", "watch r",
        "set vgpr-holds unknown", "set vgpr-holds value", "continue",
    )  # fmt: skip
    given = [word for command in commands for word in ("-ex", command)]
    done = run("debug", _kernels_with_scratch(tmp_path), *DISPATCHED, "--batch", *given)
    why = "Unavailable: DW_OP_bregx at offset 0x0: v5 holds the value itself or its address"
    assert f"\n{why}" in done.err
    assert f"\nnote: watchpoint 2 watches nothing: {why}" in done.err
    assert "\nOld value = 46\nNew value = 138\n" in done.out


def test_the_prompt_changes_it(tmp_path: Path) -> None:
    kernels = _kernels_with_scratch(tmp_path)
    commands = (
        "print t", "show vgpr-holds", "set vgpr-holds value", "print t", "show vgpr-holds",
        "with vgpr-holds address -- print &t", f"file {kernels}", "print t",
        "set vgpr-holds unknown", "print t",
    )  # fmt: skip
    given = [word for command in commands for word in ("-ex", command)]
    done = run("debug", "--file", kernels, *IN_T[2:], "--lane", 3, "--batch", *given)
    says = "What a vector register holds where upstream clang does not say it is"
    assert done.lines == [
        f"{says} unknown.", "$1 = 13", f"{says} value.", "$2 = (int *) private_lane#0xd",
        "$3 = 13",
    ]  # fmt: skip
    assert done.err.count("at the prompt set vgpr-holds; $v0[$_lane] is the register") == 2
    assert f"note: v0 {AS_VALUE}" in done.err and f"note: v0 {AS_ADDRESS}" in done.err
    assert f"{says} value." in run(
        "debug", *IN_T, "--lane", 3, "--quirk", VALUE, "--batch", "-ex", "show vgpr-holds"
    ).out  # fmt: skip


def test_a_session_of_a_script(tmp_path: Path) -> None:
    code_object = dg.CodeObject.open(_kernels_with_scratch(tmp_path))
    arch = code_object.architecture
    assert arch is not None
    state = _state({"v0": [10, 11, 12, 13]})
    quirks = frozenset({VALUE})
    session = dg.Session(arch, (code_object,), state, lane=3, pc=0x2120, quirks=quirks)
    reading = session.read(session.variable("t"))
    assert reading.value == 13 and f"v0 {AS_VALUE}" in reading.notes
    unassumed = dg.Session(arch, (code_object,), state, lane=3, pc=0x2120)
    assert isinstance(unassumed.read(unassumed.variable("t")).error, Ambiguous)
    read = dg.read_lanes([session], session.variable("t"), [0, 1, 2, 3])
    assert [read.of(0, lane).value for lane in range(4)] == [10, 11, 12, 13]


def test_all_frames_have_it() -> None:
    """The prompt changes the session of the frame in focus and that of the innermost one."""
    held = "python print(*session.quirks, *(session.top.quirks if session.top else ()))"
    commands = ("up", "set vgpr-holds value", held, "down", held, "set vgpr-holds unknown", held)
    given = [word for command in commands for word in ("-ex", command)]
    crash = FIXTURES / "core/crash.x86_64.O0"
    done = run("debug", "--batch", crash, crash.with_suffix(".O0.core"), *given)
    shown = [line for line in done.out.splitlines() if not line or line.startswith("vgpr-")]
    assert shown == [f"{VALUE} {VALUE}", VALUE, ""]


IN_WALK = (
    "--file",
    KERNELS,
    "--pc",
    0x2340,
    "--lane",
    3,
    "--reg",
    "v2=[1,2,3,4]",
    "--quirk",
    VALUE,
)


def test_frame_lines_have_the_note_once() -> None:
    done = run("bt", *IN_WALK)
    assert ", n=4) at" in done.out and done.err.count(f"note: v2 {AS_VALUE}\n") == 1
    assert f"v2 {AS_VALUE}" in run_json("bt", *IN_WALK).json["notes"]
    assert AS_VALUE not in run("bt", *IN_WALK, "--no-args").err
    for command, count in (("bt", 2), ("frame", 1)):
        shown = run("debug", *IN_WALK, "--batch", "-ex", command, "-ex", command)
        assert shown.out.count(", n=4) at") == 2 and shown.err.count(f"v2 {AS_VALUE}") == count


LAUNCHED = (
    *(KERNELS, "diverge", "--grid", 64, "--workgroup", 64, "--arg", "in=range:65"),
    *("--arg", "out=zeros:4096", "--arg", "limit=20"),
)


def test_a_run_takes_it() -> None:
    stops = ("--break", "kernels.cl:36 if r == 46", "--print", "r", "--stops", 1)
    done = run("run", *LAUNCHED, *stops, "--quirk", VALUE)
    assert "    21 46" in done.lines and AS_VALUE in done.err
    refused = run("run", *LAUNCHED, *stops, "--quirk", VALUE, "--quirk", ADDRESS)
    assert (refused.status, "exclude each other" in refused.error) == (2, True)
    alone = run("run", *LAUNCHED, "--quirk", VALUE)
    assert (alone.status, "--quirk is about stops" in alone.error) == (2, True)


@pytest.mark.parametrize(
    ("quirk", "reading"), [(VALUE, "value itself"), (ADDRESS, "address of the value")]
)
def test_an_explanation_says_which_reading_is_taken(quirk: str, reading: str) -> None:
    done = run("explain", *IN_T, "--lane", 3, "--quirk", quirk, "t")
    assert f"^ upstream clang: of two readings, the register holds the {reading}" in done.out
    assert "unknown which" not in done.out


def test_the_help_of_the_setting_lists_its_words() -> None:
    done = run("debug", "--batch", "-ex", "help set vgpr-holds")
    says = "what a vector register holds where upstream clang does not say: value, address or"
    assert f"{says} unknown." in done.out
