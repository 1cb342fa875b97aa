"""Static members of a base class that an object has several times (C++ class.member.lookup)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, last_lines

SOURCE = """\
struct Base { static int shared; static const int same = 7; int own = 1; };
int Base::shared = 9;
struct Left : Base { static int side; }; struct Right : Base { static int side; };
int Left::side = 1, Right::side = 2;
struct Both : Left, Right {};
namespace other { struct Base { static int shared; }; int Base::shared = 4; }
struct Mixed : Left, other::Base {};
Both both; Both *to = &both; Mixed mixed;
int main() { return both.shared + to->shared + both.same; }
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


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("both.own", "Request for member 'own' is ambiguous in type 'Both'."),
        ("both.side", "Request for member 'side' is ambiguous in type 'Both'."),
        ("mixed.shared", "Request for member 'shared' is ambiguous in type 'Mixed'."),
        ("both.Base::own", "base class 'Base' is ambiguous in type 'Both'"),
        ("both.other::Base::shared", "There is no field named shared"),
    ],
)
def test_members_of_several_objects_or_classes_are(
    expression: str, error: str, program: Path
) -> None:
    assert error in answers(None, [str(program)], [f"print {expression}"])[0]
