"""`using Name = T *` of a template (DWARF 5 5.21), which clang describes with `-gtemplate-alias`,
and without it as a typedef: the answers are the same."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run

SOURCE = """\
template <class T, int N> struct Ring { T data[N]; };
namespace ns {
template <class T> using Ring4 = Ring<T, 4>;
template <class... T> struct Pack { int n; };
template <class... T> using All = Pack<T...>;
template <int N> using Ints = int[N];
}
struct Holder {
  template <class U> using In = Ring<U, 2>;
  template <class U> using Function = int (*)(U);
  In<int> in;
};
template <class T> using Pointer = T *;
template <class T> using Const = const T;
ns::Ring4<char> r4 = {{1, 2, 3, 4}};
ns::All<int, char> all = {7};
ns::Ints<3> ints = {1, 2, 3};
Holder holder = {{{8, 9}}};
Const<int> five = 5;
Pointer<const int> p = &five;
int f(ns::Ring4<char> &r, Const<int> k, Holder::Function<char>) { return r.data[1] + k; }
int main() { return f(r4, *p, 0) + all.n + ints[1] + holder.in.data[0]; }
"""
COMMANDS = [
    "p r4", "whatis r4", "ptype r4", "p r4.data[1]", "p *p", "ptype p", "p all", "ptype all",
    "p ints", "whatis ints", "p sizeof(ns::Ints<3>)", "p holder", "ptype holder", "ptype/o holder",
    "p sizeof(Holder::In<int>)", "p (Holder::Function<int>)0", "p five", "ptype five", "ptype f",
    "p *(ns::Ring4<char> *)&r4", "whatis ns::Ring4<char>", "info types Ring4", "info types In",
    "info line ns::Ring4<char>", "info functions ^f", "complete p ns::Ring4<",
]  # fmt: skip
OPTIONS = [
    ("-gdwarf-5",),
    ("-gdwarf-5", "-gsimple-template-names"),
    ("-gdwarf-4", "-fdebug-types-section"),
]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_they_are_typedefs(
    options: tuple[str, ...], tool: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "alias.cc").write_text(SOURCE)
    answers = list[str]()
    for name, own in (("without", ()), ("with", ("-gtemplate-alias",))):
        command = [tool("clang++-19"), "-O0", *options, *own, "-o", name, "alias.cc"]
        made = subprocess.run(command, capture_output=True, cwd=tmp_path, check=False)
        if made.returncode:
            pytest.skip("this clang has no -gtemplate-alias")
        program = str(tmp_path / name)
        words = [word for command in COMMANDS for word in ("-ex", command)]
        answers.append(run("debug", program, "--batch", *words).out)
        assert run("check", program).out.endswith("0 errors, 0 warnings\n")
    assert answers[1] == answers[0]
    assert 'data = "\\001\\002\\003\\004"' in answers[1]
