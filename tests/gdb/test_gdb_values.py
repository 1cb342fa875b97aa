"""`dwarfgpu print` inside GDB against GDB's own `print`, on live programs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

PROGRAMS = ["gcc.O0.v4", "gcc.O0.v5", "gcc.O2.v4", "gcc.O2.v5", "clang.O0.v5", "clang.O2.v5"]
BREAKS = ["break mid", "break leaf", "break factorial", "break twice"]
EXPLAINED = {
    # The location describes 1 of the 16 bytes; GDB makes up zeros for the others.
    ("leaf", "text"): "OutOfRange: 128 bits needed at bit offset 0 of a composite, 8 remain",
    # Before its length is computed it may be anywhere: GDB says that in other words.
    (None, "sized"): "Cannot access memory at address",
}


def unexplained(report: dict[str, object]) -> list[object]:
    differences = report["differences"]
    assert isinstance(differences, list)
    return [difference for difference in differences if not _is_explained(*difference)]


def _is_explained(level: int, function: str, name: str, theirs: str, ours: str) -> bool:
    if name == "sized" and "more than max-value-size" in theirs:
        return True  # its length was not computed yet: what was on the stack
    value = EXPLAINED.get((function, name), EXPLAINED.get((None, name)))
    return value is not None and value in ours


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_variable_of_every_frame(debugger: Debugger, repository: Path, name: str) -> None:
    report = debugger.report(
        *BREAKS,
        "python comparison = Comparison('x86_64/demo.c')",
        "run",
        "python comparison.walk(12)",
        "delete 1",
        "continue",
        "python comparison.walk(24)",
        "delete 2",
        "continue",
        "python comparison.walk(12)",
        "python comparison.report()",
        file=repository / f"fixtures/x86_64/demo.{name}",
    )
    assert unexplained(report) == []
    compared, outer, gone = (report[key] for key in ("compared", "outer", "optimized_out"))
    assert isinstance(compared, int) and isinstance(outer, int) and isinstance(gone, int)
    assert compared > 500 and outer > 200 and report["calls"] == 0
    assert (gone > 50) == ("O2" in name), "optimized programs lose variables"


LIBRARY = r"""
struct pair { int first; double second; const char *text; };
struct pair shared_pair = {3, 4.5, "pair"};
static int calls;
__attribute__((noinline)) double visit(struct pair *pair, int (*then)(int)) {
  double local = pair->second * 2;
  calls++;
  int result = then(pair->first + calls);
  return local + result;
}
"""
PROGRAM = r"""
#include <signal.h>
#include <pthread.h>
#include <complex.h>
struct pair { int first; double second; const char *text; };
extern struct pair shared_pair;
double visit(struct pair *pair, int (*then)(int));
static int calls = 100;
typedef int vector __attribute__((vector_size(16)));
vector lanes = {1, 2, 3, 4};
volatile int sink;
static union { unsigned short words[8]; long double value; } odd[] = {
  {{0, 0, 0, 0, 1}}, {{1, 0, 0, 0x8000, 0}}, {{1, 0, 0, 0, 0x7fff}}, {{0, 0, 0, 0xc000, 0x3fff}}};
static inline int inlined(int a, int b) {
  int both = a * b;
  { int both = a - b; sink = both; }
  sink = both;
  return both + sink;
}
static inline __attribute__((always_inline)) int removed(struct pair *pair, int *other) {
  sink = pair->first;
  int both = pair->first + *other;
  sink = both;
  return both;
}
__attribute__((noinline)) int then(int value) {
  struct pair gone = {value, sink, 0};
  int local = sink + 5;
  sink = removed(&gone, &local);
  unsigned char small = value;
  __int128 wide = (__int128)value << 70;
  long double extended = value * 1.5L;
  _Complex double z = value + 2.0 * I;
  int sized[value];
  for (int i = 0; i < value; i++) sized[i] = i;
  int result = inlined(value, sized[value - 1]) + small + (int)extended + (int)creal(z);
  sink = odd[value & 1].words[0] + result + (int)(wide >> 70);
  return result;
}
static void handler(int number) { sink = then(number + calls); }
static void *start(void *argument) {
  int mine = *(int *)argument;
  sink = then(mine);
  return argument;
}
int main(void) {
  int argument = 5;
  pthread_t thread;
  shared_pair.first = 2;
  double visited = visit(&shared_pair, then);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  pthread_create(&thread, 0, start, &argument);
  pthread_join(thread, 0);
  return visited + argument + lanes[1] > 1e9;
}
"""


@pytest.fixture(scope="module")
def build(
    tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]
) -> Callable[..., Path]:
    """Builds the program and its library with GCC."""
    gcc = tool("gcc")

    def built(*options: str) -> Path:
        folder = tmp_path_factory.mktemp("live")
        (folder / "library.c").write_text(LIBRARY)
        (folder / "program.c").write_text(PROGRAM)
        common = [gcc, "-g", *options]
        for command in (
            [*common, "-shared", "-fPIC", "-o", "liblive.so", "library.c"],
            [*common, "-o", "program", "program.c", "-L.", "-llive", "-pthread", "-Wl,-rpath,."],
        ):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"gcc does not build the program: {done.stderr.splitlines()[0]}")
        return folder / "program"

    return built


@pytest.mark.parametrize(
    "options",
    [("-O0", "-pie", "-fPIE"), ("-O0", "-no-pie", "-fomit-frame-pointer"), ("-O2",), ("-Og",)],
    ids=" ".join,
)
def test_libraries_threads_signals(
    debugger: Debugger, build: Callable[..., Path], options: tuple[str, ...]
) -> None:
    program = build(*options)
    report = debugger.report(
        f"cd {program.parent}",
        "break then",
        "break visit",
        "python comparison = Comparison('.c')",
        "python comparison.source = ('program.c', 'library.c')",
        "run",
        *["python comparison.walk(6)", "continue"] * 6,
        "python comparison.report()",
        file=program,
    )
    assert unexplained(report) == []
    assert isinstance(report["compared"], int) and report["compared"] > 150
