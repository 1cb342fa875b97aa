"""Core files against GDB: every variable of every frame of every thread is what GDB says.

The programs are built here, and crash here: all of it is skipped where gcc or GDB are absent.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import UndefinedBits
from dwarfgpu.expr.context import LocList
from dwarfgpu.expr.location_list_entry import matching_entries
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.core.load import Core, load_core
from dwarfgpu.service.value.reading_answer import of_reading
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import StackFrame, stack_frames
from tests.cli.command import FIXTURES, run
from tests.gdb.debugger import indexed
from tests.repl.test_gdb_sessions import gdb_version

Json = Any
LOST = "<what a callee may have changed>"
PARTIAL = "<partly optimized out>"
"""GDB shows 0 for what is behind the last piece of a composite."""
Tool = Callable[[str], str]
SOURCE = FIXTURES / "core/faults.c"
INSIDE = Path(__file__).with_name("core_in_gdb.py")
SETTINGS = (
    "set width 0", "set debuginfod enabled off", "set backtrace past-main on",
    "set backtrace past-entry on",
)  # fmt: skip
KINDS = {
    "pie": ("-fPIE", "-pie"), "no-pie": ("-no-pie",), "static": ("-static",),
    "no-build-id": ("-Wl,--build-id=none",), "i386": ("-m32",), "i386-static": ("-m32", "-static"),
}  # fmt: skip
CASES = [
    ("gcc", "O0", "pie", "recursion"),
    ("gcc", "O2", "no-pie", "handler"),
    ("gcc", "O2", "static", "threads"),
    ("gcc", "O1", "no-build-id", "callback"),
    ("gcc", "O3", "pie", "division"),
    ("clang-19", "O0", "pie", "handler"),
    ("clang-19", "O2", "pie", "recursion"),
    ("clang-19", "O2", "no-pie", "threads"),
    ("gcc", "O0", "i386", "recursion"),
    ("gcc", "O2", "i386", "handler"),
    ("gcc", "O2", "i386-static", "threads"),
    ("gcc", "O1", "i386", "callback"),
    ("gcc", "O3", "i386", "division"),
    ("clang-19", "O2", "i386", "recursion"),
    ("clang-19", "O0", "i386", "threads"),
]


def built(folder: Path, compiler: str, opt: str, kind: str) -> Path:
    program = folder / "faults"
    # Without -fipa-ra, with which gcc relies on what callees do: `may_have_changed`.
    flags = ["-fno-ipa-ra"] if compiler.endswith("gcc") else []
    command = [compiler, "-g", f"-{opt}", "-pthread", *flags, *KINDS[kind], str(SOURCE)]
    done = subprocess.run([*command, "-o", program], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{compiler} cannot build it: {done.stderr.splitlines()[-1:]}")
    return program


def crashed(folder: Path, program: Path, how: str) -> Path:
    """The core file that Linux writes, or else GDB."""
    pattern = Path("/proc/sys/kernel/core_pattern")
    if pattern.exists() and pattern.read_text().strip() == "core":
        subprocess.run([program, how], cwd=folder, preexec_fn=unlimited, check=False)
        result = [folder / "core", *folder.glob("core.*")]
        if written := [item for item in result if item.exists()]:
            return written[0]
    return by_gdb(folder, program, how)


def unlimited() -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def by_gdb(folder: Path, program: Path, how: str) -> Path:
    path = folder / "gcore"
    stop = "handle SIGUSR1 nostop noprint pass"
    commands = [stop, f"run {how}", f"gcore {path}", "kill"]
    options = [piece for command in commands for piece in ("-ex", command)]
    subprocess.run(
        ["gdb", "-nx", "-q", "-batch", *options, program], capture_output=True, check=False
    )
    if not path.exists():
        pytest.skip("GDB writes no core file here")
    return path


def gdbs(gdb: str, program: Path, core: Path) -> list[Json]:
    options = [piece for setting in SETTINGS for piece in ("-ex", setting)]
    command = [gdb, "-nx", "-q", "-batch", *options, "-ex", f"source {INSIDE}"]
    # The settings must come before the core file: what they say of frames holds from then on.
    command += [piece for item in indexed() for piece in ("-iex", item)]
    command += ["-iex", "set debuginfod enabled off", str(program), str(core)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    match = re.search(r"^@@(.*)$", done.stdout, re.MULTILINE)
    assert match is not None, done.stderr
    threads: list[Json] = json.loads(match[1])
    return threads


def session_of(core: Core) -> Session:
    code = tuple(CodeObject.of(file.file, file.load_address) for file in core.files)
    segments = tuple(segment for item in code for segment in item.loaded_segments())
    target = TargetWithCodeObjects(core.target, segments, has_started=True)
    return Session(core.architecture, code, target, wave=1, pc=core.pc_of(1), knows_loaded=True)


def ours(session: Session, frame: StackFrame) -> dict[tuple[str, int], str]:
    """The text of each local and argument of a frame, by name and line."""
    result: dict[tuple[str, int], str] = {}
    level = frame.session.inline_level
    for variable in frame.session.variables():
        if variable.kind == "global" or variable.inline_level != level:
            continue
        reading = frame.session.read(variable)
        answer = of_reading(reading, frame.session)
        is_lost = isinstance(reading.error, UndefinedBits)
        text = "<optimized out>" if is_lost else str(answer.record.get("text", answer.text))
        if is_lost and may_have_changed(frame, variable):
            text = LOST
        elif reading.bits is not None and not reading.bits.is_complete:
            text = PARTIAL
        result.setdefault((variable.name, variable.decl_line or 0), text)
    return result


def may_have_changed(frame: StackFrame, variable: Variable) -> bool:
    """Whether the variable is in a register that the ABI lets the callee change.

    GDB takes a register without a rule to be as it was, and shows what the callee has in it.
    """
    attribute = variable.location
    if not frame.session.level or not isinstance(attribute, LocList):
        return False
    entries = matching_entries(attribute.entries, frame.session.pc)
    code, *more = entries[0].expression if entries else b"\0"
    preserved = frame.session.architecture.preserved
    return not more and 0x50 <= code < 0x70 and code - 0x50 not in (preserved or ())


def plain(text: str) -> str:
    """Without what only one of both shows: types of pointers, symbols, folded elements."""
    text = re.sub(r"\((?:[^()]|\([^()]*\))*\) (?=0x)", "", text)
    text = re.sub(r" <[\w.+]+>", "", text)
    text = re.sub(r"'\\000' <repeats (\d+) times>", lambda found: "\\000" * int(found[1]), text)
    return text


@pytest.mark.parametrize(("compiler", "opt", "kind", "how"), CASES)
def test_every_variable_of_every_frame(
    tool: Tool, tmp_path: Path, compiler: str, opt: str, kind: str, how: str
) -> None:
    tool(compiler)
    gdb = tool("gdb")
    program = built(tmp_path, compiler, opt, kind)
    core = crashed(tmp_path, program, how)
    theirs = gdbs(gdb, program, core)
    counts = compared(theirs, core)
    assert counts["frames"] >= 3 and counts["values"] >= 4, counts
    # The rest is compared: what is left out is known to be of these two kinds.
    assert counts[LOST] + counts[PARTIAL] <= counts["values"] // 4, counts


@pytest.mark.parametrize("how", ["recursion", "callback"])
@pytest.mark.parametrize("opt", ["O0", "O1", "O2"])
def test_aarch64_in_qemu(tool: Tool, tmp_path: Path, opt: str, how: str) -> None:
    gdb, qemu = tool("gdb-multiarch"), tool("qemu-aarch64")
    tool("aarch64-linux-gnu-gcc")
    if not gdb_version(gdb).startswith("13."):
        pytest.skip("GDB 16 does not unwind QEMU's core files of AArch64")
    program = built(tmp_path, "aarch64-linux-gnu-gcc", opt, "static")
    subprocess.run([qemu, program, how], cwd=tmp_path, preexec_fn=unlimited, check=False)
    glob = list(tmp_path.glob("qemu_*.core"))
    if not glob:
        pytest.skip("QEMU writes no core file here")
    counts = compared(gdbs(gdb, program, glob[0]), glob[0], program)
    assert counts["frames"] >= 3 and counts["values"] >= 4, counts


SCRIPT = """
import ctypes, threading, time

def wait(depth):
    if depth:
        wait(depth - 1)
    time.sleep(60)

for n in range(3):
    threading.Thread(target=wait, args=(n,), daemon=True).start()
time.sleep(0.5)
sorted([3, 1, 2], key=lambda n: ctypes.string_at(0) if n == 2 else n)
"""


def test_debians_python_with_threads(tool: Tool, tmp_path: Path) -> None:
    gdb, program = tool("gdb"), Path("/usr/bin/python3.11d")
    if not program.exists():
        pytest.skip("python3-dbg is not installed")
    (tmp_path / "script.py").write_text(SCRIPT)
    core = crashed(tmp_path, program, str(tmp_path / "script.py"))
    counts = compared(gdbs(gdb, program, core), core, sources=(".c", ".h"))
    assert counts["frames"] > 100 and counts["values"] > 800, counts


def test_what_gcore_writes(tool: Tool, tmp_path: Path) -> None:
    tool("gcc")
    gdb = tool("gdb")
    program = built(tmp_path, "gcc", "O0", "pie")
    core = by_gdb(tmp_path, program, "threads")
    assert compared(gdbs(gdb, program, core), core)["values"] > 50


def compared(
    theirs: list[Json],
    path: Path,
    program: Path | None = None,
    sources: tuple[str, ...] = ("faults.c",),
) -> Counter[str]:
    core = load_core(path, None if program is None else str(program))
    session = session_of(core)
    counts: Counter[str] = Counter()
    differences: list[str] = []
    assert [their["lwp"] for their in theirs] == [thread.lwp for thread in core.threads.values()]
    for thread in theirs:
        wave = thread["number"]
        top = evolve(session, wave=wave, pc=core.pc_of(wave))
        # Those of tail calls have no code of their own, and tests/gdb/test_gdb_unwind.py.
        frames = [stack_frame for stack_frame in stack_frames(top) if not stack_frame.is_tail_call]
        assert top.call_stack is not None and top.call_stack.end.is_outermost, top.call_stack.end
        pairs = list(zip(frames, thread["frames"], strict=False))
        # GDB goes on behind clone3 and the entry of a static program where it must not.
        assert len(frames) <= len(thread["frames"]) <= len(frames) + 1
        for frame, their in pairs:
            where = f"thread {wave}, frame {frame.number} ({their['name']})"
            counts["frames"] += 1
            if frame.pc != their["pc"]:
                differences.append(f"{where}: pc {frame.pc:#x}, GDB {their['pc']:#x}")
            if str(their["file"] or "").endswith(sources):
                place = frame.position
                text = (frame.function, None if place is None else place.line)
                name = str(their["name"]).removeprefix("__GI_")  # the C library's own symbols
                if text != (name, their["line"]):
                    differences.append(f"{where}: {text}, GDB {their['name']}:{their['line']}")
                differences += differing(where, frame, their["variables"], counts)
    assert not differences, "\n".join(differences)
    return counts


def differing(where: str, frame: StackFrame, theirs: list[Json], counts: Counter[str]) -> list[str]:
    result = []
    mine = ours(frame.session, frame)
    for name, line, text in theirs:
        counts["values"] += 1
        own = mine.get((name, line), "<optimized out>")  # labels are among GDB's variables
        if own in (LOST, PARTIAL):
            counts[own] += 1
        elif plain(own) != plain(text):
            result.append(f"{where}: {name} = {own}, GDB {text}")
    return result


def test_gdbs_words(tool: Tool, tmp_path: Path) -> None:
    tool("gcc")
    gdb = tool("gdb")
    program = built(tmp_path, "gcc", "O0", "pie")
    core = crashed(tmp_path, program, "callback")
    command = [gdb, "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", program, core]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    done = run("bt", "--core", core)
    for text in ("Core was generated by `", "Program terminated with signal "):
        assert [line for line in done.lines if line.startswith(text)] == [
            line for line in lines if line.startswith(text)
        ]
