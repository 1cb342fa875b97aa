"""What names mean in frames of a live C++ program: `dwarfgpu print` against GDB's own `print`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

COMMON = """hidden|only|from_used|own|shared|::shared|ns::shared|ns::hidden_in_ns|al::down|P::st
rp->x|rp|*rp|r.P::q|r.Q::q|p|p.plain|pp|&P::x|method|secret|clash|ns::Box<double, 2>::made|bi
far_here|*far_here|r.*member|rp->*member|ns::inside|c_function|nosuch|ns::nosuch|x|y|q|st|this|a
down|sizeof(Node)|sizeof(Part)|Node::Inner::made|deep::down|deep::Node::root.n
counted(int)::n + 0 * counted(char)::n"""
LOOK = """x|q|y|st|st + x|this|*this|this->x|this->q|P::x|mode|ON|part.p|&x|sizeof(Part)
(Part *) 0|*this|this->st|P::q + q|st2|z|hidden|look|plain|s|(Mode) 7|constant|shared|::shared"""
INSIDE = """only_here|shared|::shared|ns::shared|hidden_in_ns|deep::down|deep::Node::root|RED
Plain(5)|(Plain) 5|Scoped::HIGH|(Scoped) 9|sizeof(Box<int, 1>)|Box<int, 1>::made
Box<double,2>::made|inside|only|twice == 0|&deep::Node::n|deep::Node::Inner::made|P::st|x|hidden
deep::nosuch|(deep::Node *) 0|in_far"""
DEEPER = """a|down|shared|ns::shared|::shared|from_used|Node::root.n|Node::Inner::made
sizeof(Node)|hidden_in_ns|only|deeper|deep::down|ns::deep::down|al::down|used::clash|RED
(Node *) 0|this|(Plain) 0|only_here"""
STOPS = [("P::look", LOOK), ("ns::inside", INSIDE), ("ns::deep::deeper", DEEPER)]
UNLIKE = {
    "counted(int)::n + 0 * counted(char)::n",  # GDB reads one of both twice
    "Plain(5)",  # a cast that is written as a call
    "twice == 0",  # overloaded: GDB takes one
}
COMPARE = """
import json
out = []
for each in {expressions!r}:
    theirs = contents(said("print " + each))
    ours = said("dwarfgpu print " + each).split("\\nnote:")[0].removeprefix(each + " = ")
    out.append([each, theirs, ours])
print(json.dumps(out))
"""


@pytest.mark.parametrize("name", ["gcc.O0.v5", "clang.O0.v4"])
@pytest.mark.parametrize(
    ("number", "stop"), list(enumerate(STOPS)), ids=["look", "inside", "deeper"]
)
def test_names(
    debugger: Debugger, repository: Path, name: str, number: int, stop: tuple[str, str]
) -> None:
    function, table = stop
    expressions = [
        word for word in f"{table}|{COMMON}".replace("\n", "|").split("|") if word not in UNLIKE
    ]
    skipped = ["continue"] * (number + (number > 0))  # P::look is called twice
    code = "print(gdb.selected_frame().name())" + COMPARE.format(expressions=expressions)
    program = repository / f"fixtures/x86_64/meanings.{name}"
    shown = debugger.python(code, "break stop", "run", *skipped, "up", file=program)
    where, _, rest = shown.partition("\n")
    assert where.partition("(")[0] == function
    document = json.loads(rest)
    assert len(document) == len(expressions)
    different = [item for item in document if item[1] != item[2]]
    assert different == [], "\n".join(map(repr, different))
