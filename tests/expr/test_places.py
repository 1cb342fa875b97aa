"""Locations with several places: read any, write all or nothing (AMD text A.2.5.3)."""

from __future__ import annotations

import pytest

from dwarfgpu.access.location_access import NO_BITS
from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import MissingContext, OutOfRange, Unavailable
from dwarfgpu.expr.context import Context, ExprLoc, LocList
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.explicit_context import ExplicitFrame, ExplicitUnit
from dwarfgpu.expr.location_list_entry import LocationListEntry
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import RegisterId, WaveId
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location, SingleLocation
from dwarfgpu.model.storage import DieReference, ImplicitPointer, Memory, Register

GFX = architecture("gfx942")


class Recorded(StateTarget):
    """A target that remembers which registers were read."""

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        self.read = [*getattr(self, "read", []), register.name]
        return super().read_register(wave, register, offset_bytes, size_bytes)


def machine() -> Recorded:
    target = Recorded(GFX)
    target.add_wave(0)
    for name, byte in (("s4", 1), ("s5", 2)):
        target.set_register(0, GFX.by_name[name], bytes([byte] * 4))
    target.set_memory(Memory(global_space()), 0x1000, bytes(8))
    return target


def global_space() -> AddressSpace:
    return GFX.address_space(0)


def context(target: Recorded) -> Context:
    return Context(
        architecture=GFX, wave=0, frame=ExplicitFrame(GFX), target=target, unit=ExplicitUnit(), pc=0
    )


def place(text: str) -> SingleLocation:
    if text.startswith("0x"):
        return SingleLocation(Memory(global_space()), 8 * int(text, 16))
    if text == "pointer":
        return SingleLocation(ImplicitPointer(DieReference(0x40), 0, global_space()))
    return SingleLocation(Register(GFX.by_name[text]))


def places(*texts: str) -> Location:
    return Location(tuple(map(place, texts)))


def test_reading_stops_at_the_first_readable_location() -> None:
    target = machine()
    data = context(target).access.read(places("s4", "s5"), 32)
    assert (data.value, target.read) == (0x01010101, ["s4"])


@pytest.mark.parametrize("others", [("pointer",), ("0x9000",), ("s9", "pointer")])
@pytest.mark.parametrize("first", [True, False])
def test_a_place_that_cannot_be_read_does_not_matter(others: tuple[str, ...], first: bool) -> None:
    names = ("s4", *others) if first else (*others, "s4")
    ctx = context(machine())
    assert ctx.access.read(places(*names), 32).value == 0x01010101
    assert ctx.access.retrieve(places(*names), 32) == 0x01010101


def test_a_location_with_missing_context_is_reported_only_if_it_is_needed() -> None:
    ctx = context(machine())
    unbound = SingleLocation(Memory(GFX.address_space(5), 0), 64)  # of no lane
    location = Location((unbound, place("s4")))
    assert ctx.access.retrieve(location, 32) == 0x01010101
    with pytest.raises(MissingContext, match="no lane"):
        ctx.access.retrieve(Location((unbound, place("s9"))), 32)


@pytest.mark.parametrize("order", [("s4", "0x9000"), ("0x9000", "s4")])
def test_writing_is_all_or_nothing(order: tuple[str, ...]) -> None:
    target = machine()
    with pytest.raises(Unavailable):
        context(target).access.write(places(*order), 32, 0xDEADBEEF)
    assert target.read_register(0, GFX.by_name["s4"]) == bytes([1] * 4)


def test_writing_through_parts_is_all_or_nothing() -> None:
    target = machine()
    ctx = context(target)
    code = assemble("regx s4; piece 4; addr 0x9000; piece 4", arch=GFX)
    location = evaluate(code, evolve(ctx, result_kind="location"))
    assert isinstance(location, Location)
    with pytest.raises(Unavailable):
        ctx.access.write(location, 64, (1 << 64) - 1)
    assert target.read_register(0, GFX.by_name["s4"]) == bytes([1] * 4)


def test_a_machine_that_refuses_midway_is_put_back() -> None:
    class Stubborn(Recorded):
        def write_memory(self, where: Memory, address: int, data: bytes) -> None:
            raise Unavailable("write protected")

    target = Stubborn(GFX)
    target.add_wave(0)
    target.set_register(0, GFX.by_name["s4"], bytes([1] * 4))
    target.set_memory(Memory(global_space()), 0x1000, bytes(8))
    with pytest.raises(Unavailable, match="write protected"):
        context(target).access.write(places("s4", "0x1000"), 32, 0xDEADBEEF)
    assert target.read_register(0, GFX.by_name["s4"]) == bytes([1] * 4)


@pytest.mark.parametrize("order", [("s4", "0x1000"), ("0x1000", "s4")])
def test_every_place_must_be_long_enough(order: tuple[str, ...]) -> None:
    with pytest.raises(OutOfRange):
        context(machine()).access.retrieve(places(*order), 64)


def test_the_remaining_size_ignores_undefined_places() -> None:
    """rbss of A.2.5.4.4.6: undefined storage has no size (A.2.5.4.4.2)."""
    assert Location((*UNDEFINED_LOCATION.single_locations, place("s4"))).remaining_bits == 32
    assert UNDEFINED_LOCATION.remaining_bits is None


def test_bits_of_an_implicit_pointer_are_marked_not_invented() -> None:
    data = context(machine()).access.read(places("pointer"), 64)
    assert (data.unavailable, data.reasons) == ((1 << 64) - 1, (NO_BITS,))


def test_a_call_into_another_unit_keeps_the_object() -> None:
    """A.2.5.4.2: the same context but for the compilation unit."""
    other = ExplicitUnit()
    callee = ExprLoc(assemble("push_object_address"), other)
    unit = ExplicitUnit(locations={0x40: callee})
    thing = places("0x1000")
    ctx = evolve(context(machine()), unit=unit, object=thing)
    assert evaluate(assemble("call_ref 0x40"), ctx) == thing


def test_a_list_of_places_reads_the_one_that_the_context_can_tell() -> None:
    unit = ExplicitUnit(locations={})
    generic = "const8u 0x2000000000010; lit1; LLVM_form_aspace_address"
    entries = tuple(
        LocationListEntry(assemble(text, arch=GFX), 0, 8) for text in ("regx s4", generic)
    )
    unit = ExplicitUnit(locations={0x40: LocList(entries, unit)})
    ctx = evolve(context(machine()), unit=unit, result_kind="value")
    value = evaluate(assemble("call_ref 0x40; deref_size 4", arch=GFX), ctx)
    assert getattr(value, "bits", None) == 0x01010101
