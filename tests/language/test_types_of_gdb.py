"""`whatis`, `ptype` and `print` of C++ types: our text against the installed GDB's."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

import pytest

from dwarfgpu import language
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.view.type_text import type_text
from tests.language.sessions import FIXTURES, demo, text
from tests.repl.test_gdb_sessions import gdb_version

EXPRESSIONS = """
point place plain scoped versioned shape *shape *square holder points nested wrapped
wrapped_long single function_single empty later *later all_private mixed methods *parts named rows
binary alias data_pointer method_pointer reference rvalue matrix constant_row ul c16 lambda
pointer_to_function pointer_to_overload pointer_to_template ns::Shape::made untyped
"""
UNLIKE = {
    # GDB finds T for the typedef of an int by accident: their names are of one place in its table
    # of seven. Those of `points` are not, and there the typedef has its own name.
    ("ptype", "holder"),
    ("ptype", "alias"),
    # GDB forgets the qualifier of an array in a typedef (of clang, which describes it so).
    ("ptype", "constant_row"),
    # Types without members have no contents to print: <incomplete type>.
    ("print", "*later"),
}
SHAPE = """class ns::Shape {
  protected:
    Angle angle;
    static long made;
  private:
    int sides_;
    unsigned int wide : 3;
    unsigned int narrow : 5;

  public:
    Shape(int);
    Shape(const ns::Shape &);
    ~Shape(void);
    virtual int area(int, ...) const;
    virtual void draw(void);
    static int count(const char *, ns::Point);
    void overloaded(int);
    void overloaded(double, unsigned long);
    int sides(void) const volatile;

  protected:
    typedef unsigned short Angle;
}"""
SQUARE = """class ns::Square : public ns::Shape, private virtual ns::Point, \
protected ns::v1::Versioned {
  private:
    ns::Square::Inner inner;
    ns::Square::Size size;

    virtual void draw(void);
  public:
    Square(void);
    Square(ns::Square::Size);
    ns::Square::Inner * innermost(ns::Square::Size (*)(ns::Square::Inner &, ns::Square::Size), \
int ns::Square::Inner::*);
}"""


def said(command: str, expression: str, program: str) -> str:
    session = demo(program)
    if command == "print":
        return text(session, expression)
    kind = language.type_of(expression, session)
    spelled = type_name if command == "whatis" else type_text
    return f"type = {spelled(kind.type, cplusplus=kind.is_cplusplus)}"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(
    ("command", "expression", "expected"),
    [
        ("ptype", "*shape", f"type = {SHAPE}"),
        ("ptype", "*square", f"type = {SQUARE}"),
        ("whatis", "holder", "type = Holder<int, 2>"),
        ("ptype", "plain",
         "type = enum ns::Plain : unsigned int {ns::red, ns::green = 5, ns::blue}"),
        ("print", "plain", "ns::green"),
        ("whatis", "ul", "type = unsigned long"),
        ("print", "data_pointer", "&ns::Point::y"),
    ],
)  # fmt: skip
def test_types(compiler: str, command: str, expression: str, expected: str) -> None:
    ours = said(command, expression, f"types.{compiler}.O0.v5")
    # GCC does not describe that a destructor is virtual.
    assert ours.replace("virtual ~", "~") == expected


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_names_of_functions(compiler: str) -> None:
    """From their entries: with namespaces and parameters."""
    program = f"types.{compiler}.O0.v5"
    names = ["pointer_to_function", "pointer_to_overload", "pointer_to_template", "method_pointer"]
    result = [said("print", name, program).partition(" <")[2] for name in names]
    assert result == [
        "ns::function(ns::Point*, ns::Scoped, Holder<int, 2> const&)>",
        "ns::function(double)>",
        "templated<unsigned int>(unsigned int, unsigned long)>",
        "ns::Point::operator==(ns::Point) const>",
    ]


@pytest.mark.parametrize(
    ("program", "expressions"),
    [
        ("types.gcc.O0.v5", EXPRESSIONS.split()),
        ("types.clang.O0.v5", EXPRESSIONS.split()),
        ("members.gcc.O0.v5", ["bx", "s", "both", "r", "*r"]),
        ("bases.gcc.O0.v5", ["bottom", "right", "&bottom", "*(void **)&many[1]"]),
        ("demo.gcc.O0.v5", ["global_struct", "access", "pi"]),
    ],
)
def test_same_as_gdb(tool: Callable[[str], str], program: str, expressions: list[str]) -> None:
    if not gdb_version().startswith("13."):
        pytest.skip("other versions of GDB have other labels and names of typedefs in classes")
    commands = [
        (command, expression)
        for expression in expressions
        for command in ("whatis", "ptype", "print")
        if (command, expression) not in UNLIKE
    ]
    options = ["set width 0", "set height 0"]
    options += [] if program.startswith("demo") else ["set language c++"]
    for command, item in commands:
        options += ["echo @@\\n", f"{command} {item}"]
    done = subprocess.run(
        [tool("gdb"), "-nx", "-q", "-batch", *(piece for one in options for piece in ("-ex", one)),
         str(FIXTURES / "x86_64" / program)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=True,
    )  # fmt: skip
    theirs = [re.sub(r"^\$\d+ = ", "", part.rstrip("\n")) for part in done.stdout.split("@@\n")[1:]]
    different = [
        (command, expression, expected, ours)
        for (command, expression), expected in zip(commands, theirs, strict=True)
        if (ours := said(command, expression, program)) != expected
    ]
    assert different == []
