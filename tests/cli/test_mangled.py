"""Names are shown as people write them; `--mangled` shows those of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.check.finding import FindingPosition
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.service.check.report import position_text
from tests.cli.command import FIXTURES, run


@pytest.mark.parametrize(
    ("symbol", "plain"),
    [
        ("_ZN2ns1fEi", "ns::f(int)"),
        ("_ZN2ns1fEi.cold", "ns::f(int).cold"),
        ("_Z1kPf.kd", "k(float*).kd"),
        ("nest", "nest"),
        ("_Z", "_Z"),
    ],
)
def test_a_symbol(symbol: str, plain: str) -> None:
    assert shown_symbol(symbol) == plain
    assert shown_symbol(symbol, is_mangled=True) == symbol


def test_a_finding_about_an_fde() -> None:
    place = FindingPosition(".eh_frame", 0, "FDE", "_ZN2ns1fEi")
    assert position_text(place) == "FDE ns::f(int) (.eh_frame 0x0)"
    assert position_text(place, is_mangled=True) == "FDE _ZN2ns1fEi (.eh_frame 0x0)"


def test_waves_of_a_kernel(tmp_path: Path) -> None:
    """The frame is of an inlined function at first, then of the kernel itself."""
    core = tmp_path / "count.core"
    path = FIXTURES / "hip/library.gfx90a.O2.v5.co"
    values = ("--arg", "out=zeros:256", "--arg", "in=zeros:256", "--arg", "limit=1")
    plain, symbol = "count_floats(int*, float const*, float)", "_Z12count_floatsPiPKff"
    texts = {
        "library.hip:31": f"1 wave of {plain} in detail::count<float> (...) at hip/library.hip:31",
        "library.hip:39": "1 wave in count_floats (...) at hip/library.hip:39",
    }
    for place, text in texts.items():
        stop = ("--break", place, "--stops", 1, "--core", core)
        made = run("run", path, symbol, "--grid", 64, "--workgroup", 64, *values, *stop)
        assert made.status == 0
        unknown = "the core file has 0 in place of the unknown bits of 1 register of waves"
        assert unknown in made.notes
        assert run("waves", core).lines[1:] == [f"  {text}, thread 1"]
    for name in ("count_floats", symbol, plain, plain.replace(" ", "")):
        assert len(run("waves", core, "--kernel", name).lines) == 2
    refused = run("waves", core, "--kernel", "count").error
    assert refused == f"--kernel count: the waves are of {plain}"
    command = ("--batch", "-ex", "info dispatches")
    assert run("debug", core, *command).lines[-1].endswith(f" {plain}")
    assert run("debug", core, "--mangled", *command).lines[-1].endswith(f" {symbol}")


def test_a_kernel_that_is_dispatched() -> None:
    path = FIXTURES / "hip/library.gfx90a.O2.v5.co"
    sizes = ("--grid", 64, "--workgroup", 64, "--arg", "out=buffer:256", "--arg", "in=zeros:256")
    for name in ("reverse_kernel<16u,float>", "reverse_kernel<16U, float>"):
        done = run("dispatch", path, name, *sizes)
        plain = "kernel void reverse_kernel<16u, float>(float*, float const*) for gfx90a, "
        assert done.lines[0].startswith(plain)
    mangled = run("dispatch", path, name, *sizes, "--mangled").lines[0]
    assert mangled.startswith("kernel _Z14reverse_kernelILj16EfEvPT0_PKS0_ for gfx90a, ")


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ((), "void reverse_kernel<16u, float>(float*, float const*)"),
        (("--mangled",), "_Z14reverse_kernelILj16EfEvPT0_PKS0_"),
    ],
)
def test_a_note_about_a_kernel_that_is_dispatched(options: tuple[str, ...], name: str) -> None:
    path = FIXTURES / "hip/library.gfx90a.O2.v5.co"
    sizes = ("--grid", 64, "--workgroup", 64, "--arg", "out=buffer:256", "--arg", "in=zeros:256")
    done = run("dispatch", path, "reverse_kernel<16u,float>", *sizes, "--scratch", 8, *options)
    assert f"--scratch 8: {name} has no scratch memory" in done.notes


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_kernel_that_did_not_run(tmp_path: Path, is_resumed: bool) -> None:
    """The one before it reads address 0."""
    path, symbol = FIXTURES / "hip/library.gfx90a.O2.v5.co", "_Z10total_intsPiPKi"
    sizes = ("--grid", 64, "--workgroup", 64)
    first: tuple[object, ...] = (path, symbol, *sizes, "--arg", "out=zeros:4", "--arg", "in=0")
    if is_resumed:
        state = tmp_path / "s.json"
        stop = ("--break", "total_ints", "--stops", 1, "--save", state)
        assert run("run", *first, *stop).status == 0
        first = ("--state", state)
    then = ("--then", symbol, "--arg", "out=zeros:256", "--arg", "in=zeros:256")
    arguments = (*first, *then, *(sizes if is_resumed else ()))
    for options, name in (((), "total_ints(int*, int const*)"), (("--mangled",), symbol)):
        done = run("run", *arguments, *options)
        assert done.status == 1
        [note] = [note for note in done.notes if note.startswith("not run: ")]
        assert note.partition(";")[0] == f"not run: {name}"


@pytest.mark.parametrize(
    ("arguments", "plain", "mangled"),
    [
        (("eval", "$pc"), "<reverse_kernel<16u, float>(float*, float const*)>",
         "<_Z14reverse_kernelILj16EfEvPT0_PKS0_>"),
        (("lanes", "$pc"), "<reverse_ker", "<_Z14reverse_k"),
        (("bt",), "#2  reverse_kernel<16u, float> (", "#2  _Z14reverse_kernelILj16EfEvPT0_PKS0_ ("),
        (("debug", "--batch", "-ex", "print $pc"),
         "<reverse_ker", "<_Z14reverse_k"),
    ],
)  # fmt: skip
def test_a_stop(arguments: tuple[str, ...], plain: str, mangled: str) -> None:
    command, *rest = arguments
    where = (FIXTURES / "hip/library.gfx90a.O2.v5.co", "--pc", "0x2e00", "--lane", "0")
    shown = run(command, *where, *rest).out
    assert plain in shown and mangled not in shown
    shown = run(command, *where, *rest, "--mangled").out
    assert mangled in shown and plain not in shown


@pytest.mark.parametrize("command", ["frames", "check", "info"])
def test_the_commands_have_the_option(command: str) -> None:
    path = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    assert run(command, path).out == run(command, path, "--mangled").out
