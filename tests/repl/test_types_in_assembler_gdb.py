"""Types of C in a frame of assembler code, beside the installed GDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCES = {
    "c.cc": """\
struct base { virtual int value(int) { return 1; } enum class in { A } state; };
struct derived : base { int d; int of() const { return d; } operator int() { return d; } } object;
template <class T> struct box { T t; int count() { return 1; } }; box<derived *> boxed;
derived *__restrict *fast; base &alias = object; int derived::*data = &derived::d;
int (derived::*call)() const = &derived::of; enum wide : unsigned char { W } narrow;
enum class scoped : short { S } of_scope; void (*function)() = nullptr;
int use() { return object + object.of() + object.value(boxed.count()); }
""",
    "a.c": """\
struct pair { int first, last; struct pair *next; } one = {1, 2, &one};
enum color { RED, BLUE } painted = BLUE; union u { int i; } both;
void (*without)(), (*with)(void); int *restrict *quick; enum { ONE = 1 } unnamed;
typedef enum color tint; tint tinted; struct { enum color of; tint *in; } painting;
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
    build(folder, SOURCES, [
        [tool("g++"), "-g", "-O0", "-fno-rtti", "-c", "c.cc"],
        [tool("gcc"), "-g", "-O0", "a.c", "b.s", "c.o", "-o", "a"],
    ])  # fmt: skip
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


@pytest.mark.parametrize("selected", [(), ("up", "set language asm")])
def test_nothing_but_the_keyword_is_left_out(
    selected: tuple[str, ...], files: list[str], tool: Callable[[str], str]
) -> None:
    """Parameters, enumerations and qualifiers are written as in C."""
    names = [
        *("$pc", "$rip", "without", "with", "quick", "painted", "unnamed", "tinted", "painting"),
        *("object", "boxed", "fast", "alias", "data", "call", "narrow", "of_scope", "function"),
        *("main", "use", "&tinted", "boxed.t", "one.next"),
    ]
    commands = [f"{command} {name}" for name in names for command in ("whatis", "ptype")]
    commands += ["p $pc", "p without", "p with", "p call", "p data", "ptype enum color", "p object"]
    commands += ["ptype/o object", "ptype/o painting"]
    by_us, by_gdb = (
        answers(gdb, files, [*selected, *commands])[len(selected) :] for gdb in (None, tool("gdb"))
    )
    assert by_us == by_gdb
