"""`ptype` of types of Go that have names of their own, as `*main.T`, at the prompt and in GDB."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers

SOURCE = """\
package main

type Plain struct {
	a int
	b [2]uint8
}
type Tree struct {
	next *Tree
	name string
}
type Named int
type Loop *Loop
type Deep **Loop
type Ring [2]*Ring
type One *Two
type Two *One
type Parts **Plain
type Paths map[string]Plain

var (
	count   int
	plain   Plain
	number  Named
	first   = &plain
	second  = &first
	many    [3]Plain
	others  [2]*Plain
	all     = &many
	address = &count
	named   = &number
	handler = func(n int, m Named) {}
	after   = &handler
	tree    = &Tree{}
	slice   = []Plain{plain}
	known   = map[string]*Plain{"a": first}
	queue   = make(chan Plain)
	shown   interface{} = first
	loop    Loop
	deep    Deep
	loops   = &loop
	ring    Ring
	rings   = &ring
	one     One
	parts   Parts
	paths   Paths
)

//go:noinline
func use(values ...interface{}) int { return len(values) }

func main() {
	use(second, others, all, address, named, handler, after, tree, slice, known, queue, shown)
	use(loop, deep, loops, ring, rings, one, parts, paths)
}
"""
AS_IN_GDB = [
    "ptype main.first",
    "ptype main.second",
    "ptype *main.second",
    "ptype main.plain",
    "ptype &main.plain",
    "ptype &main.first",
    "ptype main.many",
    "ptype main.others",
    "ptype main.all",
    "ptype main.address",
    "ptype main.named",
    "ptype main.handler",
    "ptype main.main",
    "whatis main.main",
    "ptype main.after",
    "ptype main.slice.array",
    "ptype *main.slice.array",
]
WITH_NAMES = {
    "ptype main.tree": ["type = struct main.Tree {", "    *main.Tree next;", "} *"],
    "ptype main.slice": ["type = struct []main.Plain {", "    *main.Plain array;", "}"],
    "ptype main.known": ["type = struct hash<string,*main.Plain> {", "    int count;", "} *"],
    "ptype main.queue": ["type = struct hchan<main.Plain> {", "    uint qcount;", "} *"],
    "ptype/o main.first": [
        "type = struct main.Plain {",
        "/*      0      |       8 */    int a;",
        "                             } *",
    ],
    "ptype main.shown": ["type = struct runtime.eface {", "    *runtime._type _type;", "}"],
    "whatis main.first": ["type = *main.Plain"] * 3,
    "whatis main.others": ["type = [2]*main.Plain"] * 3,
    "whatis main.handler": ["type = func(int, main.Named)"] * 3,
}
"""What the lines begin with: the first, the second and the last one."""
LOOPS = {
    "ptype main.loop": "type = main.Loop",
    "ptype *main.loop": "type = main.Loop",
    "ptype main.deep": "type = main.Loop **",
    "ptype main.loops": "type = main.Loop *",
    "ptype &main.loop": "type = main.Loop *",
    "ptype main.ring": "type = main.Ring",
    "ptype main.rings": "type = *main.Ring",
    "ptype *main.rings": "type = main.Ring",
    "ptype main.one": "type = main.One",
    "ptype/o main.loop": "type = main.Loop",
}


@pytest.fixture(scope="module")
def program(
    tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory, go_cache: str
) -> list[str]:
    folder = tmp_path_factory.mktemp("go")
    (folder / "a.go").write_text(SOURCE)
    words = [tool("go"), "build", "-gcflags=-N -l", "-o", "a", "a.go"]
    offline = {**os.environ, "GO111MODULE": "off", "GOPROXY": "off", "CGO_ENABLED": "0"}
    offline |= {"GOCACHE": go_cache, "GOPATH": str(folder / "path")}
    subprocess.run(words, cwd=folder, check=True, timeout=60, env=offline)
    return [str(folder / "a")]


def test_what_they_are_derived_from_is_shown(
    tool: Callable[[str], str], program: list[str]
) -> None:
    """Before it runs, GDB takes the program for one of C."""
    commands = ["set language go", "list main.main", *AS_IN_GDB]
    own, gdbs = (answers(debugger, program, commands)[2:] for debugger in (None, tool("gdb")))
    assert own == gdbs
    assert own[0].endswith("} *\n")


def test_names_stay_inside_structures_and_without_ptype(program: list[str]) -> None:
    """GDB 13 has `main.Tree *next`: it does not read the names of pointers."""
    for text, expected in zip(
        answers(None, program, [*WITH_NAMES]), WITH_NAMES.values(), strict=True
    ):
        lines = text.splitlines()[1:]
        assert [lines[0], lines[min(1, len(lines) - 1)], lines[-1]] == expected


def test_what_is_derived_from_itself_keeps_its_name(program: list[str]) -> None:
    expected = [f"{command}\n{shown}\n" for command, shown in LOOPS.items()]
    assert answers(None, program, [*LOOPS]) == expected


def test_listed_types(tool: Callable[[str], str], program: list[str]) -> None:
    commands = ["set language go", "info types ^func(int, main", "info types ^main.[NOPT]"]
    own, gdbs = (answers(debugger, program, commands)[1:] for debugger in (None, tool("gdb")))
    assert own == gdbs
    assert "\ttypedef void (int, main.Named) func(int, main.Named);\n" in own[0]
    assert "\tmain.Plain;\n" in own[1] and "\ttypedef main.Plain ** main.Parts;\n" in own[1]
