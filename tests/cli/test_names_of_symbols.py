"""Linkage names that no terminal shows as they are: the symbol of a variable has the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.repl.side_by_side import answers, build, with_core

LONGEST = 1 << 14


def program(
    tool: Callable[[str], str], folder: Path, declared: dict[str, str], defined: dict[str, int]
) -> Path:
    """Build a program whose variables are declared with their linkage names, and defined in another
    file by these alone, without debugging information."""
    names = "\n".join(f'extern int {name} asm("{linked}");' for name, linked in declared.items())
    used = f"{names}\nint main() {{ return {' + '.join(declared)}; }}"
    values = "".join(
        f'int v{n} asm("{linked}") = {value};\n'
        for n, (linked, value) in enumerate(defined.items())
    )
    gcc = tool("gcc")
    build(
        folder,
        {"a.c": used, "b.c": values},
        [[gcc, "-c", "b.c"], [gcc, "-g", "-c", "a.c"], [gcc, "-o", "a", "a.o", "b.o"]],
    )
    return folder / "a"


def test_an_escaped_name_is_not_that_of_another_symbol(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    path = program(tool, tmp_path, {"x": "aQb", "z": "aQc"}, {"aQb": 5, "aZx01b": 7, "aQc": 9})
    path.write_bytes(path.read_bytes().replace(b"aQ", b"a\1").replace(b"aZ", b"a\\"))
    assert [run("eval", path, name).out for name in "xz"] == ["x = 5\n", "z = 9\n"]


@pytest.mark.parametrize("size", [LONGEST, LONGEST + 1, 20_000])
def test_a_long_name_is_not_that_of_another_symbol(
    tool: Callable[[str], str], tmp_path: Path, size: int
) -> None:
    names = {"v" * size: 5, "v" * LONGEST + "...": 7, "v" * 30_000: 9}
    path = program(tool, tmp_path, {"x": "v" * size}, names)
    assert run("eval", path, "x").out == "x = 5\n"


def test_a_missing_symbol_is_named_as_the_linker_knows_it(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    source = 'extern int x asm("linked") __attribute__((weak)); int main() { return &x ? x : 0; }'
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    assert (
        'Missing ELF symbol "linked": it is only declared' in run("eval", tmp_path / "a", "x").err
    )


def test_joiners_in_names(tool: Callable[[str], str], tmp_path: Path, utf8: None) -> None:
    """They are shown as escapes, which may be written, too (C11 6.4.3)."""
    names = "a\u200db", "a\u200c"
    source = "".join(f"int {name} = {n};" for n, name in enumerate(names, 5)) + "int main() {}"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    written = [*names, *(name.encode("unicode_escape").decode() for name in names)]
    commands = [f"print {name}" for name in written] + ["info variables ^a", f"print &{names[0]}"]
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", tmp_path / "a", "-q", "--batch", *words)
    assert [f"${n} = {value}\n" in done.out for n, value in enumerate((5, 6, 5, 6), 1)] == [
        True
    ] * 4
    assert done.out.count("int a\\u200db;") == 1 and done.out.count("a\\u200c") == 1
    assert "<a\\u200db>" in done.out


def test_commands_for_names_take_joiners(
    tool: Callable[[str], str], tmp_path: Path, utf8: None
) -> None:
    source = "int a\u200db = 5;\nint f\u200dn(int x) { return x; }\nint main() {}"
    build(tmp_path, {"a.cc": source}, [[tool("g++"), "-g", "-o", "a", "a.cc"]])
    shown = {
        "info address a\u200db": 'Symbol "a\\u200db" is static storage at address ',
        "info address f\u200dn": 'Symbol "f\\u200dn(int)" is a function at address ',
        "info line f\u200dn": 'Line 2 of "a.cc" starts at address ',
        "break f\u200dn": "Breakpoint 1 at ",
        "print 'f\u200dn(int)'": "$1 = {int (int)} 0x",
        "print 'a\u200db'": "$2 = 5\n",
        "print 'f\u200dn(\tint)'": "$3 = {int (int)} 0x",
        "info variables a\u200db": "int a\\u200db;",
        "info functions ^f\u200d": "int f\\u200dn(int);",
        "list 1,1": "1\tint a",
        "search f\u200d": "2\tint f",
    }
    words = [word for command in shown for word in ("-ex", command)]
    done = run("debug", tmp_path / "a", "-q", "--batch", *words)
    assert [text for text in shown.values() if text not in done.out] == []


def test_structures_with_long_names_are_completed(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    tag = "S" * (LONGEST + 10)
    files = {
        "a.c": f"struct {tag}; struct {tag} *make(void);\n"
        f"int main() {{ struct {tag} *p = make(); __builtin_trap(); return !p; }}",
        "b.c": f"struct {tag} {{ int right; }}; struct {tag} it = {{42}};\n"
        f"struct {tag}1 {{ int wrong; }}; struct {tag}1 other = {{43}};\n"
        f"struct {tag} *make(void) {{ return &it; }}",
    }
    build(tmp_path, files, [[tool("gcc"), "-g", "-o", "a", "b.c", "a.c"]])
    files_of_core = with_core(tool, tmp_path)
    assert "= {right = 42}" in answers(None, files_of_core, ["print *p"])[0]
