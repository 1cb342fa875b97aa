"""`dwarfgpu save-state`: what is answered from the file is what is answered inside GDB."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.machine.state.load import load_state
from tests.cli.command import FIXTURES, run, run_json, validator
from tests.gdb.debugger import SETTINGS, Debugger, indexed
from tests.gdb.test_rocgdb import known, session

FILE = Path(__file__).resolve().parents[2] / "dwarfgpu/gdb/save_state.py"
SOURCES = FILE.parents[2] / "fixtures/native"
ALONE = frozenset(
    {"contextlib", "errno", "gdb", "hashlib", "json", "os", "re", "stat", "struct", "typing"}
)
TELL = """
def names(frame):
    block = frame.block()
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                yield symbol.name
        if block.function is not None:
            return
        block = block.superblock

def shown(name):
    try:
        return gdb.execute("PRINT " + name, to_string=True).split("\\nnote:")[0]
    except gdb.error as error:
        return "= error: " + str(error)

found = []
frame = gdb.newest_frame()
while frame is not None and frame.find_sal().symtab is not None:
    frame.select()
    for name in dict.fromkeys(names(frame)):
        text = shown(name).partition(" = ")[2].strip()
        found.append([frame.level(), name, text])
    frame = frame.older() if frame.name() != "main" else None
gdb.newest_frame().select()
gdb.execute("dwarfgpu save-state STATE")
import hashlib
import json
print("\\n@@" + json.dumps(found))
"""


def saving(state: Path, setup: list[str], how: str) -> list[str]:
    """Commands that lead somewhere, print all locals there in a way, and save the state."""
    code = TELL.replace("PRINT", how).replace("STATE", shlex.quote(str(state)))
    return ["set target-charset ASCII", *setup, f"python exec({code!r})"]


def printed(out: str, err: str) -> list[list[Any]]:
    """Frame, name and text of each local that such commands print."""
    mark = out.rfind("@@")
    assert mark >= 0, out[-2000:] + err[-2000:]
    result: list[list[Any]] = json.loads(out[mark + 2 :].partition("\n")[0])
    return result


def differing(state: Path, found: list[list[Any]]) -> list[str]:
    """What the file answers otherwise."""
    validator("state").validate(json.loads(state.read_text()))
    out = []
    by_frame: dict[int, list[tuple[str, str]]] = {}
    for level, name, text in found:
        by_frame.setdefault(level, []).append((name, text))
    for level, asked in by_frame.items():
        done = run("eval", "--state", state, "--frame", level, *(name for name, _ in asked))
        answers = dict(line.split(" = ", 1) for line in done.lines)
        for name, text in asked:
            ours = answers.get(name, "nothing")
            if f": {name}: <optimized out> (" in done.err:
                ours = "<optimized out>"
            if ours != text:
                out.append(f"#{level} {name}: {text} in GDB, {ours} from the file")
    return out


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_alone_in_stock_gdb(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    """Every local of every frame as GDB itself prints it; nothing of dwarfgpu is in this GDB."""
    program, state = tmp_path / "values", tmp_path / "state.json"
    command = [tool(compiler), "-g", "-O0", "-w", str(SOURCES / "values.c"), "-o", str(program)]
    subprocess.run([*command, "-lm"], check=True, timeout=120)
    compared = 0
    for function, skipped in (("times", 0), ("look", 9), ("look", 40), ("look", 70)):
        setup = [f"source {FILE}", f"break {function}", f"ignore 1 {skipped}", "run"]
        lines = [*SETTINGS, *indexed()]
        lines += saving(state, setup, "print -raw-values --")
        options = [piece for line in lines for piece in ("-ex", line)]
        done = subprocess.run(
            [debugger.program, "-nx", "-q", "-batch", *options, str(program)],
            capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        result = printed(done.stdout, done.stderr)
        assert differing(state, result) == []
        compared += len(result)
    assert compared > 60


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_beside_dwarfgpu(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    """Every local of every frame of an optimized program as dwarfgpu has it inside GDB."""
    program, state = tmp_path / "moved", tmp_path / "state.json"
    command = [tool(compiler), "-g", "-O2", "-w", str(SOURCES / "moved.c"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=120)
    compared = 0
    for function, skipped in (("external", 3), ("external", 30), ("touch", 8), ("last", 2)):
        setup = [f"break {function}", f"ignore 1 {skipped}", "run"]
        result = printed(*debugger.run(*saving(state, setup, "dwarfgpu print"), file=program))
        assert differing(state, result) == []
        compared += len(result)
    assert compared > 40


OWN_STACK = """\
#include <signal.h>
#include <stdlib.h>
static void handler(int number) { __builtin_trap(); }
static int deep(int n) {
  volatile int kept = n * 10;
  if (n == 0) raise(SIGUSR1); else deep(n - 1);
  return kept;
}
int main(void) {
  stack_t own = {.ss_sp = malloc(65536), .ss_size = 65536};
  sigaltstack(&own, 0);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, 0);
  return deep(2);
}
"""


def test_each_stack_is_saved(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """A handler of signals is on a stack of its own; what it interrupted is on another one."""
    program, source, state = (tmp_path / name for name in ("a", "a.c", "state.json"))
    source.write_text(OWN_STACK)
    command = [tool("gcc"), "-g", "-O0", "-w", str(source), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    stop = ["handle SIGUSR1 nostop", "run"]
    _, err = debugger.run(*stop, f"dwarfgpu save-state {state}", file=program)
    assert "warning: save-state" not in err, err
    trace = run("bt", "--state", str(state)).out
    assert re.findall(r" (handler|deep|main) \((.*?)\)", trace) == [
        ("handler", "number=10"), ("deep", "n=0"), ("deep", "n=1"), ("deep", "n=2"), ("main", ""),
    ]  # fmt: skip


def test_frames_that_are_not_saved_are_named(debugger: Debugger, tmp_path: Path) -> None:
    program, state = FIXTURES / "core/shapes.x86_64.O0", tmp_path / "state.json"
    save = f"dwarfgpu save-state {state} -stack 8"
    _, err = debugger.run(f"core-file {program}.core", save, file=program)
    assert re.search(r"^warning: save-state: \d+ of \d+ frames are not saved, ", err, re.M), err


@pytest.mark.parametrize(
    ("before", "command", "message"),
    [
        ((), "dwarfgpu save-state x.json", "save-state: the program is not being run"),
        (("starti",), "dwarfgpu save-state", "save-state: one file is needed. "),
        (("starti",), "dwarfgpu save-state x -frames 3", "save-state: not -frames 3. "),
        (("starti",), "dwarfgpu save-state x -memory 12", "save-state: not -memory 12. "),
        (("starti",), "dwarfgpu save-state x -memory 0x10,4", "save-state: cannot read all "),
        (("starti",), "dwarfgpu save-state /no/where", "save-state: /no/where: No such file"),
    ],
)  # fmt: skip
def test_errors_are_one_line(
    debugger: Debugger, before: tuple[str, ...], command: str, message: str
) -> None:
    _, err = debugger.run(*before, command, file=Path("/bin/true"))
    assert err.strip().splitlines()[-1].startswith(message)
    assert "Traceback" not in err


def test_no_file_that_gdb_has_open_is_replaced(debugger: Debugger, tmp_path: Path) -> None:
    """Program, debug file and core file, links to them too."""
    program, core, link = tmp_path / "program", tmp_path / "core", tmp_path / "link"
    program.write_bytes((FIXTURES / "core/shapes.x86_64.O0").read_bytes())
    core.write_bytes((FIXTURES / "core/shapes.x86_64.O0.core").read_bytes())
    link.hardlink_to(program)
    files = {path: path.read_bytes() for path in (program, core, link)}
    for path in files:
        command = f"dwarfgpu save-state {shlex.quote(str(path))}"
        _, err = debugger.run(f"core-file {core}", command, file=program)
        assert f"save-state: {path} is an input: give another file" in err
    assert files == {path: path.read_bytes() for path in files}


def test_a_pipe_without_a_reader_is_an_error(debugger: Debugger, tmp_path: Path) -> None:
    """GDB would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    save = f"dwarfgpu save-state {shlex.quote(str(tmp_path / 'pipe'))}"
    out, err = debugger.run("starti", save, "echo after\\n", file=Path("/bin/true"))
    assert f"save-state: {tmp_path}/pipe: no program reads the pipe" in err
    assert "after" in out


def test_a_link_to_itself_stays(debugger: Debugger, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("link")
    save = f"dwarfgpu save-state {shlex.quote(str(link))}"
    _, err = debugger.run("starti", save, file=Path("/bin/true"))
    assert f"save-state: {link}: Too many levels of symbolic links" in err
    assert link.is_symlink()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write every file")
def test_a_file_that_may_not_be_written_stays(debugger: Debugger, tmp_path: Path) -> None:
    path = tmp_path / "precious"
    path.write_text("precious")
    path.chmod(0o444)
    save = f"dwarfgpu save-state {shlex.quote(str(path))}"
    _, err = debugger.run("starti", save, file=Path("/bin/true"))
    assert f"save-state: {path}: Permission denied" in err
    assert path.read_text() == "precious"


def test_the_output_of_gdb_is_not_replaced(debugger: Debugger, tmp_path: Path) -> None:
    """Opened anew, the file of a stream would lose what GDB has written to it."""
    printed = tmp_path / "printed"
    commands = ("starti", "echo before\\n", "dwarfgpu save-state /dev/stdout", "echo after\\n")
    options = [word for command in (f"source {FILE}", *commands) for word in ("-ex", command)]
    with printed.open("wb") as stream:
        subprocess.run(
            [debugger.program, "-nx", "-q", "-batch", *options, "/bin/true"],
            stdout=stream,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=60,
        )
    lines = printed.read_text("utf-8").splitlines()
    assert lines.index("before") < lines.index("{") < lines.index("}") < lines.index("after")


def test_no_link_that_another_program_laid_is_followed(debugger: Debugger, tmp_path: Path) -> None:
    """The contents are written beside the state first, and nothing knows under which name."""
    precious, state = tmp_path / "precious", tmp_path / "state.json"
    precious.write_text("precious")
    lay = f"import os; os.symlink('precious', '{tmp_path}/.dwarfgpu-%d.tmp' % os.getpid())"
    save = f"dwarfgpu save-state {shlex.quote(str(state))}"
    debugger.run("starti", f"python {lay}", save, file=Path("/bin/true"))
    assert precious.read_text() == "precious"
    assert not state.is_symlink() and "schema" in json.loads(state.read_text())
    [left] = tmp_path.glob(".dwarfgpu-*")
    assert left.is_symlink()


def test_old_gdbs_can_read_the_file() -> None:
    """Python 3.6, and nothing but GDB's own modules."""
    tree = ast.parse(FILE.read_text(), feature_version=(3, 6))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([name.name for name in node.names] if isinstance(node, ast.Import)
                     else [node.module or ""])
    }  # fmt: skip
    assert imported == ALONE


@pytest.mark.parametrize("name", ["x86_64", "i386", "aarch64", "gfx942", "gfx1100"])
def test_registers_are_those_of_the_architecture(name: str) -> None:
    """What is written has a name that a state may have, and what calls preserve is written."""
    source = ast.parse(FILE.read_text())
    tables: dict[str, Any] = {}
    for node in source.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "REGISTERS":
            tables = ast.literal_eval(node.value)
    pattern = re.compile(tables.get(name, tables[""]))
    arch = architecture(name)
    listed = {register.name for register in (*arch.registers.values(), *arch.other_registers)}
    kept = {arch.register(item).name for item in arch.preserved or ()}
    missed = {finding for finding in kept if not pattern.fullmatch(finding)}
    assert all(re.fullmatch(r"tpidr.*", item) for item in missed), missed
    assert any(pattern.fullmatch(item) for item in listed)
    if arch.program_counter is not None and arch.machine != "AMDGPU":
        assert pattern.fullmatch(arch.register(arch.program_counter).name)


GPUS = [("gfx900", 64), ("gfx90a", 64), ("gfx1010", 32), ("gfx1030", 64), ("gfx1100", 32),
        ("gfx1200", 32), ("gfx1200", 64), ("gfx1250", 32)]  # fmt: skip


@pytest.mark.parametrize(("name", "lanes"), GPUS)
def test_every_register_of_a_wave_is_saved(
    repository: Path, tmp_path: Path, name: str, lanes: int
) -> None:
    """Those that a state can have: `save-state` writes them as the stand-in of ROCgdb has them."""
    arch = architecture(name, lanes)
    listed = [*arch.registers.values(), *arch.other_registers]
    registers: dict[str, Any] = {
        item.name: {"bytes": f"{number % 251 + 1:02x}" * (item.size_bits // 8)}
        for number, item in enumerate(listed)
        if item.name not in ("pc", "pc_32")
    }
    waves = [{"pc": "0x1000", "registers": registers}]
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    document = {"schema": "dwarfgpu-state-1", "architecture": name, "wave_size": lanes}
    before.write_text(json.dumps({**document, "waves": waves}))
    session(repository, str(before), f"dwarfgpu save-state {shlex.quote(str(after))}")
    saved, given = load_state(after), load_state(before)
    for item in listed:
        if item.name in registers:
            assert saved.target.read_register(0, item) == given.target.read_register(0, item), item


def test_a_wave_in_all_lanes(repository: Path, tmp_path: Path) -> None:
    """With the stand-in of ROCgdb: registers of all lanes, the code object beside the state."""
    path, state = "dwarfgpu/data/demo.json", tmp_path / "wave.json"
    session(repository, path, f"dwarfgpu save-state {shlex.quote(str(state))} -lanes all")
    document = json.loads(state.read_text())
    validator("state").validate(document)
    assert document["architecture"] == "gfx942" and document["wave_size"] == 64
    [beside] = tmp_path.glob("*.co")
    digits = hashlib.sha256(beside.read_bytes()).hexdigest()[:16]
    assert [code_object["path"] for code_object in document["code_objects"]] == [
        f"wave.0.{digits}.co"
    ]
    for name in ("t", "a", "r", "sum"):
        assert by_file(state, name) == known(repository, path, name)


def by_file(state: Path, name: str) -> dict[int, str]:
    record: Any = run_json("eval", "--state", state, "--lane", "all", name).json
    return {
        lane["lane"]: lane["text"] if lane.get("error") is None else lane["error"]["kind"]
        for lane in record["lanes"]
    }


def test_private_memory_of_a_lane(repository: Path, tmp_path: Path) -> None:
    path, state = "fixtures/states/nest.gfx942.O0.json", tmp_path / "wave.json"
    command = f"dwarfgpu save-state {shlex.quote(str(state))} -memory private_lane#0x18,20"
    lines = session(repository, path, "lane 3", command)
    assert lines[command] == []
    for name in ("in", "out", "limit"):
        theirs = run("eval", "--state", repository / path, "--lane", 3, name)
        assert run("eval", "--state", state, "--lane", 3, name).lines == theirs.lines
