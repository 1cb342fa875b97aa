"""The names of members of classes without a name: of structures, of lambdas, of enumerations."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
from tests.cli.command import run

SOURCE = """namespace { int hidden(int h) { return h; } }
namespace ns { enum { red = 3 }; }
struct { int m; int get(int k) { return m + k; } } one;
int main(int argc, char **argv) {
  auto l = [](int c) { return c + 1; };
  struct { int g; int twice(int q) { return g + q; } } local = {4};
  return l(argc) + local.twice(argc) + one.get(3) + hidden(2) + ns::red;
}
"""


@pytest.mark.parametrize(
    ("compiler", "closure"), [("g++", "operator()"), ("clang++-19", "main::$_0::operator()")]
)
def test_members_of_unnamed_classes(
    compiler: str, closure: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """They are in no anonymous namespace; as in frames, a lambda has the name of its symbol."""
    (tmp_path / "a.cc").write_text(SOURCE)
    path = tmp_path / "a.out"
    subprocess.run([tool(compiler), "-g", "-O0", "-o", path, tmp_path / "a.cc"], check=True)
    found = find_variables(CodeObject.open(path).scopes, Wanted())
    functions = {
        scope.qualified_name
        for unit in found
        for group in unit.groups
        for _, code_scope in group.declared
        if code_scope is not None
        for scope in code_scope.functions
    }
    simple = {name for name in functions if name.endswith(("get", "twice"))}
    assert closure in functions and "(anonymous namespace)::hidden" in functions
    assert len(simple) == 2 and not any("anonymous" in name for name in simple)
    if compiler == "g++":  # clang has linkage names for both
        assert simple == {"get", "twice"}
    heading = f"parameter int c, declared at line 5 of {closure}"
    for name in ("c", "operator()::c", f"{closure}::c"):
        assert run("where", path, name).lines[0] == heading
    assert run("where", path, "c", "--function", closure).lines[0] == heading
    wrong = run("where", path, "(anonymous namespace)::operator()::c")
    assert wrong.error.endswith(f'Did you mean "{closure}::c"?')
    address = run("debug", path, "--batch", "-ex", "info address ns::red")
    assert address.lines[-1] == 'Symbol "ns::red" is constant.'
