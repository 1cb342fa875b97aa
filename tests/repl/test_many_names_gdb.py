"""Types behind many names, as templates that name one another make them, beside GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = """\
template<int N, class T> struct R { typedef typename R<N - 1, T>::type type; };
template<class T> struct R<0, T> { typedef T type; };
R<40, const int>::type ci = 5;
R<40, const wchar_t>::type w[] = L"wide text";
R<40, const char>::type c[] = "text";
struct alignas(32) Al { int x; };
struct S { R<40, const int>::type m; R<35, volatile Al>::type al; } s = {3, {1}};
R<50, const wchar_t *>::type lp = w;
R<50, const volatile int &>::type r = ci;
int main() { return ci + s.m + w[0] + (int) c[0] + *lp + r; }
"""
NAMES = ("w", "ci", "c", "s", "s.m", "s.al", "lp")
COMMANDS = [
    *(f"{word} {name}" for name in NAMES for word in ("ptype", "ptype &", "whatis", "ptype/o")),
    *(f"{word} r" for word in ("ptype", "whatis")),
    *(f"output {name}" for name in ("w", "ci", "c")),
    "ptype R<40, const int>::type",
]


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_qualifiers_and_characters(
    compiler: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    build(tmp_path, {"a.cpp": SOURCE}, [[tool(compiler), "-g", "-O0", "-o", "a", "a.cpp"]])
    ours = answers(None, [str(tmp_path / "a")], COMMANDS)
    assert ours == answers(tool("gdb"), [str(tmp_path / "a")], COMMANDS)
    assert "ptype ci\ntype = const int\n" in ours
    assert any('L"wide text"' in answer for answer in ours)
