"""C++ objects with virtual functions in the private memory of a lane of a GPU: GDB's commands for
them follow the pointer to the table, which is in global memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.command import run
from tests.gpu_programs import gpu_program

SOURCE = """\
#define DEVICE __attribute__((device))
struct shape {
  int id;
  DEVICE shape(int id) : id(id) {}
  DEVICE virtual int area(int k) const { return k; }
};
struct named { int extra; };
struct rect : named, shape {
  int side;
  DEVICE rect(int side) : shape(2), side(side) { extra = side + 1; }
  DEVICE int area(int k) const override { return side * k; }
};
struct root { int base; DEVICE virtual int deep() { return base; } };
struct leaf : virtual root { int own; DEVICE int deep() override { return own; } };
extern "C" __attribute__((global)) void kernel(int *out) {
  rect three(__builtin_amdgcn_workitem_id_x());
  shape *any = &three;
  leaf low;
  low.base = 40;
  low.own = 50;
  root *up = &low;
  out[__builtin_amdgcn_workitem_id_x()] = any->area(7) + up->deep();
}
"""


@pytest.fixture(scope="module")
def stopped(
    tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., str]:
    """Gives the output of a command at the last line of the kernel, in lane 3."""
    source = tmp_path_factory.mktemp("private") / "shapes.hip"
    program = gpu_program(tool, source, SOURCE, "gfx90a", "-O0")

    def answer(*commands: str) -> str:
        options = [option for command in commands for option in ("-ex", command)]
        done = run(
            "debug", str(program), "--dispatch", "kernel", "--grid", "64",
            "--workgroup", "64", "--arg", "out=zeros:256", "--batch",
            "-ex", "break 23", "-ex", "run", "-ex", "lane 3", "-ex", "echo ##\\n", *options,
        )  # fmt: skip
        return done.out.partition("##\n")[2]

    return answer


def test_the_tables_of_an_object(stopped: Callable[..., str]) -> None:
    shown = stopped("info vtbl three")
    assert "(subobject @ private_lane#0x" in shown.splitlines()[0]
    assert shown.splitlines()[1].endswith(" <rect::area(int) const>")
    assert "vtable for 'shape' @ 0x" in stopped("info vtbl any")


def test_the_class_of_an_object(stopped: Callable[..., str]) -> None:
    shown = stopped("set print object on", "print *any", "print any->side", "print any")
    whole, side, pointer = shown.splitlines()
    assert whole.startswith("$1 = (rect) {<named> = {extra = 4}, <shape> = {_vptr$shape = 0x")
    assert whole.endswith(" <vtable for rect+16>, id = 2}, side = 3}") and side == "$2 = 3"
    assert pointer.startswith("$3 = (rect *) 0x2")


def test_casts_that_ask_the_object(stopped: Callable[..., str]) -> None:
    commands = ("dynamic_cast<rect*>(any)->side", "((leaf*)up)->own", "(rect*)any == &three",
                "dynamic_cast<shape*>(&three) == any", "(leaf*)up == &low")  # fmt: skip
    shown = stopped(*(f"print {command}" for command in commands))
    assert shown.splitlines() == ["$1 = 3", "$2 = 50", "$3 = true", "$4 = true", "$5 = true"]


def test_casts_to_a_reference_have_the_address(stopped: Callable[..., str]) -> None:
    casts = ("(shape &)three", "static_cast<shape &>(three)", "dynamic_cast<shape &>(three)")
    for cast in casts:
        shown, address = stopped(f"print {cast}", f"print &{cast}").splitlines()
        assert address.startswith("$2 = (shape *) private_lane#0x")
        where = address.removeprefix("$2 = (shape *) ")
        assert shown.startswith(f"$1 = (shape &) @{where}: {{_vptr$shape = 0x")
