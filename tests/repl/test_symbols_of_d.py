"""`info symbol` in programs of D; GDB is the judge."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.objfile.elf import open_object
from tests.repl.side_by_side import answers, build, last_lines

SOURCE = """\
module pk.em;
__gshared int shared_ = 4;
class C { __gshared int gg = 6; int v = 2; int get() { return v; }
  int get(int a) const { return a; } int two(int a, double b) pure { return a; }
  this(int x) { v = x; } ~this() { gg = 1; } }
struct S { int s = 3; this(this) { s++; } }
int over(int a) { { __gshared int inner = 3; a += inner; }
  { __gshared int inner = 4; a += inner; } return a; }
int over(ref int a, string s) { return 7; }
T gen(T)(T x) { return x; }
extern(C) int main() {
  auto c = new C(3); int z = 3; S s;
  return shared_ + c.get() + c.get(2) + over(z, "a") + over(2) + C.gg + c.two(1, 2.0) + gen(s.s); }
"""


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_symbols_are_shown_as_they_are_written(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    tool("gcc")  # which links
    output = "-of=a" if compiler == "ldc2" else "-oa"
    build(tmp_path, {"a.d": SOURCE}, [[tool(compiler), "-g", "-O0", output, "a.d"]])
    symbols = open_object(tmp_path / "a").symbols
    names = {one.address: one.name for one in symbols if one.name.startswith("_D2pk")}
    names = {address: name for address, name in names.items() if "8opAssign" not in name}
    known = [address for address, name in names.items() if "." not in name]
    commands = [f"info symbol {address:#x}" for address in known]
    assert len(commands) > 8
    files = [str(tmp_path / "a")]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    commands = ["output &'pk.em.shared_'", "output &'pk.em.C.gg'"]
    for judge in (None, tool("gdb")):
        shown = [text.rpartition("<")[2] for text in answers(judge, files, commands)]
        assert [text.rstrip(">\n") for text in shown] == ["pk.em.shared_", "pk.em.C.gg"]


def test_symbols_of_other_languages_are_shown_as_they_are(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Names of C may begin like those of D."""
    source = "int _D2id_table[4] = {1}, _D3log_level = 3; int _D1x_init(void) { return 1; }\n"
    source += "int main(void) { return _D2id_table[0] + _D3log_level + _D1x_init(); }\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-O0", "-no-pie", "-oa", "a.c"]])
    names = ("_D2id_table", "_D3log_level", "_D1x_init")
    commands = [f"info symbol {name if name == '_D1x_init' else '&' + name}" for name in names]
    files = [str(tmp_path / "a")]
    shown = answers(None, files, commands)
    assert shown == answers(tool("gdb"), files, commands)
    said = [answer.splitlines()[-1].split()[0] for answer in shown]
    assert said == [*names]


NOTE = "note: no state is given: writable memory has its initial contents\n"
OF_INSTANCES = """\
module em;
struct P { int a, b; }
struct L(int[] v) { static __gshared int made = 5; int get() const { return v[0]; } }
struct S(P p) { static __gshared int kept = 7; }
struct T(A...) { static __gshared int some = 8; }
int inst(P p)(ref int x, string[int] s) { return x + p.a; }
extern(C) int entry() {
  int n; L!([1, 2]) l;
  return l.get() + l.made + S!(P(1, 2)).kept + T!(int[], L!([3]), "a b", P*).some
    + inst!(P(7, 8))(n, null);
}
"""
NAMES_OF_INSTANCES = {
    "em.L!([1, 2]).L.made": 5, "em.S!(em.P(1, 2)).S.kept": 7,
    'em.T!(int[], em.L!([3]).L, "a b", em.P*).T.some': 8,
}  # fmt: skip


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_instances_with_arrays_and_instances(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    sources = {"a.d": OF_INSTANCES, "c.c": "int entry(void); int main(void) { return entry(); }\n"}
    output = ["-of=a", "-betterC"] if compiler == "ldc2" else ["-oa"]
    build(tmp_path, sources, [
        [tool("gcc"), "-g", "-O0", "-c", "c.c"],
        [tool(compiler), "-g", "-O0", *output, "a.d", "c.o"],
    ])  # fmt: skip
    symbols = open_object(tmp_path / "a").symbols
    instances = [one.address for one in symbols if one.name.startswith("_D2em__T")]
    commands = [f"info symbol {address:#x}" for address in instances]
    for name in NAMES_OF_INSTANCES:
        commands += [f"print (int)'{name}'", f"info symbol &'{name}'"]
    files = [str(tmp_path / "a")]
    own = [text.replace(NOTE, "") for text in answers(None, files, commands)]
    assert own == answers(tool("gdb"), files, commands)
    function = "\nem.inst!(em.P(7, 8)).inst(ref int, immutable(char)[][int]) in section"
    assert any(function in text for text in own)
    values = [text.splitlines()[1] for text in own[len(instances) :: 2]]
    assert values == [f"${n} = {value}" for n, value in enumerate(NAMES_OF_INSTANCES.values(), 1)]


OF_MODULE = """\
module pk.em;
__gshared int shared_ = 4;
struct S { int s = 3; }
int twice(int a) { S s; return 2 * a + s.s; }
extern(C) int entry() { return twice(shared_); }
"""


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_names_of_modules_in_code_of_c(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    """Points are members there: quotes have the name, as suggestions do."""
    sources = {"a.d": OF_MODULE, "c.c": "int entry(void); int main(void) { return entry(); }\n"}
    output = "-of=a" if compiler == "ldc2" else "-oa"
    build(tmp_path, sources, [
        [tool("gcc"), "-g", "-O0", "-c", "c.c"],
        [tool(compiler), "-g", "-O0", output, "a.d", "c.o"],
    ])  # fmt: skip
    files = [str(tmp_path / "a")]
    shown = {
        "whatis 'pk.em.S'": "type = struct pk.em.S\n",
        "output sizeof('pk.em.S')": "4",
        "print pk.em.S": 'No symbol "pk" in current context.\n',
        "whatis ('pk.em.S' *)0": "type = struct pk.em.S *\n",
        "whatis 'pk.em.twice'": "type = int (int)\n",
        "print 'pk.em.nosuch'": 'No symbol "pk.em.nosuch" in current context.\n',
        "whatis 'pk.em.shared_'": "type = int\n",
        "print shared_": 'No symbol "shared_" in current context. '
        "Did you mean \"'pk.em.shared_'\"?\n",
    }
    given = answers(None, files, ["show language", *shown])
    assert given[0].endswith('currently c".\n')
    assert given[1:] == [f"{command}\n{answer}" for command, answer in shown.items()]
    [symbol] = answers(None, files, ["info address pk.em.shared_"])
    assert 'Symbol "pk.em.shared_" is static storage at address 0x' in symbol


OF_MAIN = """\
module pk.em;
struct T(int n) { static __gshared int ts = n; int f; int get() { return f + n; } }
struct S { static __gshared int st = 11; int a; void mm() { a++; } }
X same(X)(X x) { return x; }
void nest() { int l = 1; void inner() { l++; }
  inner(); }
extern(C) int main() { T!1 t; S s; s.mm(); nest(); return same(t.get()) + t.ts + s.st; }
"""


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_functions_are_named_as_their_symbols_are_shown(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    """In code of D, too, also where only the symbol has the parameters or the class."""
    tool("gcc")  # which links
    output = "-of=a" if compiler == "ldc2" else "-oa"
    build(tmp_path, {"a.d": OF_MAIN}, [[tool(compiler), "-g", "-O0", output, "a.d"]])
    files = [str(tmp_path / "a")]
    functions = (
        "pk.em.S.mm()", "pk.em.nest()", "pk.em.nest().inner()", "pk.em.T!(1).T.get()",
        "pk.em.same!(int).same(int)", "pk.em.same!(int).same",
    )  # fmt: skip
    commands = [f"{word} '{name}'" for name in functions for word in ("break", "info line")]
    commands += ["info symbol &'pk.em.T!(1).T.ts'", "break pk.em.nest().inner()"]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    asked = ["print (int)'pk.em.T!(1).T.ts'", "info address pk.em.S.st"]
    value, address = last_lines(files, asked)
    assert value == "$1 = 1" and address.startswith('Symbol "pk.em.S.st" is static storage at')
