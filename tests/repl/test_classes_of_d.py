"""References to objects of classes and interfaces of D, as the program itself has them."""

from __future__ import annotations

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
