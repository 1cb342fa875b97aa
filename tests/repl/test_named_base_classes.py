"""Members by the names of their classes, which several base classes may have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build
from tests.work import assert_linear, calls_of

NOTE = "note: no state is given: writable memory has its initial contents\n"
SOURCE = """\
struct B { static int st; int n = 1; };
int B::st = 7;
struct L : B { int l = 2; };
namespace m {
struct B { static int st; int n = 8; };
int B::st = 100;
struct L : B { int l = 9; };
int inside() { return 3; }
}
struct Two : L, m::L {} two; Two *to = &two;
struct Direct : B, m::B {} direct; Direct *at = &direct;
typedef m::B Other;
struct Named : Other { Other inner; } named;
namespace q { template<class T> struct Box { T v = 6; }; }
template<class T> struct Box { T v = 5; };
struct Boxes : Box<int>, q::Box<int> {} boxes;
struct Virtual : virtual m::B, virtual B {};
struct Outer { struct B { int n = 70; }; };
struct Nested : Outer::B, m::B {} nested;
namespace { struct H { int n = 80; }; namespace z { struct H { int n = 81; }; } }
struct Hidden : H, z::H {} hidden;
struct Same { int n = 4; }; namespace m { struct Same { int n = 5; }; }
struct Pair : Same, m::Same {} pair; Pair *both = &pair;
namespace m { inline namespace v1 { struct In { int q = 12; }; } }
struct OfInline : m::In { int q = 13; } ofinline; namespace ma = m;
int main() {
  return m::inside() + boxes.q::Box<int>::v + two.m::L::l + hidden.H::n + nested.m::B::n;
}
"""
EXPRESSIONS = """
two.m::B::n two.L::l two.L::n two.m::L::l two.B::n two.::B::n to->m::B::n &two.m::L::l
direct.B::n direct.m::B::n at->m::B::n named.Other::n named.inner.Other::n named.m::B::n
boxes.Box<int>::v boxes.q::Box<int>::v nested.Outer::B::n nested.m::B::n
(Same*)both (m::Same*)both sizeof(two.m::B::n) two.L::B::n
two.::L::l two.::m::L::l two.::L::B::n two.::ma::L::l named.::Other::n
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder = tmp_path_factory.mktemp("named")
    build(folder, {"a.cc": SOURCE}, [[tool("g++"), "-g", "-O0", "-w", "a.cc", "-o", "a"]])
    return [str(folder / "a")]


def own(files: list[str], expressions: list[str]) -> list[str]:
    commands = [f"output {expression}" for expression in expressions]
    return [text.replace(NOTE, "").partition("\n")[2] for text in answers(None, files, commands)]


def test_classes_in_inline_namespaces(files: list[str]) -> None:
    """GDB 13 finds the type alone."""
    names = ["::m::In::q", "::ma::In::q", "m::In::q", "m::v1::In::q"]
    assert own(files, [f"ofinline.{name}" for name in names]) == ["12"] * len(names)


def test_classes_of_one_name_in_namespaces(files: list[str], tool: Callable[[str], str]) -> None:
    """Only the last part of the name was compared: they were ambiguous."""
    commands = [f"output {expression}" for expression in EXPRESSIONS.split()]
    shown = [text.replace(NOTE, "") for text in answers(None, files, commands)]
    assert shown == answers(tool("gdb"), files, commands)


def test_static_members_are_of_the_written_class(files: list[str]) -> None:
    """GDB 13 refuses them, as it does members of unnamed namespaces outside of a frame."""
    written = ["two.m::B::st", "two.B::st", "two.L::st", "two.m::L::st", "direct.m::B::st"]
    written += ["hidden.H::n", "hidden.z::H::n"]
    assert own(files, written) == ["100", "7", "7", "100", "100", "80", "81"]


def test_a_class_of_the_same_name_is_no_base_class(files: list[str]) -> None:
    """GDB 13 reads an object of that class where it is none."""
    shown = own(files, ["named.B::n", "named.::B::n", "boxes.m::B::n"])
    assert shown == ["8", "There is no field named n\n", "There is no field named n\n"]


def test_a_class_that_is_named_very_often(files: list[str]) -> None:
    """`D::D::B` is `B`: a class has its own name in itself."""

    def asked(count: int) -> Callable[[], object]:
        return lambda: own(files, [f"pair.Same::{'Same::' * count}n"])

    assert own(files, [f"pair.m::Same::{'Same::' * 40}n"]) == ["5"]
    assert_linear(asked, 45)
    (said,) = own(files, [f"pair.{'Same::' * 201}n"])
    assert said == "LimitExceeded: a name in more than 200 scopes\n"


def test_a_chain_of_base_classes(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Each part of a name asked all classes below the one before it for their names."""
    most = 180
    classes = [f"struct C{n} : C{n + 1} {{}};" for n in reversed(range(most))]
    source = "\n".join([f"struct C{most} {{ int n = 6; static int s; }};", *classes])
    main = f"int C{most}::s = 7; C0 o; int main() {{ return o.n; }}"
    compiler = [tool("g++"), "-g", "-O0", "-w", "a.cc", "-o", "a"]
    build(tmp_path, {"a.cc": f"{source}\n{main}\n"}, [compiler])
    chain = [str(tmp_path / "a")]

    def asked(count: int) -> Callable[[], object]:
        scopes = "::".join(f"C{n}" for n in range(count))
        return lambda: own(chain, [f"o.{scopes}::n", f"{scopes}::s"])

    assert asked(40)() == ["6", "7"]
    few, many = (calls_of(asked(count)) for count in (40, 160))
    assert many < 1.3 * few


def test_a_name_of_many_scopes_with_many_base_classes(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """All base classes were asked for each scope, up to four times by each command; and only names
    without quotes in expressions had a limit."""
    most = 80
    typedefs = " ".join(f"typedef C0 T{n};" for n in range(202))
    first = f"struct C0; struct C{most} {{ static int f() {{ return 1; }} {typedefs} }};"
    classes = [f"struct C{n} : C{n + 1} {{}};" for n in reversed(range(most))]
    main = "C0 o; int main() { return o.f(); }"
    flags = ["-g", "-O0", "-w", "-fno-eliminate-unused-debug-types"]
    source = "\n".join([first, *classes, main, ""])
    build(tmp_path, {"a.cc": source}, [[tool("g++"), *flags, "a.cc", "-o", "a"]])
    program = [str(tmp_path / "a")]
    forms = ["break {}", "list '{}'", "info line {}", "info scope {}", "info address {}"]
    forms += ["ptype '{}'", "output o.'{}'", "output o.{}", "output {}"]

    def name(count: int) -> str:
        return "::".join(["C0", *(f"T{n}" for n in range(count - 1)), ""])

    def asked(forms: list[str], count: int) -> Callable[[], list[str]]:
        commands = [form.format(f"{name(count)}f") for form in forms]
        return lambda: answers(None, program, commands)

    shown = [
        "Breakpoint 1 at", "struct C0;", "Line 1 of", "contains no locals", "is a function",
        "type = int (void)", "<C80::f()", "<C80::f()", "<C80::f()",
    ]  # fmt: skip
    for said, part in zip(asked(forms, 100)(), shown, strict=True):
        assert part in said
    one, all_of_them = (calls_of(asked(some, 40)) for some in (forms[-1:], forms))
    assert all_of_them < 3 * one
    for said in asked(forms, 202)():
        assert "a name in more than 200 scopes" in said
