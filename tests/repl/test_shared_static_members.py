"""Static members of a base class that an object has several times (C++ class.member.lookup)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, last_lines

SOURCE = """\
struct Base {
  static int shared; static const int same = 7; int own = 1;
  static int of_class() { return 1; } int of_object() { return own; }
};
int Base::shared = 9;
struct Left : Base { static int side; }; struct Right : Base { static int side; };
int Left::side = 1, Right::side = 2;
struct Both : Left, Right {};
namespace other {
  struct Base { static int shared; static int of_class() { return 2; } };
  int Base::shared = 4;
  struct Own { int data = 3; static int f() { return data_of; } static const int data_of = 6; };
  struct Derived : Own {};
  namespace inner { struct Own : other::Own { int g() { return 5; } }; }
}
other::Derived derived; other::inner::Own inmost;
struct Own { static int f() { return 7; } int g() { return 8; } };
struct Mixed : Left, other::Base {};
Both both; Both *to = &both; Mixed mixed;
int main() {
  return both.shared + to->shared + both.same + Base::of_class() + other::Base::of_class()
    + static_cast<Left &>(both).of_object() + other::Own::f()
    + inmost.Own::g() + inmost.Own::f() + Own::f() + Own().g();
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Path:
    folder = tmp_path_factory.mktemp("shared")
    build(folder, {"a.cc": SOURCE}, [[tool("g++"), "-g", "-O0", "a.cc", "-o", "a"]])
    return folder / "a"


def test_a_static_member_is_not_ambiguous(program: Path) -> None:
    """It is in none of the objects of its class; GDB 13 refuses it."""
    assert last_lines(
        [str(program)],
        ["p both.shared", "p to->shared", "p both.same", "p both.Base::shared", "p both.Left::own",
         "p both.Right::Base::same", "whatis both.shared"],
    ) == ["$1 = 9", "$2 = 9", "$3 = 7", "$4 = 9", "$5 = 1", "$6 = 7", "type = int"]  # fmt: skip


def test_a_static_member_function_is_not_either(program: Path) -> None:
    asked = ["whatis both.Base::of_class()", "output both.Base::of_class == Base::of_class"]
    asked += ["output to->Base::of_class == Base::of_class", "output &both.Base::of_class"]
    said = [text.splitlines()[-1] for text in answers(None, [str(program)], asked)]
    assert said[:3] == ["type = int", "true", "true"]
    assert said[3].startswith("(int (*)(void)) 0x") and said[3].endswith(" <Base::of_class()>")


def test_a_class_has_its_own_name_in_itself(program: Path) -> None:
    """Whatever has that name in the focus (C++ class.pre, the injected class name), also a base
    class of the class."""
    asked = [f"p derived.{name}" for name in ("Own::data", "Own::f", "other::Own::f")]
    asked += ["p inmost.Own::f", "p inmost.Own::data", "p inmost.Own::g"]
    said = last_lines([str(program)], asked)
    plain = [re.sub("0x[0-9a-f]+", "ADDRESS", text) for text in said]
    function = "= {int (void)} ADDRESS <other::Own::f()>"
    method = "{int (other::inner::Own * const)} ADDRESS <other::inner::Own::g()>"
    expected = ["$1 = 3", f"$2 {function}", f"$3 {function}", f"$4 {function}", "$5 = 3"]
    assert plain == [*expected, f"$6 = {method}"]


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("both.own", "Request for member 'own' is ambiguous in type 'Both'."),
        ("both.side", "Request for member 'side' is ambiguous in type 'Both'."),
        ("mixed.shared", "Request for member 'shared' is ambiguous in type 'Mixed'."),
        ("both.Base::own", "base class 'Base' is ambiguous in type 'Both'"),
        ("both.other::Base::shared", "There is no field named shared"),
        ("both.other::Base::of_class", "There is no field named of_class"),
        ("derived.Base::of_class", "There is no field named of_class"),
        ("both.Base::of_object", "base class 'Base' is ambiguous in type 'Both'"),
    ],
)
def test_members_of_several_objects_or_classes_are(
    expression: str, error: str, program: Path
) -> None:
    assert error in answers(None, [str(program)], [f"print {expression}"])[0]
