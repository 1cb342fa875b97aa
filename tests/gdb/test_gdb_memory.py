"""Memory of a live process that cannot be read: how it is shown, and by how many reads."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

CODE = """
import json
import subprocess
from collections.abc import Callable
from dwarfgpu.gdb.machine.gdb_target import GdbTarget
reads, read = 0, GdbTarget.read_memory
def counted(*arguments):
    global reads
    reads += 1
    return read(*arguments)
GdbTarget.read_memory = counted
with open(f"/proc/{gdb.selected_inferior().pid}/maps") as maps:
    [end] = [int(line.split()[0].split("-")[1], 16) for line in maps if "[stack]" in line]
gdb.execute(f"set var *(int *){end - 4} = 0x01020304")
shown = said(f"dwarfgpu print/x *(unsigned char (*)[0x10000])({end - 4})")
print(json.dumps([shown, reads]))
"""


def test_an_object_that_runs_past_a_mapping(debugger: Debugger, repository: Path) -> None:
    """By halves down to each byte would take more reads than are spent on it."""
    program = repository / "fixtures/x86_64/demo.gcc.O0.v5"
    shown, reads = json.loads(debugger.python(CODE, "break main", "run", file=program))
    assert "= {0x4, 0x3, 0x2, 0x1, <unavailable> <repeats 65532 times>}" in shown
    assert "were not read" not in shown
    assert reads < 100


ENDED = r"""
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
int array[3000] = {7, 8};
static void stop(void) {}
static void *work(void *first) { pthread_join(*(pthread_t *)first, 0); stop(); exit(0); }
static pthread_t first;
int main(void) {
  pthread_t thread;
  first = pthread_self();
  pthread_create(&thread, 0, work, &first);
  pthread_exit(0);
}
"""


def test_a_process_whose_first_thread_has_ended(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The kernel's list of its mappings is empty (proc_pid_maps(5) is of the thread's memory)."""
    source, program = tmp_path / "ended.c", tmp_path / "ended"
    source.write_text(ENDED)
    subprocess.run([tool("gcc"), "-g", "-pthread", source, "-o", program], check=True, timeout=120)
    code = """
print(repr(open(f"/proc/{gdb.selected_inferior().pid}/maps").read()))
print(said("dwarfgpu print *(int (*)[40000])&array").split(", 0 <repeats")[0])
"""
    out = debugger.python(code, "break stop", "run", file=program).splitlines()
    if out[0] != "''":
        pytest.skip("the mappings of this process are known")
    assert out[1] == "*(int (*)[40000])&array = {7, 8"


def test_writes_that_a_setting_forbids(debugger: Debugger, repository: Path) -> None:
    """GDB's words name the reason: the memory can be accessed."""
    code = """
gdb.execute("set may-write-memory off")
print(said("output n = 3") == said("dwarfgpu print n = 3"), said("dwarfgpu print n = 3"))
"""
    program = repository / "fixtures/x86_64/demo.gcc.O0.v5"
    out = debugger.python(code, "break leaf", "run", file=program)
    assert out.startswith("True error: Writing to memory is not allowed")
