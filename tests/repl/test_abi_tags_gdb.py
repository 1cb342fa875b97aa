"""Functions by names with ABI tags, as `bt` shows them, which DW_AT_name has not, against the GDB
that is installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = """
[[gnu::abi_tag("one")]] int tagged(int q) { return q; }
struct S { [[gnu::abi_tag("two")]] int get(char c) { return c; } };
template <class T> [[gnu::abi_tag("three")]] T made(T t) { return t; }
int main() { return tagged(1) + S().get('x') + made(2); }
"""
TAGGED = "tagged[abi:one]"
COMMANDS = [
    f"break {TAGGED}", f"break {TAGGED}(int)", f"break {TAGGED}(char)", f"tbreak '{TAGGED}(int)'",
    f"break a.cc:{TAGGED}", f"break -function {TAGGED}", "break tagged[abi:two]",
    "break S::get[abi:two]", f"list {TAGGED}(int)", f"info address {TAGGED}",
    f"info scope {TAGGED}", f"print '{TAGGED}(int)'", f"print '{TAGGED}'",
    f"break *'{TAGGED}(int)'",
]  # fmt: skip


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_names_with_tags(tool: Callable[[str], str], tmp_path: Path, compiler: str) -> None:
    build(tmp_path, {"a.cc": SOURCE}, [[tool(compiler), "-g", "-o", "a", "a.cc"]])
    files = [str(tmp_path / "a")]
    own, of_gdb = (answers(gdb, files, COMMANDS) for gdb in (None, tool("gdb")))
    assert own == of_gdb
    assert f'Symbol "{TAGGED}(int)" is a function at address 0x' in "".join(own)


LIBRARY = """
namespace s {
struct K { [[gnu::abi_tag("one")]] int get() const; int get(int) const; int put(int); };
[[gnu::abi_tag("two")]] int made(int q) { return q; }
int K::get() const { return 2; }
int K::get(int q) const { return q; }
int K::put(int q) { return q; }
}
"""
USER = """
namespace s { struct K { [[gnu::abi_tag("one")]] int get() const; }; }
struct Own { [[gnu::abi_tag("two")]] int get() { return 3; } };
int main() { return s::K().get() + Own().get(); }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_tags_of_functions_without_a_description(
    tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    """A name without tags also means those with tags, as in the symbols of libstdc++."""
    compile_ = [tool(compiler), "-c", "-o", "l.o", "l.cc"]
    link = [tool(compiler), "-g", "-o", "a", "a.cc", "l.o"]
    build(tmp_path, {"l.cc": LIBRARY, "a.cc": USER}, [compile_, link])
    commands = [
        "break get", "break K::get", "break s::K::get", "break s::K::get[abi:one]", "break made",
        "break s::made(int)", "break -qualified s::K::get", "break -qualified Own::get",
        "break s::K::get(int) const", "info line s::K::get", "info line made", "break s::K::put",
        "info breakpoints", "info address s::K::get", "info address s::made",
        "print 's::made'",
    ]  # fmt: skip
    files = [str(tmp_path / "a")]
    own, of_gdb = (
        answers(gdb, files, ["set print asm-demangle on", *commands]) for gdb in (None, tool("gdb"))
    )
    assert own == of_gdb
    assert "(3 locations)" in own[1] and "get[abi:one]" in "".join(own)
