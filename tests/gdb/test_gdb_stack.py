"""`dwarfgpu bt` inside GDB, and what outer frames see through our own call frame information."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.gdb.debugger import Beginnings, Debugger, errors_of

SOURCES = Path(__file__).resolve().parents[2] / "fixtures/native"
STOPPED = ("break leaf", "run")
NO_MAIN = "set backtrace past-main on"
SAME = """
from dwarfgpu.gdb import Debugger
from dwarfgpu.gdb.compare_frames import compare
debugger = Debugger()
def same():
    found = compare(debugger)
    tell(found.frames, found.facts > 10 * found.frames, [str(each) for each in found.differences])
"""


TELL = """
def tell(*what):
    for line in " ".join(map(str, what)).splitlines():
        print("\\n=", line)
"""


def printed_by(debugger: Debugger, code: str, *before: str, file: Path) -> list[str]:
    """What code prints, without GDB's messages about the running program."""
    code = TELL + code
    lines = debugger.python(code, *before, file=file).splitlines()
    return [line.removeprefix("= ") for line in lines if line.startswith("= ")]


@pytest.fixture(scope="module")
def unwound(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Path:
    program = tmp_path_factory.mktemp("stack") / "unwound"
    command = [tool("gcc"), str(SOURCES / "unwound.c"), "-g", "-O2", "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return program


def test_frames_as_the_command_line_prints_them(
    debugger: Debugger, demo: Path, repository: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state.json"
    out, _ = debugger.run(
        *STOPPED,
        NO_MAIN,
        f"dwarfgpu save-state {shlex.quote(str(state))}",
        "echo @@",
        "dwarfgpu bt 3",
        "echo @@",
        "dwarfgpu bt",
        file=demo,
    )
    some, every = (part.splitlines() for part in out.split("@@")[1:])
    theirs = run("bt", "--state", state, "--limit", "3").lines
    assert some[:3] == theirs[:3]
    assert some[3] == "(More stack frames follow...)"
    assert every[:3] == some[:3] and every[-1].endswith(" in _start ()")


def test_main_is_the_last_as_for_gdb(debugger: Debugger, demo: Path) -> None:
    out, _ = debugger.run(*STOPPED, "echo @@", "dwarfgpu bt", file=demo)
    lines = out.split("@@")[1].splitlines()
    assert [line.partition(" (")[0].split()[-1] for line in lines] == ["leaf", "mid", "main"]
    out, _ = debugger.run(*STOPPED, "set backtrace limit 2", "echo @@", "dwarfgpu bt", file=demo)
    assert len(out.split("@@")[1].splitlines()) == 2


@pytest.mark.parametrize(
    ("manner", "shown"),
    [("all", "v={a = 1, b = 2}, n=3"), ("scalars", "v=..., n=3"), ("none", "..."),
     ("presence", "...")],
)  # fmt: skip
def test_arguments_as_gdb_is_set(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path, manner: str, shown: str
) -> None:
    (tmp_path / "t.c").write_text(
        "struct s { int a, b; };\nint f(struct s v, int n) { return v.a + n; }\n"
        "int main(void) { struct s v = {1, 2}; return f(v, 3); }\n"
    )
    command = [tool("gcc"), "-g", "-O0", "t.c", "-o", "t"]
    subprocess.run(command, check=True, cwd=tmp_path, timeout=60)
    setting = f"set print frame-arguments {manner}"
    program = tmp_path / "t"
    out, _ = debugger.run("break f", "run", setting, "echo @@", "dwarfgpu bt 1", file=program)
    assert f" f ({shown}) at t.c:2" in out.split("@@")[1]


def test_a_comparison_lists_the_differences(debugger: Debugger, optimized: Path) -> None:
    """As for a frame description that puts one register where another one is."""
    code = """
from dwarfgpu.base.records import evolve
from dwarfgpu.cfi import unwind
from dwarfgpu.gdb.files import LoadedFiles
right = LoadedFiles.row_at
def wrong(files, location):
    row = right(files, location)
    return evolve(row, rules={**row.rules, 3: row.rules[6]}) if 6 in row.rules else row
tell(said("dwarfgpu bt -compare"))
LoadedFiles.row_at = wrong
gdb.execute("stepi", to_string=True)
tell(said("dwarfgpu bt -compare"))
"""
    right, *differences, wrong = printed_by(debugger, code, *STOPPED, NO_MAIN, file=optimized)
    match = re.fullmatch(r"6 frames: (\d+) of \1 facts are the same", right)
    assert match is not None and int(match[1]) > 60
    assert differences[0].startswith("#3  rbx: GDB has ") and ", dwarfgpu 0x" in differences[0]
    same = int(match[1]) - len(differences)
    assert wrong == f"6 frames: {same} of {match[1]} facts are the same"


def test_variables_by_both(debugger: Debugger, optimized: Path, repository: Path) -> None:
    """In the frame of main the location list of clang has argv in a register that is gone."""
    code = """
tell(said("dwarfgpu compare"))
tell(said("dwarfgpu compare -all-frames"), gdb.selected_frame().level())
"""
    clang = repository / "fixtures/x86_64/demo.clang.O2.v5"
    lines = printed_by(debugger, code, *STOPPED, "up", file=clang)
    assert re.fullmatch(r"\d+ variables of 1 frame: (\d+) are the same, 0 .*, 0 differ", lines[0])
    assert lines[1].startswith("#2  argv: GDB has (char **) 0x")
    assert lines[1].endswith(
        "dwarfgpu <optimized out> "
        "(GDB shows the current contents of a register that the callee may have changed)"
    )
    assert re.fullmatch(
        r"(\d+) variables of 3 frames: .*, 1 differs .* reason, 0 differ 1", lines[-1]
    )
    lines = printed_by(debugger, code, *STOPPED, file=optimized)
    assert lines[-1].endswith(" 0 differ 0")


def test_a_comparison_of_variables_lists_the_differences(debugger: Debugger, demo: Path) -> None:
    code = """
from dwarfgpu.gdb.machine.gdb_target import GdbTarget
right = GdbTarget.read_memory
GdbTarget.read_memory = lambda *given: bytes(byte ^ 1 for byte in right(*given))
tell(said("dwarfgpu compare"))
"""
    lines = printed_by(debugger, code, *STOPPED, file=demo)
    assert any(line.startswith("#0  n: GDB has ") for line in lines)
    assert not lines[-1].endswith(" 0 differ")


ERRORS = [
    ((), "dwarfgpu bt", "No stack."),
    (STOPPED, "dwarfgpu bt -full", '"dwarfgpu bt" has no option -full.'),
    (STOPPED, "dwarfgpu bt nothing", 'No symbol "nothing" in current context.'),
    ((*STOPPED, "kill"), "dwarfgpu bt -compare", "No stack."),
    ((), "dwarfgpu compare", "No stack."),
    (STOPPED, "dwarfgpu where leaf", '"leaf" is not the name of a variable.'),
    (STOPPED, "dwarfgpu where n + 1", '"n + 1" is not the name of a variable.'),
    (STOPPED, "dwarfgpu where nosuch", 'No symbol "nosuch" in current context.'),
    (STOPPED, "dwarfgpu where nosuch.a", 'No symbol "nosuch.a" in current context.'),
    ((), "dwarfgpu print $rip", "No registers."),
    ((), "dwarfgpu print $pc + 1", "No registers."),
    ((), "dwarfgpu print $fp", "No registers."),
    ((), "dwarfgpu explain $pc", "No registers."),
    ((), "dwarfgpu location $sp", "No registers."),
    (STOPPED, "dwarfgpu compare -x", '"dwarfgpu compare" has no option -x.'),
    (
        STOPPED,
        "dwarfgpu compare -all-frames x",
        '"dwarfgpu compare -all-frames" takes no argument: x',
    ),
    (STOPPED, "dwarfgpu bt -compare 1", '"dwarfgpu bt -compare" takes no argument: 1'),
    (STOPPED, "dwarfgpu bt --full", '"dwarfgpu bt" has no option --full.'),
    (STOPPED, "dwarfgpu bt full", '"dwarfgpu bt" has no full: use "dwarfgpu info-locals".'),
    (STOPPED, "dwarfgpu info-locals --json x", '"dwarfgpu info-locals -json" takes no argument: x'),
]


@pytest.fixture(scope="module")
def errors(debugger: Debugger, demo: Path) -> dict[tuple[Beginnings, str], str]:
    return errors_of(debugger, ERRORS, demo)


@pytest.mark.parametrize(("before", "command", "message"), ERRORS)
def test_errors_are_one_line(
    errors: dict[tuple[Beginnings, str], str], before: Beginnings, command: str, message: str
) -> None:
    assert errors[before, command] == f"{message}\n"


def test_a_negative_count_is_of_the_outermost_frames(debugger: Debugger, demo: Path) -> None:
    out, err = debugger.run(*STOPPED, "dwarfgpu bt", "echo --\\n", "dwarfgpu bt -1", file=demo)
    every, _, last = out.rpartition("--\n")
    assert "dwarfgpu" not in err and last == every.splitlines(keepends=True)[-1]
    assert last.startswith("#") and " in main " in last


def test_frames_are_forgotten_when_anything_moves(debugger: Debugger, unwound: Path) -> None:
    """Runs, writes of registers and memory by GDB and by us, another thread, another process."""
    code = (
        SAME
        + """
def stop(command=None):
    if command:
        gdb.execute(command, to_string=True)
    same()
stop()
stop("stepi 7")
stop("continue")
frame = gdb.newest_frame().older()
saved = int(frame.older().read_register("rsp")) - 8
stop(f"set var *(long *) {saved} = *(long *) {saved} + 1")  # a return address
stop(f"set var *(long *) {saved} = *(long *) {saved} - 1")
stop("set var $rbx = $rbx + 16")
session = debugger.session()
location = session.at_level(2).frame.register(3)
session.context().access.write(location, 64, 0x1234)
stop()
said("dwarfgpu print $rbx = 99")
stop()
stop("finish")
stop("run")
"""
    )
    lines = printed_by(debugger, code, "break deep", "run", NO_MAIN, file=unwound)
    assert len(lines) == 10
    assert [line.partition(" ")[2] for line in lines] == ["True []"] * 10, lines


def test_registers_of_outer_frames_are_where_callees_saved_them(
    debugger: Debugger, unwound: Path
) -> None:
    code = """
from dwarfgpu.gdb import Debugger
debugger = Debugger()
gdb.execute("up 2", to_string=True)
found = set()
for number in (3, 6, 12, 13, 14, 15):
    session = debugger.session()
    name = session.architecture.register(number).name
    location = session.frame.register(number)
    found.add(type(location.single_locations[0].storage).__name__)
    value = session.context().access.read(location, 64).value
    assert value == int(gdb.selected_frame().read_register(name)) % 2**64
    assert said(f"dwarfgpu print ${name} = {number}").startswith(f"${name} = {number} = ")
    assert int(gdb.selected_frame().read_register(name)) == number, name
tell(gdb.selected_frame().level(), found)
"""
    before = ("break deep", "run", "continue", "continue")
    assert printed_by(debugger, code, *before, file=unwound) == ["2 {'Memory'}"]


def test_a_frame_that_gdb_made_for_a_call(debugger: Debugger, optimized: Path) -> None:
    """Behind it the frames are GDB's, and a note names them."""
    code = """
try:
    gdb.execute("call mid(7)", to_string=True)
except gdb.error:
    pass
tell(said("dwarfgpu bt").splitlines()[-1].partition(" for ")[0])
gdb.execute("frame 4", to_string=True)
tell(said("dwarfgpu print n"))
tell(gdb.selected_frame().level())
"""
    lines = printed_by(debugger, code, *STOPPED, file=optimized)
    assert lines[0] == "stopped: no frame information" and lines[1] == "n = 41"
    assert lines[2].startswith("note: dwarfgpu has no such frame (stopped: no frame information")
    assert lines[2].endswith("its registers come from GDB and are read-only") and lines[3] == "4"


LIVE = r"""
#include <pthread.h>
#include <time.h>
static pthread_barrier_t met;
static int waits(int n) {
  pthread_barrier_wait(&met);
  pthread_barrier_wait(&met);
  return n;
}
static void *start(void *argument) { return (void *)(long)waits(*(int *)argument); }
static int now(int n) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec == n;
}
int main(void) {
  int argument = 5;
  pthread_t thread;
  pthread_barrier_init(&met, 0, 2);
  pthread_create(&thread, 0, start, &argument);
  pthread_barrier_wait(&met);
  int result = now(7);
  pthread_barrier_wait(&met);
  pthread_join(thread, 0);
  return result;
}
"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Path:
    folder = tmp_path_factory.mktemp("live")
    (folder / "live.c").write_text(LIVE)
    command = [tool("gcc"), "-g", "-O1", "live.c", "-o", "live", "-pthread"]
    subprocess.run(command, check=True, cwd=folder, timeout=60)
    return folder / "live"


def test_the_code_that_is_in_no_file(debugger: Debugger, live: Path) -> None:
    """The kernel's own functions in every process are read from memory."""
    code = (
        SAME
        + """
gdb.execute("delete", to_string=True)
try:
    gdb.execute("break __vdso_clock_gettime", to_string=True)
except gdb.error as error:
    tell("none:", error)
else:
    gdb.execute("continue", to_string=True)
    for _ in range(12):
        same()
        gdb.execute("stepi", to_string=True)
    tell(said("dwarfgpu bt").splitlines()[0].partition(" in ")[2])
"""
    )
    before = ("set breakpoint pending off", "break now", "run", NO_MAIN)
    lines = printed_by(debugger, code, *before, file=live)
    if lines[0].startswith("none:"):
        pytest.skip("the kernel gives processes no clock_gettime")
    assert [line.partition(" ")[2] for line in lines[:-1]] == ["True []"] * 12, lines
    assert lines[-1].startswith("clock_gettime () from system-supplied DSO at 0x")


ENTERED = """
__asm__(".globl _start\\n_start: mov %esp, %eax\\n push %eax\\n call begin");
static long call(long entry, long number, long first, long second) {
  long result;
  __asm__ volatile("call *%1" : "=a"(result) : "D"(entry), "a"(number), "b"(first), "c"(second));
  return result;
}
void begin(long *sp) {
  long *vector = sp + sp[0] + 2;
  while (*vector++);
  while (*vector && *vector != 32) vector += 2; /* AT_SYSINFO */
  if (*vector) call(vector[1], 37, call(vector[1], 20, 0, 0), 6); /* kill(getpid(), SIGABRT) */
  __asm__ volatile("int $0x80" : : "a"(1), "b"(0)); /* exit */
}
"""


def test_the_code_that_is_in_no_file_of_i386(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Its ELF header is that of 32-bit files. Every system call of i386 is there."""
    (tmp_path / "entered.c").write_text(ENTERED)
    command = [tool("gcc"), "-m32", "-g", "-w", "-nostdlib", "-static", "-fno-stack-protector"]
    program = tmp_path / "entered"
    command += ["entered.c", "-o", str(program)]
    try:
        subprocess.run(command, check=True, cwd=tmp_path, capture_output=True, timeout=60)
    except subprocess.CalledProcessError:
        pytest.skip("gcc does not compile for i386")
    code = """
try:
    gdb.execute("run", to_string=True)
    name = gdb.newest_frame().name()
except gdb.error as error:
    name = None
if name == "__kernel_vsyscall":
    same()
    for line in said("dwarfgpu bt").splitlines():
        tell(line.partition(" in ")[2].partition(" (")[0])
"""
    lines = printed_by(debugger, SAME + code, file=program)
    if not lines:
        pytest.skip("the kernel runs no programs of i386, or gives them no __kernel_vsyscall")
    assert lines[0].partition(" ")[2] == "True []"
    assert lines[1:4] == ["__kernel_vsyscall", "call", "begin"]


def test_every_thread(debugger: Debugger, live: Path) -> None:
    """The thread and the frame that are selected stay so."""
    code = (
        SAME
        + """
for thread in sorted(gdb.selected_inferior().threads(), key=lambda each: each.num):
    thread.switch()
    gdb.newest_frame().older().select()
    same()
    tell(gdb.selected_thread().num == thread.num, gdb.selected_frame().level())
    tell("in", said("dwarfgpu bt").partition(" waits (")[2].partition(")")[0])
"""
    )
    lines = printed_by(debugger, code, "break now", "run", NO_MAIN, file=live)
    assert [line.partition(" ")[2] for line in lines[::3]] == ["True []"] * 2, lines
    assert lines[1::3] == ["True 1"] * 2 and lines[2::3] == ["in ", "in n=5"]


def test_the_child_that_gdb_follows(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB 13 lists the libraries of the child among its files, but not the program."""
    (tmp_path / "forks.c").write_text(
        "#include <unistd.h>\n#include <sys/wait.h>\nint given = 3;\n"
        "int child(int n) { int twice = 2 * n; return twice; }\n"
        "int main(void) { if (!fork()) _exit(child(given + 1)); return wait(0) < 0; }\n"
    )
    command = [tool("gcc"), "-g", "-O0", "forks.c", "-o", "forks"]
    subprocess.run(command, check=True, cwd=tmp_path, timeout=60)
    before = ("set follow-fork-mode child", "break child", "run", "echo @@")
    asked = ("dwarfgpu print n + given", "dwarfgpu bt", "dwarfgpu compare -all-frames")
    out, _ = debugger.run(*before, *asked, file=tmp_path / "forks")
    lines = out.split("@@")[1].splitlines()
    assert lines[0] == "n + given = 7"
    assert lines[1].endswith("child (n=4) at forks.c:4") and " in main ()" in lines[2]
    assert lines[3].startswith("2 variables of 2 frames: 2 are the same")


BEYOND = """\
int total;
__attribute__((noinline)) void stop(int n) { int twice = 2 * n; total += twice; }
int main(int argc, char **argv) { short local = argc + 4; stop(local); return total; }
"""


def test_variables_beyond_the_own_unwinder_are_compared(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """As those of Free Pascal, which writes no call frame information: the registers are GDB's
    there, and the CFA. The newest frame has none."""
    (tmp_path / "a.c").write_text(BEYOND)
    for command in (
        [tool("gcc"), "-g", "-O0", "-fno-asynchronous-unwind-tables", "-c", "a.c"],
        [tool("objcopy"), "-R", ".debug_frame", "-R", ".rela.debug_frame", "a.o"],
        [tool("gcc"), "a.o", "-o", "a"],
    ):
        subprocess.run(command, check=True, timeout=120, cwd=tmp_path)
    commands = ("dwarfgpu bt", "up", "dwarfgpu compare", "dwarfgpu compare -all-frames")
    out, err = debugger.run("break stop", "run", *commands, file=tmp_path / "a")
    assert "no frame information" in out, out + err
    assert "\n3 variables of 1 frame: 3 are the same, 0 differ" in out, out + err
    assert "\n5 variables of 2 frames: 3 are the same, 2 differ for a known" in out, out + err
    before = ("break stop", "run", "set {long}($rbp + 8) = 0")  # it returns to nothing
    out, err = debugger.run(*before, "dwarfgpu compare -all-frames", file=tmp_path / "a")
    assert "\n2 variables of 2 frames: 0 are the same, 2 differ for a known" in out, out + err
