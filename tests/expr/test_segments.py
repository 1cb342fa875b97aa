"""Which addresses of a code object the load address is added to (`dwarfgpu.expr.segments`)."""

from __future__ import annotations

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.dialect.dialect import dialect
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.explicit_context import ExplicitFrame, ExplicitUnit
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Implicit, Memory

GFX = architecture("gfx942")
OFFSET = 0x28
"""The address, in the operation or in `.debug_addr`."""
LOADED = 0x7F00_8000_1000
"""Where the code object is loaded: also bits 31 and 12, which are part of an address of 32 bits."""


def place(text: str, load_bias: int, name: str = "amd") -> tuple[int, int]:
    """Address space and byte address of the location that operations in a dialect give."""
    unit = ExplicitUnit(dialect=dialect(name), addresses={3: OFFSET}, load_bias=load_bias)
    context = Context(
        architecture=GFX,
        wave=0,
        lane=5,
        frame=ExplicitFrame(GFX),
        unit=unit,
        result_kind="location",
    )
    location = evaluate(assemble(text, unit.dialect, arch=GFX), context)
    assert isinstance(location, Location)
    storage, address = (
        location.single_locations[0].storage,
        location.single_locations[0].byte_address,
    )
    assert isinstance(storage, Memory) and address is not None
    return storage.space.number, address


@pytest.mark.parametrize("address", [f"addr {OFFSET:#x}", "addrx 3", "GNU_addr_index 3"])
@pytest.mark.parametrize("load_bias", [0, LOADED])
@pytest.mark.parametrize(
    ("name", "suffix", "space", "is_loaded"),
    [
        ("amd", "", 0, True),
        ("amd", "lit0; LLVM_form_aspace_address", 0, True),
        ("amd", "lit1; LLVM_form_aspace_address", 1, True),
        ("amd", "lit2; LLVM_form_aspace_address", 2, False),
        ("amd", "lit3; LLVM_form_aspace_address", 3, False),
        ("amd", "lit5; LLVM_form_aspace_address", 5, False),
        ("amd", "lit6; LLVM_form_aspace_address", 6, False),
        ("amd", "const1u 3; LLVM_form_aspace_address", 3, False),
        ("amd", "const4s 3; LLVM_form_aspace_address", 3, False),
        ("amd", "constu 3; LLVM_form_aspace_address", 3, False),
        ("amd-direct", "lit3; LLVM_form_aspace_address", 3, False),
        ("amd-2020", "lit3; LLVM_form_aspace_address", 3, False),
        ("upstream-clang", "", 0, True),
        ("upstream-clang", "lit1; swap; xderef", 5, False),  # clang up to LLVM 21
        ("upstream-clang", "lit2; swap; xderef", 3, False),
        ("upstream-clang", "lit5; swap; xderef", 5, False),  # clang from LLVM 22 on
        ("upstream-clang", "lit3; swap; xderef", 3, False),
        ("upstream-clang", "lit0; LLVM_form_aspace_address", 0, True),
        ("upstream-clang", "lit1; LLVM_form_aspace_address", 1, True),
        ("upstream-clang", "lit3; LLVM_form_aspace_address", 3, False),
    ],
)
def test_the_load_address_moves_what_is_loaded(
    address: str, load_bias: int, name: str, suffix: str, space: int, is_loaded: bool
) -> None:
    result = place(f"{address}; {suffix}" if suffix else address, load_bias, name)
    assert result == (space, OFFSET + (load_bias if is_loaded else 0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}; plus_uconst 8; lit3; LLVM_form_aspace_address", OFFSET + 8),
        ("{}; lit8; plus; lit3; LLVM_form_aspace_address", OFFSET + 8),
        ("lit8; {}; plus; lit3; LLVM_form_aspace_address", OFFSET + 8),
        ("{}; lit8; minus; lit3; LLVM_form_aspace_address", OFFSET - 8),
        ("{}; LLVM_offset_uconst 8; lit3; LLVM_form_aspace_address", OFFSET + 8),
        ("{}; lit8; LLVM_offset; lit3; LLVM_form_aspace_address", OFFSET + 8),
        ("lit3; {}; swap; LLVM_form_aspace_address", OFFSET),
        ("{}; dup; drop; lit3; LLVM_form_aspace_address", OFFSET),
        ("{}; lit3; over; swap; LLVM_form_aspace_address", OFFSET),
        ("lit3; lit7; {}; rot; drop; LLVM_form_aspace_address", OFFSET),
        ("lit3; lit9; {}; drop; drop; {}; swap; LLVM_form_aspace_address", OFFSET),
    ],
)
@pytest.mark.parametrize("address", [f"addr {OFFSET:#x}", "addrx 3"])
def test_an_offset_that_is_computed_with(text: str, address: str, expected: int) -> None:
    spelled = text.format(address, address)
    assert place(spelled, LOADED) == place(spelled, 0) == (3, expected)


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_an_offset_as_a_value(number: int) -> None:
    """Before a final stack_value the suffix of upstream clang only says what is pointed to."""
    text = f"addr {OFFSET:#x}; lit{number}; swap; xderef; stack_value"
    unit = ExplicitUnit(dialect=dialect("upstream-clang"), load_bias=LOADED)
    context = Context(architecture=GFX, frame=ExplicitFrame(GFX), unit=unit, result_kind="location")
    location = evaluate(assemble(text, unit.dialect, arch=GFX), context)
    assert isinstance(location, Location)
    storage = location.single_locations[0].storage
    assert isinstance(storage, Implicit) and storage.bits == OFFSET


def test_an_address_that_is_loaded_stays_so_beside_an_offset() -> None:
    text = f"addr 0x28; lit3; LLVM_form_aspace_address; drop; addr {OFFSET:#x}"
    assert place(text, LOADED) == (0, OFFSET + LOADED)


@pytest.mark.parametrize(
    "text",
    [
        f"addr {OFFSET:#x}; lit1; bra 0; lit3; LLVM_form_aspace_address",
        f"addr {OFFSET:#x}; lit1; lit2; plus; LLVM_form_aspace_address",
    ],
)
def test_what_is_not_certain_is_read_by_the_letter(text: str) -> None:
    assert place(text, LOADED) == (3, OFFSET + LOADED & 0xFFFFFFFF)
