"""`dwarfgpu run`: the note where the result may depend on the order of the waves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run, run_json

INTEGERS = FIXTURES / "run/integers.gfx942.O2.v5.co"
SIZES = ("--grid", 256, "--workgroup", 64)
NEW = ("--arg", "a=range:256", "--arg", "b=range:256", "--arg", "out=zeros:1024")
ALIASED = ("--then", "stack_array", "--arg", "a=same:out", "--arg", "b=same:b", "--arg",
           "out=same:out")  # fmt: skip
TEXT = "the result may depend on the order of the waves: "


def test_a_wave_writes_what_others_read() -> None:
    """stack_array reads a[t + i] and writes out[t], which are one buffer in the second dispatch,
    whose first wave has the number 5."""
    note = (
        "wave 5 writes global#0x7e0000009900 at run/integers.hip:141:10, and another wave reads "
        "it, without a barrier between them; --seed N runs them in another order"
    )
    command = ("run", INTEGERS, "stack_array", *SIZES, *NEW, *ALIASED)
    assert run(*command).notes == [f"{TEXT}{note}"]
    assert run_json(*command).json["notes"] == [f"{TEXT}{note}"]
    assert not run(*command, "--executor", "block").notes  # it does not look for them


def test_atomic_stores_may_be_a_flag(tmp_path: Path) -> None:
    """The same, with `sc1` in its stores."""
    store, atomic = (bytes.fromhex(f"008070{byte} 02007f00") for byte in ("dc", "de"))
    path = tmp_path / "atomic.co"
    path.write_bytes(INTEGERS.read_bytes().replace(store, atomic))
    assert not run("run", path, "stack_array", *SIZES, *NEW, *ALIASED).notes


@pytest.mark.parametrize("kernel", ["reduce", "scan", "sort", "transpose", "histogram"])
@pytest.mark.parametrize("target", ["gfx942.O0", "gfx942.O2", "gfx1100.O2", "gfx1200.O2"])
def test_barriers_order_waves(kernel: str, target: str) -> None:
    """On gfx11 and gfx12 a workgroup has two waves, which share LDS."""
    path = FIXTURES / f"run/integers.{target}.v5.co"
    done = run("run", path, kernel, *SIZES, *NEW)
    assert (done.status, done.notes) == (0, [])
