"""Handlers of signals that return to instructions without call frame information, as in musl: the
frames outside are those of GDB."""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """
#ifdef __x86_64__
#define ACTION 13
#define PROCESS 39
#define KILL 62
#define TRAMPOLINE "mov $15,%rax\\n syscall"
#define RAISE "syscall"
#define FIRST "D"
#define SECOND "S"
#define FOURTH asm("r10")
#else
#define ACTION 174
#define PROCESS 20
#define KILL 37
#ifdef OLD
#define TRAMPOLINE "pop %eax\\n mov $119,%eax\\n int $0x80"
#define NAME "__restore"
#else
#define TRAMPOLINE "mov $173,%eax\\n int $0x80"
#endif
#define RAISE "int $0x80"
#define FIRST "b"
#define SECOND "c"
#define FOURTH asm("esi")
#endif
#ifndef NAME
#define NAME "__restore_rt"
#endif
#define ALARM 14 /* GDB does not stop for it */
asm(".globl _start\\n_start: call main\\n hlt\\n"
    "nop\\n.type " NAME ",@function\\n" NAME ": " TRAMPOLINE "\\n.size " NAME ",.-" NAME "\\n"
    ".globl " NAME "\\n");
void restorer(void) asm(NAME);
static inline __attribute__((always_inline)) long call(long number, long first, long second,
                                                       long third, long fourth) {
  long result;
  register long last FOURTH = fourth;
  asm volatile(RAISE : "=a"(result)
    : "a"(number), FIRST(first), SECOND(second), "d"(third), "r"(last) : "memory"
#ifdef __x86_64__
    , "rcx", "r11"
#endif
  );
  return result;
}
struct action {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)(void);
  unsigned long mask[2];
};
static int *volatile null;
static void handler(int number) { volatile int inside = 2 * number; *null = inside; }
__attribute__((noinline)) int work(int count) {
  volatile int before = count + 1;
  long process = call(PROCESS, 0, 0, 0, 0);
#ifdef __x86_64__
  float parts[4] = {1.5f, 2.5f, -3.5f, count};
  asm volatile("movups %0,%%xmm5; fldpi" : : "m"(parts) : "xmm5");
#endif
  call(KILL, process, ALARM, 0, 0);
  return before;
}
int main(void) {
  unsigned long flags = 0x04000000; /* SA_RESTORER */
#if defined(__i386__) && !defined(OLD)
  flags |= 4; /* SA_SIGINFO */
#endif
  struct action action = {handler, flags, restorer, {0, 0}};
  call(ACTION, ALARM, (long)&action, 0, 8);
  return work(7);
}
"""
COMMANDS = [
    "bt",
    "frame 1",
    "info frame",
    "frame 2",
    "info frame",
    "info locals",
    "up",
    "info locals",
]
REGISTERS = {
    "x86_64": "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip eflags xmm15 cs",
    "i386": "eax ebx ecx edx esi edi ebp esp eip cs ss ds es fs gs",
}
"""Of the interrupted function. GDB 13 has the flags of i386 from the handler."""


def with_gdbs_registers(text: str) -> str:
    """Leave out those of the saved registers that GDB does not read."""
    return re.sub(r", (?:st|xmm|mxcsr|eflags)\w* at \w+", "", text)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="needs x86-64")
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("options", [(), ("-m32",), ("-m32", "-DOLD")], ids=" ".join)
def test_frames_outside_of_a_handler(
    tool: Callable[[str], str], tmp_path: Path, options: tuple[str, ...], level: str
) -> None:
    make = [tool("gcc"), "-g", level, "-static", "-nostdlib", "-fno-stack-protector", "-fno-pie"]
    make += ["-no-pie", "-mno-red-zone", "-w", *options, "a.c", "-o", "a"]
    try:
        build(tmp_path, {"a.c": SOURCE}, [make])
    except subprocess.CalledProcessError:
        if not options:
            raise
        pytest.skip("gcc does not compile for i386")
    files = with_core(tool, tmp_path)
    names = REGISTERS["i386" if options else "x86_64"]
    commands = [*COMMANDS[:4], f"info registers {names}", *COMMANDS[4:]]
    theirs, ours = (answers(gdb, files, commands) for gdb in (tool("gdb"), None))
    assert "<signal handler called>" in theirs[0] and "main" in theirs[0]
    assert [with_gdbs_registers(text) for text in ours] == [
        with_gdbs_registers(text) for text in theirs
    ]
