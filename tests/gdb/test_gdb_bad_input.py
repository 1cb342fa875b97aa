"""Whatever the state of the program: one clear line, and GDB is left as it was."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

HERE = Path(__file__).parent
CORES = HERE.parent.parent / "fixtures/core"
COMMANDS = (
    "print number", "print/x number", "print nothing", "print *(int *) 0", "print", "explain local",
    "explain nothing", "location number", "location nothing", "where number", "where nothing",
    "lanes number", "eval-ops breg7 8; deref", "eval-ops deref", "eval-ops nonsense",
    "eval-ops lit0; deref", "bt", "bt 1", "bt -compare", "bt -1", "info-locals",
    "info-locals --json", "compare", "compare -all-frames", "nonsense",
)  # fmt: skip
FUNCTIONS = (
    'output $dwarfgpu("number")', 'output $dwarfgpu("nothing")', 'output $dwarfgpu("*(int *) 0")',
    "python import dwarfgpu.gdb as dg",
    "python dg.frame().variable('number').text",
    "python [v.text for f in dg.frames() for v in f.variables()]",
    "python dg.frame(1).pc",
    "python dg.evaluate('call_frame_cfa')",
)  # fmt: skip
EVERY = tuple(f"dwarfgpu {command}" for command in COMMANDS) + FUNCTIONS
CHECK = """
import json
def place():
    def tried(action):
        try:
            return str(action())
        except gdb.error as error:
            return f"error: {error}"
    thread = gdb.selected_thread()
    names = ("language", "listsize", "width", "height", "print pretty", "scheduler-locking",
             "confirm", "pagination", "backtrace past-main", "max-value-size")
    return [
        gdb.selected_inferior().num,
        thread and thread.num,
        tried(lambda: gdb.selected_frame().level()),
        tried(lambda: gdb.selected_frame().name()),
        tried(lambda: gdb.history(0)),
        tried(lambda: gdb.parse_and_eval("$_")),
        tried(lambda: gdb.parse_and_eval("$__")),
        said("show language"),
        [str(gdb.parameter(each)) for each in names],
    ]
found = {}
for command in %s:
    before = place()
    found[command] = [said(command), before == place(), before]
print("@" + json.dumps(found))
"""


@pytest.fixture(scope="module")
def host(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of two threads beside its library, as `host.c` describes."""
    folder = tmp_path_factory.mktemp("host")
    for command in (
        ["-shared", "-fPIC", "-o", folder / "plugin.so", HERE / "plugin.c"],
        ["-o", folder / "host", HERE / "host.c", "-pthread", "-ldl"],
    ):
        subprocess.run([tool("gcc"), "-g", "-O0", *map(str, command)], check=True, timeout=60)
    return folder / "host"


def checked(debugger: Debugger, file: Path | None, *before: str) -> dict[str, str]:
    """What every command says; none changes where GDB is, and an error is one line."""
    out, err = debugger.run(*before, f"python exec({CHECK % repr(EVERY)!r})", file=file)
    assert "Traceback" not in out + err, out + err
    lines = [line for line in out.splitlines() if line.startswith("@")]
    assert len(lines) == 1, out + err
    output: dict[str, str] = {}
    for command, (text, is_same, was) in json.loads(lines[0][1:]).items():
        assert is_same, (command, was)
        if text.startswith("error: "):
            assert "\n" not in text.strip().removesuffix("Error while executing Python code."), text
        output[command] = text
    return output


def errors(said: dict[str, str]) -> dict[str, str]:
    return {
        command: text.removeprefix("error: ")
        for command, text in said.items()
        if text.startswith("error: ")
    }


def test_no_program(debugger: Debugger) -> None:
    lines = checked(debugger, None)
    assert set(lines) - set(errors(lines)) == {"python import dwarfgpu.gdb as dg"}
    assert lines["dwarfgpu print number"].endswith("GDB has no program: give it one with `file`")
    assert lines["dwarfgpu bt"] == lines["dwarfgpu info-locals"] == "error: No stack."


def test_a_program_that_does_not_run(debugger: Debugger, host: Path) -> None:
    text = checked(debugger, host)
    assert text["dwarfgpu print number"] == 'error: No symbol "number" in current context.'
    assert text["dwarfgpu bt"] == "error: No stack."
    assert text["dwarfgpu eval-ops breg7 8; deref"].endswith(
        " at offset 0x0: the program is not being run"
    )
    assert text["python dg.frame(1).pc"].startswith("error: ")


@pytest.mark.parametrize(
    "where",
    [
        ("break waits", "run"),
        ("break waits", "run", "up"),
        ("break unloaded", "run", "thread 2", "up"),
        ("break unloaded", "run", "up", "set language ada"),
        ("break unloaded", "run", "up", "set language fortran", "set print pretty on"),
        ("break unloaded", "run", "add-inferior", "inferior 2", "inferior 1", "up"),
        ("break unloaded", "run", "p 1", "x/2x $sp", "set scheduler-locking on", "up"),
        ("break waits", "run", "set var $pc = 0"),
        ("break waits", "run", "set var $sp = 0", "set var $rbp = 16"),
        ("starti",),
    ],
    ids=" ".join,
)
def test_gdb_is_left_as_it_was(debugger: Debugger, host: Path, where: tuple[str, ...]) -> None:
    """In another thread, frame, language, inferior, and where nothing makes sense."""
    lines = checked(debugger, host, *where)
    if "set var $pc = 0" not in where and where != ("starti",):
        assert not lines["dwarfgpu bt"].startswith("error: ")


def test_another_inferior_that_does_not_run(debugger: Debugger, host: Path) -> None:
    lines = checked(debugger, host, "break waits", "run", "add-inferior", "inferior 2")
    assert lines["dwarfgpu print number"].endswith("GDB has no program: give it one with `file`")


@pytest.mark.parametrize(
    "before", [("set non-stop on", "set pagination off"), ("maint set target-async on",)]
)
def test_a_program_that_runs(debugger: Debugger, host: Path, before: tuple[str, ...]) -> None:
    """In non-stop mode, and where only the command line goes on."""
    lines = checked(debugger, host, *before, "set args loop", "run &", "shell sleep 1")
    runs = {text for command, text in errors(lines).items() if "nonsense" not in command}
    assert "Selected thread is running." in runs
    for command in ("dwarfgpu print number", "dwarfgpu bt", "dwarfgpu info-locals --json"):
        assert lines[command] == "error: Selected thread is running."


def test_a_stripped_program(debugger: Debugger, host: Path, tool: Callable[[str], str]) -> None:
    stripped = host.with_name("stripped")
    subprocess.run([tool("strip"), "-o", stripped, host], check=True)
    lines = checked(debugger, stripped, "starti")
    assert lines["dwarfgpu print number"] == 'error: No symbol "number" in current context.'
    assert "??" in lines["dwarfgpu bt"] or "_start" in lines["dwarfgpu bt"]


def test_a_file_that_is_not_what_runs(
    debugger: Debugger, host: Path, repository: Path, tmp_path: Path
) -> None:
    program = tmp_path / "host"
    program.write_bytes(host.read_bytes())
    program.chmod(0o755)
    other = repository / "fixtures/x86_64/demo.gcc.O2.v5"
    old, new = shlex.quote(str(program)), shlex.quote(f"{program}.new")
    swap = f"shell cp {shlex.quote(str(other))} {new} && mv {new} {old}"
    lines = checked(debugger, program, "break waits", "run", swap)
    assert (
        "is not the file that GDB has at 0x"
        in lines["dwarfgpu print number"] + lines["dwarfgpu bt"]
    )


@pytest.mark.parametrize(
    ("build_id", "message", "errors"),
    [
        ("sha1", "is not the file that GDB has at 0x", 2),
        ("none", "is not the file that GDB has read: it has been written since", 1),
    ],
)
def test_a_program_that_was_built_anew(
    debugger: Debugger,
    tool: Callable[[str], str],
    tmp_path: Path,
    build_id: str,
    message: str,
    errors: int,
) -> None:
    """The new file has sections of the same sizes: its build ID is another one, or GDB has read the
    file before it was written. GDB has the symbols of the program that runs."""
    sources, program = [tmp_path / "old.c", tmp_path / "new.c"], tmp_path / "program"
    code = "struct S {{ int {}; }} s = {{1, 2}};\nint main(void) {{ return s.a; }}\n"
    for source, members in zip(sources, ("a, b", "b, a"), strict=True):
        source.write_text(code.format(members))
        options = ["-g", f"-Wl,--build-id={build_id}", "-o", source.with_suffix("")]
        subprocess.run([tool("gcc"), *options, source], check=True, timeout=120)
    program.write_bytes(sources[0].with_suffix("").read_bytes())
    program.chmod(0o755)
    os.utime(program, (0, 0))  # for GDB, a file of the same second is the same file
    swap = f"shell mv {shlex.quote(str(tmp_path / 'new'))} {shlex.quote(str(program))}"
    asked = "dwarfgpu print s"
    before = (
        "break main",
        "run",
        asked,
        swap,
        "stepi",
        asked,
        *([f"dwarfgpu save-state {tmp_path / 'state.json'}"] if build_id == "sha1" else []),
        "run",
        asked,
    )
    out, err = debugger.run(*before, file=program)
    assert re.findall("s = .*", out) == ["s = {a = 1, b = 2}", "s = {b = 1, a = 2}"]
    assert f"{program} {message}" in err and err.count("build ID") == errors
    assert not (tmp_path / "state.json").exists()


def test_a_file_that_is_gone(debugger: Debugger, host: Path, tmp_path: Path) -> None:
    program = tmp_path / "host"
    program.write_bytes(host.read_bytes())
    program.chmod(0o755)
    lines = checked(
        debugger, program, "break waits", "run", f"shell rm {shlex.quote(str(program))}"
    )
    why = f"{program} cannot be read: No such file or directory"
    assert lines["dwarfgpu print number"] == f"error: {why}"
    assert why in lines["dwarfgpu info-locals"]


def test_a_debug_file_of_another_build(
    debugger: Debugger, host: Path, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """It has another build-id: it is not read, neither by GDB nor by us."""
    program, debug = tmp_path / "host", tmp_path / "host.debug"
    objcopy = tool("objcopy")
    subprocess.run([objcopy, "--only-keep-debug", host, debug], check=True)
    subprocess.run([objcopy, "-g", f"--add-gnu-debuglink={debug}", host, program], check=True)
    commands = ("break waits", "run", "dwarfgpu print number", "dwarfgpu bt 1")
    out, _ = debugger.run(*commands, file=program)
    assert "number = 7" in out and "#0  waits (number=7) at" in out
    debug.write_bytes(debug.read_bytes()[:-16] + bytes(16))
    subprocess.run([objcopy, "--remove-section=.note.gnu.build-id", debug, debug], check=True)
    lines = checked(debugger, program, "break waits", "run")
    assert lines["dwarfgpu print number"] == 'error: No symbol "number" in current context.'


LIBRARY = """
import dwarfgpu.gdb as dg
def tried(action):
    try:
        return str(action())
    except gdb.GdbError as error:
        return f"error: {error}"
frame = dg.frame()
number, library, own = dg.variable("number"), dg.variable("in_library"), dg.variable("per_thread")
gdb.execute("next", to_string=True)
gdb.execute("next", to_string=True)
print("@" + dg.variable("in_library").text, dg.variable("per_thread").text,
      dg.frame().variable("inside").text, dg.frame(1).variable("argc").text)
kept = dg.variable("in_library")
gdb.execute("break unloaded")
gdb.execute("continue", to_string=True)
print("@" + tried(lambda: kept.text))
print("@" + tried(lambda: frame.variable("number")))
print("@" + tried(lambda: dg.variable("in_library")))
print("@" + tried(lambda: dg.variable("number").text), said("dwarfgpu bt").splitlines()[0])
"""


def test_a_library_that_is_unloaded(debugger: Debugger, host: Path) -> None:
    before = ("set breakpoint pending on", "break plugged", "run")
    out = debugger.python(LIBRARY, *before, file=host)
    first, kept, frame, gone, last = [line[1:] for line in out.splitlines() if line[:1] == "@"]
    assert first == "5 108 6 1" or first == "5 106 6 1" or first.startswith("5 ")
    assert kept.startswith("error: StaleLocation: the frame no longer exists")
    assert frame.startswith("error: StaleLocation: the frame no longer exists")
    assert gone == 'error: No symbol "in_library" in current context.'
    assert last.startswith("8 #0  unloaded (number=8) at ")


def test_thread_local_variables(debugger: Debugger, host: Path) -> None:
    """Of the program and of a library, in each thread; before the library's have a place."""
    code = """
one, two = sorted(gdb.selected_inferior().threads(), key=lambda each: each.num)
for thread in (one, two):
    thread.switch()
    print(*(" ".join(contents(said(f"{how} {name}")).split()) for how in ("print", "dwarfgpu print")
            for name in ("own", "&own", "before", "&before", "per_thread")), sep="|")
one.switch()
print(said("dwarfgpu compare -all-frames"))
"""
    before = ("set breakpoint pending on", "break plugged", "run", "next", "next", "next")
    first, second, compared = debugger.python(code, *before, file=host).splitlines()
    values = first.split("|")
    assert values[0] == "40" and values[2] == "4" and values[:5] == values[5:]
    values = second.split("|")
    assert values[0] == "54" and values[:2] == values[5:7]
    assert "not yet allocated" in values[7]
    assert compared.endswith(" 0 differ for a known reason, 0 differ")


def test_one_thread_runs_and_another_has_stopped(debugger: Debugger, host: Path) -> None:
    """In non-stop mode: each thread is what it is, and what is read is read anew."""
    code = """
import dwarfgpu.gdb as dg
one, two = sorted(gdb.selected_inferior().threads(), key=lambda each: each.num)
one.switch()
print("@", said("dwarfgpu print shared"), said("dwarfgpu bt"), sep="|")
two.switch()
frame, local, shared = dg.frame(), dg.variable("number"), dg.variable("shared")
print("@", frame.function, local.text, shared.text, said("dwarfgpu bt").partition(" (")[0], sep="|")
said("next")
print("@", frame.variable("local").text, contents(said("dwarfgpu print local")), sep="|")
print("@", gdb.selected_thread().num, said("dwarfgpu compare").splitlines()[-1], sep="|")
"""
    before = ("set non-stop on", "break waits if number == 7", "run", "shell sleep 0.5")
    out = debugger.python(code, *before, file=host)
    running, stopped, stepped, last = [
        line.split("|")[1:] for line in out.splitlines() if line.startswith("@|")
    ]
    assert running == ["error: Selected thread is running."] * 2
    assert stopped == ["waits", "7", "1", "#0  waits"]
    assert stepped == ["14", "14"]
    assert last[0] == "2" and last[1].endswith("0 differ")


EXITING = """
#include <pthread.h>
static void *work(void *argument) { return argument; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  return pthread_join(thread, 0);
}
"""


def test_a_thread_that_has_exited(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB 13 has no Python object of it, and raises `SystemError` where one is asked for."""
    source, program = tmp_path / "a.c", tmp_path / "a"
    source.write_text(EXITING)
    command = [tool("gcc"), "-g", "-pthread", str(source), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    commands = ("dwarfgpu print 1", "dwarfgpu bt", 'output $dwarfgpu("1")')
    tried = [f"python print('@' + said({command!r}))" for command in commands]
    stale = "python print('@', frame.is_valid())"
    out, err = debugger.run(
        "break work", "run", "python import dwarfgpu.gdb as dg", "python frame = dg.frame()",
        "set scheduler-locking on", "python said('continue')", *tried, stale, "thread 1",
        *tried[:1], file=program,
    )  # fmt: skip
    lines = [line[1:] for line in out.splitlines() if line.startswith("@")]
    assert "SystemError" not in out + err, out + err
    exited = "the selected thread has exited: select another one"
    assert [exited in line for line in lines[:3]] == [True] * 3, lines
    assert lines[3:] == [" False", "1 = 1"]


def test_debug_information_that_gdb_cannot_read(debugger: Debugger, tmp_path: Path) -> None:
    """Every command is one line, and the list of them, too, after which GDB reads the frame."""
    program = tmp_path / "values"
    data = (CORES / "values.x86_64.O0").read_bytes()
    artificial = bytes([0x34, 0x19, 0, 0])  # DW_AT_artificial, DW_FORM_flag_present; the end
    assert artificial in data
    program.write_bytes(data.replace(artificial, bytes([0x34, 0x34, 0, 0])))  # no form
    core = shlex.quote(str(CORES / "values.x86_64.O0.core"))
    _, err = debugger.run(f"core-file {core}", "dwarfgpu", file=program)
    assert "Dwarf Error: " in err and "Python" not in err, err
