"""Objects with a virtual base class, of upstream clang, in each memory of a GPU.

LLVM adds the distance of the base class to the object with DW_OP_plus, as on a CPU, whatever memory
the object is in (`docs/dialects.md`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import Done, run
from tests.gpu_programs import gpu_program

SOURCE = """\
#define DEVICE __attribute__((device))
inline DEVICE void *operator new(unsigned long, void *place) { return place; }
struct A { int legs; DEVICE virtual int noise() { return legs; } };
struct B : virtual A { float wing; DEVICE B() {} DEVICE int noise() override { return 7; } };
DEVICE __attribute__((noinline)) int use(B *p) {
  A *up = p;
  int n = p->legs;
  return n + up->noise();
}
extern "C" __attribute__((global)) void kernel(void *memory, int *out, int where) {
  __attribute__((shared)) B *shared[4];
  __attribute__((shared)) long contents[8];
  B local;
  B *p = &local;
  if (where == 1) p = ::new (contents) B;
  if (where == 2) p = ::new (memory) B;
  shared[0] = p;
  p->legs = 41;
  p->wing = 0.5f;
  out[0] = use(p);
}
"""
MEMORIES = {0: "private_lane#0x", 1: "local#0x", 2: "0x7"}
"""How an address in each begins, by the number that the kernel gets."""


@pytest.fixture(scope="module", params=["gfx1100", "gfx90a"])
def program(
    request: pytest.FixtureRequest,
    tool: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    source = tmp_path_factory.mktemp("bases") / "bases.hip"
    return gpu_program(tool, source, SOURCE, request.param, "-O0")


def stopped(program: Path, memory: int, *commands: str) -> Done:
    """Run commands in `use`, whose object is in a memory, of one lane."""
    words = (word for command in commands for word in ("-ex", command))
    return run(
        "debug", program, "--dispatch", "kernel", "--grid", 1, "--workgroup", 1, "--arg",
        "memory=zeros:64", "--arg", "out=zeros:4", "--arg", f"where={memory}", "--batch",
        "-ex", "break 8", "-ex", "run", "-ex", "echo ##\\n", *words,
    )  # fmt: skip


@pytest.mark.parametrize("memory", MEMORIES)
def test_the_parts_of_an_object(program: Path, memory: int) -> None:
    """A note says how the dialect reads the place, where the letter gives none."""
    done = stopped(
        program, memory, "print *p", "print p->legs", "print &p->legs", "print *(A *)p",
        "print (A)*p", "print dynamic_cast<B *>(up)->wing", "print p->legs = 40", "print up->legs",
    )  # fmt: skip
    whole, legs, address, *bases, wing, written, read = done.out.partition("##\n")[2].splitlines()
    assert whole.startswith("$1 = {<A> = {_vptr$A = 0x7")
    assert "legs = 41}" in whole and whole.endswith(", wing = 0.5}")
    assert legs == "$2 = 41"
    assert address.startswith(f"$3 = (int *) {MEMORIES[memory]}")
    assert [base.partition(" <")[0][:23] for base in bases] == [
        "$4 = {_vptr$A = 0x7f000", "$5 = {_vptr$A = 0x7f000",
    ]  # fmt: skip
    assert all(base.endswith(", legs = 41}") for base in bases)
    assert (wing, written, read) == ("$6 = 0.5", "$7 = 40", "$8 = 40")
    note = "note: upstream clang: the distance of a virtual base class moves the location of the "
    assert (note in done.err) == (memory != 2)


@pytest.mark.parametrize("memory", MEMORIES)
def test_lanes_and_tables(program: Path, memory: int) -> None:
    done = stopped(program, memory, "info vtbl p", "lanes p->legs")
    tables, _, rest = done.out.partition("##\n")[2].partition("\n\n")
    where = MEMORIES[memory]
    assert tables.startswith("vtable for 'B' @ 0x7") and f" (subobject @ {where}" in tables
    assert rest.startswith("vtable for 'A' @ 0x7") and f" (subobject @ {where}" in rest
    assert rest.splitlines()[2].split()[:2] == ["0", "41"]


def test_what_check_and_explain_say(program: Path) -> None:
    """The AMD text refuses a location in private memory; `check` reports it in the dialects that
    are read by the letter."""
    assert "upstream-virtual-base" not in run("check", program, "--all").out
    found = run("check", program, "--dialect", "amd").out
    assert found.count("[upstream-virtual-base, A.2.5.4.3.2]") == 1
    memory = ["--mem", "private_lane#0x8=1810000000000000", "--mem", "0x1000=1000000000000000"]
    explained = [
        "explain", "--arch", "gfx1100", "-e", "dup; deref; constu 24; minus; deref; plus", *memory,
        "--push", "lit8; lit5; LLVM_form_aspace_address", "--want", "location", "--lane", 0,
    ]  # fmt: skip
    meant = run(*explained, "--dialect", "upstream-clang").out
    assert "mistake" not in meant and "loc private_lane#0x18" in meant
    assert "moves the location of the object" in meant
    literal = run(*explained, "--dialect", "amd").out
    assert "the DWARF breaks a rule of its specification: the compiler's mistake" in literal
