"""Variables are read in frames of their functions alone (`dwarfgpu.session.own_frame`)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu import (
    CodeObject,
    InconsistentContext,
    Session,
    Wanted,
    find_variables,
    load_core,
    read_lanes,
)
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.expr.explicit_context import ExplicitAddress
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.session.own_frame import needs_no_frame, points_implicitly
from tests.cli.command import FIXTURES, STATES, run
from tests.gpu_programs import gpu_program
from tests.language.sessions import waves_of
from tests.repl.side_by_side import answers, build, with_core


def crashed(program: str = "crash") -> Session:
    """A thread of `leaf`, called by `down`, which calls itself."""
    name = FIXTURES / f"core/{program}.x86_64.O0"
    return thread_of(name, f"{name}.core")


def thread_of(program: Path | str, core_file: Path | str) -> Session:
    core = load_core(core_file, program)
    files = tuple(CodeObject.of(each.file, each.load_address) for each in core.files)
    pc = core.pc_of(1)
    return Session(core.architecture, files, core.target, wave=1, pc=pc, knows_loaded=True)


@pytest.mark.parametrize("batch", [False, True])
def test_a_parameter_in_a_wave_of_another_function(batch: bool) -> None:
    [session] = waves_of(STATES / "chain_flat.gfx942.json")
    parameter = session.variable("a")
    outer = session.at_level(1)
    assert (session.functions(), outer.functions()) == (["f11"], ["f10"])
    found = read_lanes([session, outer], parameter, batch=batch)
    assert found.of(0, 3).is_complete
    lost = found.of(1, 3)
    assert isinstance(lost.error, InconsistentContext) and lost.location is None
    assert str(lost.error) == "a is a variable of f11, and the frame is of f10"
    assert outer.focused(3).read(outer.variable("a")).is_complete


def test_a_local_variable_in_the_frame_of_a_caller() -> None:
    session = crashed()
    local, down = session.variable("sum"), session.at_level(1)
    assert session.read(local).value == 74
    assert str(down.read(local).error) == "sum is a variable of leaf, and the frame is of down"
    with pytest.raises(InconsistentContext, match="the frame is of down"):
        assert local.location is not None
        down.locate_variable(local.location, local)


def test_a_static_variable_in_any_frame() -> None:
    session = crashed("lists")
    frames = [session.at_level(level) for level in range(3)]
    [index] = [at for at, frame in enumerate(frames) if frame.functions() == ["crash"]]
    static, parameter = (frames[index].variable(name) for name in ("calls", "n"))
    outer = frames[index].at_level(index + 1)
    assert static.kind == "local"
    assert outer.read(static).value == frames[index].read(static).value == 1
    assert isinstance(outer.read(parameter).error, InconsistentContext)


def test_frames_of_a_recursion_are_of_one_function() -> None:
    session = crashed()
    parameter = session.at_level(1).variable("n")
    readings = [session.at_level(level).read(parameter) for level in (1, 2, 3)]
    assert [each.error for each in readings] == [None] * 3
    assert len({each.value for each in readings}) == 3


def test_a_frame_base_by_hand_is_that_of_the_function_at_the_pc() -> None:
    session = crashed()
    local = session.variable("sum")
    pc, base = session.at_level(1).pc, ExplicitAddress(0, 0)
    moved = Session(
        session.architecture, session.code_objects, session.target, wave=1, pc=pc,
        given_frame_base=base,
    )  # fmt: skip
    assert str(moved.read(local).error) == "sum is a variable of leaf, and the frame is of down"
    without_pc = Session(session.architecture, session.code_objects, session.target, wave=1,
        given_frame_base=base)  # fmt: skip
    assert not isinstance(without_pc.read(local).error, InconsistentContext)


FOLDED = """
volatile int sink;
__attribute__((noinline)) int f(int a) { int x = a * 2; sink = x; return x; }
__attribute__((noinline)) int g(int b) { int y = b * 2; sink = y; return y; }
int main(void) { return f(1) + g(2); }
"""


def test_functions_that_a_linker_folded_have_one_frame(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    (tmp_path / "a.c").write_text(FOLDED)
    options = ("-g", "-O0", "-ffunction-sections", "-fuse-ld=gold", "-Wl,--icf=all")
    tool("ld.gold")
    built = subprocess.run(
        [tool("gcc"), *options, "-o", "a", "a.c"], cwd=tmp_path, capture_output=True, check=False
    )
    assert not built.returncode, built.stderr
    code = CodeObject.open(tmp_path / "a")
    assert code.architecture is not None
    if code.architecture.name != "x86_64":
        pytest.skip("gold folds functions of x86-64")
    variables = [
        variable
        for unit in find_variables(code.scopes, Wanted(names=("x", "y")))
        for group in unit.groups
        for variable, _ in group.declared
    ]
    functions = [variable.function for variable in variables]
    [pc] = {function.address(dw.AT_LOW_PC) for function in functions if function is not None}
    cfa = ExplicitAddress(0, 0x1000)
    session = Session(code.architecture, (code,), pc=pc, given_cfa=cfa)
    locations = set()
    for variable in variables:
        assert variable.location is not None
        location = session.locate_variable(variable.location, variable).location
        locations.add(location.single_locations[0].byte_address)
    assert len(variables) == 2 and len(locations) == 1


@pytest.mark.parametrize(
    ("operations", "is_static"),
    [
        ("addr 0x1000", True),
        ("addr 0x1000; piece 4; addr 0x2000; piece 4", True),
        ("addr 0x1000; deref", True),
        ("addr 0x1000; deref_type 4 0x2a; convert 0x2a; reinterpret 0; stack_value", True),
        ("const_type 0x2a 4 1 0 0 0; stack_value", True),
        ("regval_type 5 0x2a; stack_value", False),
        ("lit3; stack_value", True),
        ("addr 0x1000; fbreg -32; deref; plus; stack_value", False),
        ("addr 0x1000; stack_value; piece 8; reg5; piece 8", False),
        ("fbreg 4", False),
    ],
)
def test_no_operation_of_a_static_location_needs_a_frame(operations: str, is_static: bool) -> None:
    unit = crashed().variable("sum").unit
    data = assemble(operations, unit.dialect, unit.format)
    assert needs_no_frame(ExprLoc(data, unit)) == is_static


INLINED = """
volatile int sink; int (*volatile fp)(int, int (*)(int));
static int stop(int a) { *(volatile int *)0 = a; return a; }
static inline int f(int a, int (*cb)(int)) {
  volatile int x = a * 1000 + 7; int r = cb(a + 1); return r + x; }
__attribute__((noinline)) int viaptr(int a) { return fp(a, stop) + 1; }
__attribute__((noinline)) int host(int a) {
  volatile int more[3] = { 11, 22, a }; int r = f(a, viaptr); return r + more[a & 1]; }
int main(int c, char **v) { fp = f; return host(c); }
"""


@pytest.mark.parametrize("compiler", ["gcc -O1", "gcc -O2", "clang-19 -O2"])
def test_a_place_of_the_copy_that_is_not_inlined(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    """It is in frames of the copy alone: an inlined call has another place."""
    name, level = compiler.split()
    build(tmp_path, {"a.c": INLINED}, [[tool(name), "-g", level, "a.c", "-o", "a"]])
    session = thread_of(*with_core(tool, tmp_path))
    [copy, inlined] = [
        frame for frame in map(session.at_level, range(4)) if "f" in frame.functions()
    ]
    assert (copy.functions(), inlined.functions()) == (["f"], ["f", "host"])
    variable = copy.variable("x")
    assert copy.read(variable).value == 2007
    assert inlined.read(inlined.variable("x")).value == 1007
    why = "x is a variable of f, and the frame is of host"
    assert str(inlined.read(variable).error) == why
    answers_of_lanes = read_lanes([inlined], variable, [0])
    assert str(answers_of_lanes.of(0, 0).error) == why
    with pytest.raises(InconsistentContext, match=why):
        assert variable.location is not None
        inlined.locate_variable(variable.location, variable)


NAMED_OUTSIDE = """
static const int c = 8; static int gone = 7; volatile int sink;
__attribute__((noinline)) int f(int a) {
  const int *q = &c; int *lost = &gone;
  int here = a * 3; int *p = &here; sink = *p; return a; }
int main(void) { sink = f(6) + gone; __builtin_trap(); }
"""


def test_names_of_other_functions_that_need_no_frame(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    build(tmp_path, {"a.c": NAMED_OUTSIDE}, [[tool("gcc"), "-g", "-O2", "a.c", "-o", "a"]])
    files = with_core(tool, tmp_path)
    names = ("f::q", "*f::q", "f::p", "f::lost", "&f::lost")
    commands = [f"print {name}" for name in names]
    shown = answers(None, files, commands)
    assert [text.splitlines()[1] for text in shown] == [
        "$1 = (const int *) <synthetic pointer>",
        "$2 = 8",
        "No frame is currently executing in block f.",
        "$3 = <optimized out>",
        "Can't take address of \"lost\" which isn't an lvalue.",
    ]
    assert [text.splitlines()[1] for text in answers(tool("gdb"), files, commands[:4])] == [
        text.splitlines()[1] for text in shown[:4]
    ]


@pytest.mark.parametrize(
    ("operations", "is_alone"),
    [
        ("implicit_pointer 0x2a 0", True),
        ("implicit_pointer 0x2a 0; piece 8; lit3; stack_value; piece 4", True),
        ("implicit_pointer 0x2a 0; deref; deref; stack_value", False),
        ("implicit_pointer 0x2a 0; piece 8; reg5; piece 8", False),
    ],
)
def test_what_an_implicit_pointer_points_to_may_need_a_frame(
    operations: str, is_alone: bool
) -> None:
    unit = crashed().variable("sum").unit
    location = ExprLoc(assemble(operations, unit.dialect, unit.format), unit)
    assert points_implicitly(location) == is_alone
    assert not needs_no_frame(location)


COROUTINE = """\
#include <coroutine>
#include <cstdlib>
volatile int sink;
struct Task { struct promise_type {
  Task get_return_object() { return {}; }
  std::suspend_never initial_suspend() { return {}; }
  std::suspend_never final_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() {}
}; };
__attribute__((noinline)) void stop(int a) { sink = a; abort(); }
Task coro(int z) { int w = z + 1; co_await std::suspend_never{}; sink = w; stop(w); sink = z; }
__attribute__((noinline)) void go(int k) { coro(k); sink = k; }
int main(int c, char **v) { go(c); return 0; }
"""


def test_blocks_of_an_inlined_coroutine(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GCC derives them from the blocks of the function that is not inlined."""
    command = [tool("g++"), "-std=c++20", "-g", "-O2", "a.cc", "-o", "a"]
    build(tmp_path, {"a.cc": COROUTINE}, [command])
    [shown] = answers(None, with_core(tool, tmp_path), ["bt full"])
    lines = [line.strip() for line in shown.splitlines() if line.startswith("        w = ")]
    assert len(lines) > 1 and {*lines} == {"w = <optimized out>"}


KERNELS = """\
__attribute__((noinline)) int help(int v) { volatile int w = v + 1; return w; }
__kernel void ka(__global int *out) { volatile __local int la; la = 111; out[0] = help(la); }
__kernel void kb(__global int *out) { __local int lb; lb = 222; out[0] = help(lb); }
__attribute__((nodebug)) __kernel void kc(__global int *out) {
  __local int lc; lc = 333; out[0] = help(lc); }
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Path:
    options = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib", "-g", "-O0"]
    command = [tool("clang-19"), "-x", "cl", "-cl-std=CL2.0", *options, "a.cl", "-o", "a.co"]
    tool("ld.lld-19")
    folder = tmp_path_factory.mktemp("kernels")
    build(folder, {"a.cl": KERNELS}, [command])
    return folder / "a.co"


def dispatched(kernels: Path, kernel: str, *commands: str) -> str:
    """Return what the prompt answers about a dispatch of a kernel."""
    launch = ["--dispatch", kernel, "--grid", "64", "--workgroup", "64", "--arg", "0=zeros:256"]
    words = [f"-ex={one}" for one in commands]
    done = run("debug", kernels, *launch, "-q", "--batch", *words)
    return done.out + done.err


def test_local_memory_of_the_kernel_that_runs(kernels: Path) -> None:
    """Its dispatch is known, also in a function whose caller is not."""
    shown = dispatched(kernels, "ka", "break help", "run", "print ka::la", "print kb::lb")
    assert "$1 = 111" in shown and "$2 = " not in shown
    assert "lb is a variable of kb, and the wave runs ka" in shown
    assert "its place has another use" not in shown


def test_local_memory_of_a_wave_that_has_ended(kernels: Path) -> None:
    """It has what the kernel that ran stored there: 111 is no value of `lb`."""
    shown = dispatched(kernels, "ka", "run", "print kb::lb")
    assert "$1 = 111" in shown
    assert "lb is a variable of kb: its place has another use where that does not run" in shown


def test_local_memory_in_a_kernel_without_debug_information(kernels: Path) -> None:
    shown = dispatched(kernels, "kc", "break kc", "run", "print ka::la")
    assert "in kc ()" in shown and "$1 = " not in shown
    assert "la is a variable of ka, and the wave runs kc" in shown


def test_local_memory_of_a_kernel_that_may_run(kernels: Path) -> None:
    """Without a dispatch only the callers say which kernel a wave runs."""
    code = CodeObject.open(kernels)
    assert code.architecture is not None
    [local] = [
        variable
        for unit in find_variables(code.scopes, Wanted(names=("la",)))
        for group in unit.groups
        for variable, _ in group.declared
    ]
    address = {symbol.name: symbol.address for symbol in code.file.symbols}
    in_kernel, in_function, in_other = (
        Session(code.architecture, (code,), lane=0, pc=address[name])
        for name in ("ka", "help", "kb")
    )
    note = "la is a variable of ka: its place has another use where that does not run"
    assert note not in in_kernel.notes_on(local)
    assert note in in_function.notes_on(local)
    why = "la is a variable of ka, and the wave runs kb"
    assert str(in_other.read(local).error) == why


INLINED_KERNELS = """\
__kernel void ka(__global int *out) { volatile __local int la; la = 111;
  out[0] = la;
  out[1] = la + 1; }
__kernel void kb(__global int *out) { ka(out + 2); out[0] = 1; }
__kernel void kc(__global int *out) { volatile __local int lc; lc = 222;
  out[0] = lc; }
"""
INLINED_FUNCTION = """\
#define DEVICE static inline __attribute__((device, always_inline))
#define KERNEL extern "C" __attribute__((global))
#define LOCAL __attribute__((shared))
DEVICE int inl(int v) { LOCAL volatile int li; li = v; return li + 1; }
KERNEL void ka(int *out) { out[0] = inl(7);
  out[1] = 2; }
KERNEL void kb(int *out) { LOCAL volatile int lb; lb = 222;
  out[0] = lb; }
"""
OTHER_USE = "its place has another use where that does not run"


def test_local_memory_of_a_kernel_inlined_into_another_one(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Its entry is only in the copy that is not inlined, as for `la`."""
    code = gpu_program(tool, tmp_path / "a.cl", INLINED_KERNELS, "gfx90a", "-O1")
    shown = dispatched(code, "kb", "break 2", "run", "print ka::la", "print kc::lc")
    assert "$1 = 111" in shown and OTHER_USE not in shown
    assert "lc is a variable of kc, and the wave runs kb" in shown
    shown = dispatched(code, "kc", "break 6", "run", "print ka::la")
    assert "$1 = 222" in shown and f"la is a variable of ka: {OTHER_USE}" in shown


def test_local_memory_of_a_function_that_is_only_inlined(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Clang puts it into a function without a name, which is in no kernel."""
    code = gpu_program(tool, tmp_path / "a.hip", INLINED_FUNCTION, "gfx90a", "-O1")
    shown = dispatched(code, "ka", "break 6", "run", "print inl::li")
    assert "$1 = 7" in shown and OTHER_USE not in shown
    shown = dispatched(code, "kb", "break 8", "run", "print inl::li")
    assert "$1 = 222" in shown and f"li is a variable of inl: {OTHER_USE}" in shown
