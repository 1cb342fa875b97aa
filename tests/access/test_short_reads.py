"""Targets that return other bytes than those asked for (docs/library.md).

No value is made of them: each would be wrong without a word.
"""

from __future__ import annotations

from typing import Any

import pytest

import dwarfgpu as dg
from dwarfgpu.access import exact_reads, lane_group

GFX942 = dg.architecture("gfx942")
V6 = GFX942.by_name["v6"]


class Wrong(dg.StateTarget):
    data: Any = b"a"

    def read_register(self, *arguments: object) -> Any:
        return self.data

    def read_memory(self, *arguments: object) -> Any:
        return self.data


@pytest.mark.parametrize(
    ("data", "returned"),
    [
        (b"a", "1 byte for 4 bytes"),
        (bytes(5), "5 bytes for 4 bytes"),
        (None, "an object of NoneType for 4 bytes"),
        ("abcd", "an object of str for 4 bytes"),
        ([1, 2, 3, 4], "an object of list for 4 bytes"),
    ],
)
@pytest.mark.parametrize(
    "operations",
    [
        "regx s4",
        "addr 0x10",
        "regx s4; piece 4",
        "addr 0x10; deref_size 4",
        "regx s4; deref_size 4",
    ],
)
def test_other_bytes_are_an_error(operations: str, data: object, returned: str) -> None:
    target = Wrong(GFX942)
    target.add_wave(0)
    target.data = data
    context = dg.Context(
        GFX942, wave=0, lane=0, lane_count=64, target=target, frame=dg.ExplicitFrame(GFX942)
    )
    code = dg.assemble(operations, arch=GFX942)
    message = f"Wrong returned {returned}: a target returns exactly the bytes asked for"
    for _ in range(4):  # a function is made of operations that come again
        with pytest.raises(dg.UsageError, match=message):
            location = dg.evaluate(code, context)
            assert isinstance(location, dg.Location)
            context.access.read_bytes(location, 4)
    if "deref" not in operations:
        with pytest.raises(dg.UsageError, match=message):
            location = dg.evaluate(code, context)
            assert isinstance(location, dg.Location)
            context.access.read(location, 32)


def test_bytearrays_are_bytes() -> None:
    target = Wrong(GFX942)
    target.add_wave(0)
    target.data = bytearray(b"abcd")
    context = dg.Context(GFX942, wave=0, lane=0, target=target, frame=dg.ExplicitFrame(GFX942))
    location = dg.evaluate(dg.assemble("regx s4", arch=GFX942), context)
    assert isinstance(location, dg.Location)
    assert context.access.read_bytes(location, 4) == b"abcd"


@pytest.mark.parametrize("data", [b"a", bytes(5), None])
def test_reads_of_many_lanes_and_of_frames_are_exact(data: object) -> None:
    """Bulk reads (`lane_group`), EXEC of a frame, and one lane after the other."""
    target = Wrong(GFX942)
    target.add_wave(0)
    target.data = data
    session = dg.Session(GFX942, (), target, wave=0, lane=0, pc=0)
    assert session.frame.execution_mask is None
    register = GFX942.by_name["v6"]
    with pytest.raises(dg.UsageError, match="Wrong returned "):
        lane_group._registers(target, [0], register)
    with pytest.raises(dg.UsageError, match="Wrong returned "):
        exact_reads.register_bytes(target, 0, register)
    with pytest.raises(dg.UsageError, match="Wrong returned "):
        exact_reads.memory_bytes(target, dg.Memory(GFX942.address_space(0)), 0, 4)


class Gone(dg.StateTarget):
    """A connection that has ended: every access has the same error."""

    ended = dg.Unavailable("the connection has ended")

    def read_memory(self, *arguments: object) -> Any:
        raise self.ended

    def read_register(self, *arguments: object) -> Any:
        raise self.ended


def test_an_error_that_a_target_raises_often_has_no_place_of_an_earlier_operation() -> None:
    target = Gone(GFX942)
    target.add_wave(0)
    context = dg.Context(GFX942, wave=0, lane=0, target=target, frame=dg.ExplicitFrame(GFX942))
    for operations, place in [
        ("regx s4; deref_size 4", "DW_OP_deref_size at offset 0x2"),
        ("addr 0x10; nop; deref_size 4", "DW_OP_deref_size at offset 0xa"),
    ]:
        with pytest.raises(dg.Unavailable) as caught:
            dg.evaluate(dg.assemble(operations, arch=GFX942), context)
        assert str(caught.value) == f"{place}: the connection has ended"
    assert Gone.ended.site is None


@pytest.mark.parametrize("given", [None, "gfx942", 5])
def test_an_architecture_that_is_none(given: Any) -> None:
    class Other(dg.StateTarget):
        def architecture_of(self, wave: object) -> Any:
            return given

    target = Other(GFX942)
    message = r"Target\.architecture_of: expected an Architecture, not "
    with pytest.raises(dg.UsageError, match=message):
        dg.Context(GFX942, wave=0, target=target)
    with pytest.raises(dg.UsageError, match=message):
        dg.Session(GFX942, target=target, wave=0)
