"""Registers that a function has moved to another one (DW_CFA_register, DWARF 5 6.4.1), against the
installed GDB."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.repl.side_by_side import answers, build, with_core

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the code is of x86-64")

CALLER = """\
extern long f(void);
int main(void)
{
  register long kept __asm__("rbx") = 4242;
  __asm__ volatile("" : "+r"(kept));
  long x = f();
  __asm__ volatile("" :: "r"(kept));
  return x + kept;
}
"""
SAVED = """\
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rbx, %rbp
  .cfi_register %rbx, %rbp
"""
SWAPPED = """\
  xchgq %rbx, %rbp
  .cfi_register %rbx, %rbp
  .cfi_register %rbp, %rbx
"""


@pytest.mark.parametrize("code", [SAVED, SWAPPED], ids=["in one that is saved", "swapped"])
def test_the_other_register_is_that_of_the_frame(
    tmp_path: Path, tool: Callable[[str], str], code: str
) -> None:
    """Wherever the caller's value of the other register is."""
    function = f".globl f\n.type f,@function\nf:\n.cfi_startproc\n{code}  movq 0, %rax\n"
    end = '.cfi_endproc\n.size f,.-f\n.section .note.GNU-stack,"",@progbits\n'
    options = [tool("gcc"), "-g", "-O1", "-fomit-frame-pointer", "-o", "a", "a.c", "f.s"]
    build(tmp_path, {"a.c": CALLER, "f.s": function + end}, [options])
    files, commands = with_core(tool, tmp_path), ["up", "p kept", "p $rbx", "p $rbp"]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert ours[1] == "p kept\n$1 = 4242\n"
    assert run("check", tmp_path / "a", "--only", "register-cycle").status == 0
