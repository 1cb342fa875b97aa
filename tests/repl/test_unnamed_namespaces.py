"""Names of C++ that namespaces without a name do not have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import build, last_lines

SOURCE = """\
namespace { int in = 3; namespace deep { int d = 4; } }
namespace ns { namespace { int q = 5; } }
int main() { return in + deep::d + ns::q; }
"""


def test_the_namespace_is_named(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.cc": SOURCE}, [[tool("g++"), "-g", "a.cc", "-o", "a"]])
    scopes = "(anonymous namespace)", "(anonymous namespace)::deep", "ns::(anonymous namespace)"
    commands = [f"print {scope}::nosuch" for scope in scopes]
    wanted = [f'No symbol "nosuch" in namespace "{scope}".' for scope in scopes]
    assert last_lines([str(tmp_path / "a")], commands) == wanted
