"""In Fortran, regular expressions match names in both cases (GDB's `case-sensitive auto`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from dwarfgpu.errors import UsageError
from dwarfgpu.repl.files.posix_regexps import compiled
from tests.cli.command import FIXTURES, run
from tests.repl.side_by_side import build

SHAPES = FIXTURES / "fortran/shapes.gcc.O0.v5"
DEMO = FIXTURES / "x86_64/demo.gcc.O0.v5"


def said(command: str, program: object = SHAPES) -> str:
    done = run("debug", program, "-batch", "-ex", command)
    return str(done.out) + str(done.err)


@pytest.mark.parametrize("word", ["point", "POINT", "Poin[T]", "[^A-OQ-Z]OINT$", r"P\oint"])
def test_names_in_both_cases(word: str) -> None:
    assert "\n5:\tType point;\n" in said(f"info types {word}")


def test_modules() -> None:
    one = "\n\nFile fortran/shapes.f90:\n3:\tstore\n"
    assert said("info modules") == f"All defined modules:{one}"
    assert said("info modules STO") == f'All modules matching regular expression "STO":{one}'
    assert said("info modules -q nosuch") == ""
    assert said("info modules", DEMO) == "All defined modules:\n"


def test_functions_and_variables() -> None:
    assert "23:\tvoid shapes(void);" in said("info functions ^SHAPES$")
    assert "integer(kind=2) store::table(3);" in said("info variables TABLE")


def test_arrays_that_are_allocated_later() -> None:
    assert "Type point, integer(kind=4) (:)" in said("info functions inner")
    assert "real(kind=4), allocatable (:)" in said("info functions inner")


@pytest.mark.parametrize("text", ["1", "1, 2", "1:2"])
def test_no_array_is_indexed(text: str) -> None:
    assert said(f"print store::counter({text})") == "Cannot perform substring on this type\n"


def test_the_setting_is_that_of_the_language() -> None:
    shown = 'Case sensitivity in name search is "auto; currently {}".\n'
    assert said("show case-sensitive") == shown.format("off")
    assert said("show case-sensitive", DEMO) == shown.format("on")
    assert "main" in said("info functions ^main$", DEMO)
    assert "int main" not in said("info functions ^MAIN$", DEMO)
    for value, program in (("off", SHAPES), ("on", DEMO), ("auto", SHAPES), ("auto", DEMO)):
        assert said(f"set case-sensitive {value}", program) == ""
    for value, program in (("on", SHAPES), ("off", DEMO)):
        assert "case-sensitive" in said(f"set case-sensitive {value}", program)


def test_a_function_of_a_module_has_its_name(tmp_path: Path, tool: Callable[[str], str]) -> None:
    source = "module m\ncontains\nsubroutine work\nend subroutine\nend module\n"
    source += "program p\nuse m\ncall work\nend program\n"
    build(tmp_path, {"a.f90": source}, [[tool("gfortran"), "-g", "a.f90", "-o", "a"]])
    for command in ("print m::work", "output m::work"):
        assert said(command, tmp_path / "a").rstrip().endswith(" <m::work>")


@pytest.mark.parametrize("name", ["Shapes", "MAIN__", "main__", "Main__"])
def test_functions_in_any_case(name: str) -> None:
    """Fortran 2018 6.1.2: the case of letters does not matter; gfortran's main program too."""
    assert "Breakpoint 1 at " in said(f"break {name}")
    assert said(f"info line {name}") == said("info line shapes")
    usual = "shapes" if name == "Shapes" else "MAIN__"
    is_at = said(f"info address {name}").partition('" is ')[2]
    assert is_at and is_at == said(f"info address {usual}").partition('" is ')[2]
    assert "not defined" in said(f"break {name.upper()}", DEMO)


def test_a_variable_may_have_the_name_of_the_main_program(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    source = "program p\n  integer, save :: main__ = 7\n  print *, main__\nend program\n"
    build(tmp_path, {"a.f90": source}, [[tool("gfortran"), "-g", "a.f90", "-o", "a"]])
    done = run("eval", tmp_path / "a", "--pc", "p", "main__", "Main__", "MAIN__")
    assert [line.rpartition(" ")[2] for line in done.lines] == ["7", "7", "7"]


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "aB",
        "[a-c]x",
        "[^a-cX]",
        "[[:upper:]]b",
        "a\\|B",
        "\\(aB\\)*c",
        "[]a]",
        "[a-]b",
        "[_-b]",
        "[[:cntrl:]]",
        "[[:punct:]a]",
    ],
)
def test_as_re_ignores_case(text: str) -> None:
    """The same texts match as with `re.IGNORECASE`."""
    ours = compiled(text, ignores_case=True)
    theirs = re.compile(compiled(text).pattern, re.IGNORECASE)
    for letters in product("abcABCxXzZ_-]", repeat=2):
        name = "".join(letters)
        assert ours.search(name) is (theirs.search(name) is not None), name


def test_ranges_are_of_lower_case() -> None:
    """As in GDB: `[A-b]` finds no w, `[0-B]` has the upper case between its ends, as `[0-b]`."""
    assert not compiled("[A-b]", ignores_case=True).search("w")
    assert not compiled("[A-z]", ignores_case=True).search("_")
    assert compiled("[0-B]", ignores_case=True).search("w")
    with pytest.raises(UsageError, match="Invalid range end"):
        compiled("[Y-b]", ignores_case=True)


def test_a_letter_without_another_case() -> None:
    for text in ("ß", "[ß]"):
        assert compiled(text, ignores_case=True).search("ß")
        assert not compiled(text, ignores_case=True).search("S")


def test_errors_are_the_same() -> None:
    with pytest.raises(UsageError, match="Unmatched"):
        compiled("[a", ignores_case=True)


@pytest.mark.parametrize("ignores_case", [False, True])
def test_ends_of_words_are_next_to_letters(ignores_case: bool) -> None:
    """Elsewhere glibc decides by the letter on one side alone."""
    for text in (r"\>a", r"\W\>", r"\<\W", r"\w\<", r"a*\>"):
        with pytest.raises(UsageError, match="next to a letter only"):
            compiled(text, ignores_case=ignores_case)
    for text in (r"a\>", r"\<a", r"\w\>", r"\<\w"):
        assert compiled(text, ignores_case=ignores_case).search("b a") is True
