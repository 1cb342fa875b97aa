"""Types of C in a frame of assembler code, beside the installed GDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCES = {
    "a.c": """\
struct pair { int first, last; struct pair *next; } one = {1, 2, &one};
enum color { RED, BLUE } painted = BLUE; union u { int i; } both;
void halt(void);
int main(void) { halt(); return 0; }
""",
    "b.s": """\
 .section .note.GNU-stack,"",@progbits
 .text
 .globl halt
 .type halt, @function
halt:
 .cfi_startproc
 ud2
 .cfi_endproc
 .size halt, . - halt
""",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder = tmp_path_factory.mktemp("assembler")
    build(folder, SOURCES, [[tool("gcc"), "-g", "-O0", "a.c", "b.s", "-o", "a"]])
    return with_core(tool, folder)


@pytest.mark.parametrize("selected", [(), ("up",), ("up", "set language asm")])
def test_structures_have_no_keyword(
    selected: tuple[str, ...], files: list[str], tool: Callable[[str], str]
) -> None:
    """The language of the frame, or the selected one, says how types are named."""
    commands = [
        *(*selected, "show language", "whatis one", "p &one", "p one", "p (struct pair *) 0"),
        *("whatis one.next", "ptype one", "whatis painted", "p painted", "whatis &both"),
        *("p sizeof(struct pair)", "ptype struct pair", "whatis $_siginfo", "p 1 == 1"),
    ]
    by_us, by_gdb = (answers(gdb, files, commands) for gdb in (None, tool("gdb")))
    assert by_us[-13:] == by_gdb[-13:]
    assert ("type = pair\n" in by_us[-13]) == (selected != ("up",))
