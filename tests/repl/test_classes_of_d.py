"""References to objects of classes and interfaces of D, as the program itself has them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import build, last_lines, with_core

SOURCE = """\
module m;
interface Named { string label(); }
class Base { int id = 7; double area() { return 1; } }
class Circle : Base, Named { double r = 1.5; string label() { return "c"; } }
class Other : Base { int odd; }
struct P { int x, y; int sum() { return x + y; } }
union U { int i; char c; }
extern(C++) class Cpp { int z = 4; void go() {} }
int main() {
    auto cir = new Circle; Named nm = cir; Object ob = cir; Base base = cir; Circle none;
    auto other = new Other; auto second = new Circle; Named nothing; P a = P(1, 2), b = P(1, 2);
    auto cpp = new Cpp; U u;
    int* nowhere; *nowhere = 1;
    return nm is cir && ob is cir && base is none && a == b && nothing is null && other is base
        && second is cir && cpp.z + u.i && a.sum();
}
"""
VALUES = {
    "Circle.sizeof": "8", "Base.sizeof": "8", "m.Other.sizeof": "8", "cir.sizeof": "8",
    "Named.sizeof": "8", "nm.sizeof": "8", "Object.sizeof": "8", "Cpp.sizeof": "8",
    "P.sizeof": "8", "U.sizeof": "4", "a.sizeof": "8",
    "nm is cir": "true", "cir == nm": "true", "nm !is cir": "false", "nm != cir": "false",
    "ob is cir": "true", "nm is ob": "true", "nm is base": "true", "nm is second": "false",
    "nm is none": "false", "nothing is cir": "false", "nothing is none": "true",
    "nothing is null": "true", "nm is null": "false", "nm is nm": "true",
    "cast(void*) nm is cast(void*) cir": "false",
    "cast(Base) cir is cir": "true", "(cast(Circle) base).r": "1.5", "(cast(Circle) nm).r": "1.5",
    "(cast(Circle) ob).id": "7", "cast(Object) cir is ob": "true", "cast(Object) nm is ob": "true",
    "cast(Named) base == nm": "true", "cast(void*) cast(Named) cir == cast(void*) nm": "true",
    "cast(Circle) other is null": "true", "cast(Other) base is null": "true",
    "cast(Named) other is null": "true", "cast(Circle) none is null": "true",
    "(cast(Cpp) cpp).z": "4",
    "a == b": "Unsupported: == of P is supported only of its members",
    "a.x == b.x": "true",
}  # fmt: skip


def _files(tool: Callable[[str], str], folder: Path, compiler: str) -> list[str]:
    tool("gcc")  # which ldc2 links with
    options = ["-O0", "-o", "a"] if compiler == "gdc" else ["-of=a"]
    build(folder, {"m.d": SOURCE}, [[tool(compiler), "-g", *options, "m.d"]])
    return with_core(tool, folder)


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_references_to_objects(tool: Callable[[str], str], tmp_path: Path, compiler: str) -> None:
    files = _files(tool, tmp_path, compiler)
    frame = "frame function m.main"
    asked = [frame, *(f"output {text}" for text in VALUES)]
    said = dict(zip(VALUES, last_lines(files, asked)[1:], strict=True))
    assert said == VALUES
    (kind,) = last_lines(files, [frame, "whatis cast(Base) cir"])[1:]
    assert "m.Base" in kind and kind.replace(" ", "").endswith("*")
    # An interface without an object behind it: its place is unknown.
    (wrong,) = last_lines(files, [frame, "output cast(m.Named*) cir == base"])[1:]
    assert wrong.startswith("The object of the interface m.Named is unknown")


SEVERAL = """\
module several;
import core.stdc.stdio;
interface Named { string nm(); }
interface Sized { int sz(); }
interface Joint : Named, Sized {}
interface Generic(T) { T gi(); }
class Shape : Named { int id = 7; string nm() { return "s"; } }
class Circle : Shape, Sized { double r = 2.5; int sz() { return 3; } }
class Sub : Circle, Joint { override string nm() { return "q"; } override int sz() { return 1; } }
class P : Named { int i; string nm() { return "s"; } }
class Q : P { int j; }
class OfGeneric : Generic!int { int gi() { return 1; } }
class Outer { static class Inner : Sized { int sz() { return 2; } } class Loc { int l; } }
struct Nothing {}
extern(C++) interface CI { void m(); }
extern(C++) interface Next { void n(); }
extern(C++) class Cpp { int z = 4; void foo() {} }
extern(C++) class OfNext : Cpp, Next { int y = 5; void n() {} }
class WithCI : CI { int kk = 5; extern(C++) void m() {} }
void main()
{
    class Loc : Named { int l = 3; string nm() { return "l"; } }
    Sub sub = new Sub; Object o = sub; Joint joint = sub; Shape sh = sub; Shape plain = new Shape;
    Named n1 = cast(Named) sub, n2 = cast(Named) o, n3 = cast(Named) joint, n4 = sh;
    Sized sized = joint; Q q = new Q; Named nq = q; Circle cir = new Circle; Named gone;
    WithCI wci = new WithCI; CI ci = wci; WithCI wci2 = new WithCI; CI nci;
    OfNext of_next = new OfNext; Next next = of_next; Cpp cpp = of_next;
    Loc loc = new Loc; Named nloc = loc; Object oloc = loc;
    OfGeneric og = new OfGeneric; Generic!int gi = og; Outer.Inner inner = new Outer.Inner;
    Sized si = inner; Nothing nothing; Outer.Loc other;
    printf("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d\n",
        cast(Named) sub is n1, cast(Named) o is n2, cast(Named) joint is n3, cast(Named) sh is n4,
        n4 is joint, n4 is sub, n4 is n1, n4 is sh, n4 is plain, nq is q, nq !is q,
        cast(Q) nq is q, cast(Sized) plain is null, cast(Joint) cir is null, cast(Joint) o is joint,
        cast(Sized) joint is sized, ci is wci, ci is wci2, nci is wci,
        cast(CI) wci is ci, gi is og, cast(Object) nloc is oloc, si is inner, nloc is loc);
    fflush(stdout); *cast(int*) 0 = 1;
}
"""
ANSWERS = {
    # Several parts of one interface: the type of the reference decides where it is one of it.
    "cast(Named) sub is n1": "true", "cast(Named) o is n2": "true",
    "cast(Named) joint is n3": "true", "cast(Named) sh is n4": "true", "n4 is joint": "false",
    "n4 is sub": "false", "n4 is n1": "false", "n4 is sh": "true", "n4 is plain": "false",
    # An interface of a base class alone: a class of ldc2 does not name it itself.
    "nq is q": "true", "nq !is q": "false", "cast(Q) nq is q": "true",
    "cast(Sized) plain is null": "true", "cast(Joint) cir is null": "true",
    "cast(Joint) o is joint": "true", "cast(Sized) joint is sized": "true",
    # Interfaces of C++, whose tables are not those of D.
    "ci is wci": "true", "ci is wci2": "false", "nci is wci": "false",
    "cast(CI) wci is ci": "true",
    "gi is og": "true", "cast(Object) nloc is oloc": "true", "si is inner": "true",
    "nloc is loc": "true",
}  # fmt: skip
"""Those that the program prints."""
MORE = {
    "sized is n1": "true",  # which D refuses to compile
    "o is nq": "false",
    "ci == wci": "true",
    "gone is joint": "false",
    "gone is null": "true",
    "Nothing.sizeof": "1",
    # A class above that of the reference is known without the object, ...
    "cast(Shape) cast(several.Circle*) 16 == cast(several.Shape*) 16": "true",
    "cast(Cpp) of_next is cpp": "true",
    # ... and the type of a comparison without its operands.
    "sizeof(cast(several.Named*) cir is plain)": "1",
    "cast(Object) ci is o": "unknown",
    "next is of_next": "unknown",
    "cast(Next) of_next is next": "unknown",
    "cast(Outer.Loc) oloc is null": "true",
    "cast(Outer.Loc) sh is null": "true",
}


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_objects_with_several_interfaces(
    tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    tool("gcc")
    options = ["-O0", "-o", "a"] if compiler == "gdc" else ["-of=a"]
    build(tmp_path, {"several.d": SEVERAL}, [[tool(compiler), "-g", *options, "several.d"]])
    files = with_core(tool, tmp_path)
    done = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=False)
    printed = ["true" if digit == "1" else "false" for digit in done.stdout.strip()]
    assert dict(zip(ANSWERS, printed, strict=True)) == ANSWERS
    wanted = ANSWERS | MORE
    asked = ["frame function several.main", *(f"output {text}" for text in wanted)]
    said = last_lines(files, asked)[1:]
    assert all("-0x" not in line and "Cannot access" not in line for line in said)
    known = ["unknown" if " is unknown" in line else line for line in said]
    assert dict(zip(wanted, known, strict=True)) == wanted
