"""What of a buffer instructions access, by its descriptor: the table "Buffer Out Of Bounds
Selection" of the RDNA3.5 ISA (9.4.1), and the rules of GFX8 and GFX9 as Mesa has them
(`si_make_buffer_descriptor`)."""

from __future__ import annotations

import re
from random import Random
from typing import get_args

import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.isa.instruction import Encoding
from dwarfgpu.machine.simulated.execution.interpreter import Executor
from tests.machine.simulated import programs, vectors

BUFFER, SIZE = 0x30000, 4096
TARGETS = ("gfx803", "gfx900", "gfx942", "gfx1030", "gfx1100", "gfx1200")
NAMES = {
    1: ("dword", "b32"), 2: ("dwordx2", "b64"), 4: ("dwordx4", "b128"),
}  # fmt: skip


def encoding_of(target: str, verb: str, dwords: int, kind: str) -> Encoding:
    """`kind`: offset, offen, idxen or bothen."""
    wanted = {"offset": set(), "offen": {"offen"}, "idxen": {"idxen"}, "bothen": {"idxen", "offen"}}
    for item in decoder(target).encodings:
        words = set(re.findall("idxen|offen", item.format.syntax))
        names = {f"buffer_{verb}_{name}" for name in NAMES[dwords]}
        if (
            item.mnemonic in names
            and words == wanted[kind]
            and not item.format.syntax.endswith(("lds", "tfe"))
        ):
            return item
    raise LookupError(target, verb, dwords, kind)


def is_in_range(
    generation: int, stride: int, records: int, select: int, index: int, offset: int, scalar: int,
    kind: str,
) -> bool:  # fmt: skip
    """Of one dword of a buffer that is not swizzled."""
    if generation == 8:
        return index * stride + offset < records - scalar
    if generation == 9:
        if stride and kind in ("idxen", "bothen"):
            return index < records
        return index * stride + offset < records - scalar
    size = 4 if generation >= 11 else 1
    if select == 0:
        return not (index >= records or offset + size > stride)
    if select == 1:
        return index < records
    if select == 2:
        return records != 0
    return offset + size <= max(records - scalar, 0)


@pytest.mark.parametrize("verb", ["load", "store"])
@pytest.mark.parametrize("target", TARGETS)
def test_dwords_in_the_range(target: str, verb: str) -> None:
    """Each of several dwords is checked on its own: 0 is read elsewhere, and nothing written."""
    rng = Random(target + verb)
    machine_decoder = decoder(target)
    lanes, generation = machine_decoder.target.wave_size, machine_decoder.target.generation
    before = bytes(rng.randrange(1, 256) for _ in range(SIZE))
    for number in range(60):
        dwords, kind = rng.choice((1, 2, 4)), rng.choice(("offset", "offen", "idxen", "bothen"))
        stride, records = rng.choice((0, 0, 16, 24)), rng.choice((0, 5, 8, 40, 64, 100))
        select, scalar, immediate = rng.randrange(4), rng.choice((0, 8)), 4 * rng.randrange(3)
        encoding = encoding_of(target, verb, dwords, kind)
        data = "vdst" if "vdst" in encoding.format.index else "vdata"
        fields = {data: 8, "srsrc": 8, "soffset": 20, "offset": immediate}
        if kind != "offset":
            fields["vaddr"] = 2
        code = programs.placed(encoding, fields).to_bytes(encoding.format.size, "little")
        code += programs.encoded(machine_decoder, "s_endpgm")
        running = vectors.machine(code, lanes, target, lanes)
        running.executor = rng.choice(get_args(Executor))
        running.global_memory.write(BUFFER, before)
        [wave] = running.waves
        wave.s[8:12] = [BUFFER, stride << 16, records, select << 28]
        wave.s[20] = scalar
        indices = [rng.randrange(12) if kind in ("idxen", "bothen") else 0 for _ in range(lanes)]
        offsets = [4 * rng.randrange(24) if kind in ("offen", "bothen") else 0] * lanes
        given = [indices] * (kind in ("idxen", "bothen")) + [offsets] * (
            kind in ("offen", "bothen")
        )
        for register, values in enumerate(given):
            wave.v[2 + register][:] = values
        for dword in range(dwords):
            wave.v[8 + dword][:] = 1000 * (dword + 1) + wave.lane
        stopped = running.run()
        assert stopped is None, stopped
        expected = bytearray(before)
        for lane in range(lanes):
            for dword in range(dwords):
                offset = offsets[lane] + immediate + 4 * dword
                at = indices[lane] * stride + offset + scalar
                valid = is_in_range(
                    generation, stride, records, select, indices[lane], offset, scalar, kind
                )
                text = f"{number}: {code.hex()} lane {lane} dword {dword}"
                if verb == "load":
                    value = int.from_bytes(before[at : at + 4], "little") if valid else 0
                    assert running.waves[0].v[8 + dword][lane] == value, text
                elif valid:
                    expected[at : at + 4] = (1000 * (dword + 1) + lane).to_bytes(4, "little")
        if verb == "store" and len(set(zip(indices, offsets, strict=True))) == lanes:
            assert running.global_memory.read(BUFFER, SIZE) == bytes(expected), number


@pytest.mark.parametrize(("enable", "element"), [(1, 4), (3, 16)])
@pytest.mark.parametrize("target", ["gfx1100", "gfx1200"])
def test_elements_of_a_swizzled_buffer(target: str, enable: int, element: int) -> None:
    """GFX11 has two bits of swizzle_enable (9.4.2): records of 32 bytes, eight indices together."""
    encoding, machine_decoder = encoding_of(target, "load", 1, "bothen"), decoder(target)
    data = "vdst" if "vdst" in encoding.format.index else "vdata"
    null = 124 if target == "gfx1200" else 128  # no soffset
    fields = {data: 8, "srsrc": 8, "soffset": null, "offset": 4, "vaddr": 2}
    code = programs.placed(encoding, fields).to_bytes(encoding.format.size, "little")
    lanes = machine_decoder.target.wave_size
    running = vectors.machine(code, lanes, target, lanes)
    numbers = list(range(1000, 1000 + SIZE // 4))
    running.global_memory.write(BUFFER, b"".join(n.to_bytes(4, "little") for n in numbers))
    [wave] = running.waves
    wave.s[8:12] = [BUFFER, 32 << 16 | enable << 30, 1000, 2 << 28]
    wave.v[2][:], wave.v[3][:] = wave.lane, 4 * (wave.lane % 7)
    assert running.run(most=1) is None
    for lane in range(lanes):
        offset = 4 * (lane % 7) + 4
        part = lane // 8 * 32 + offset // element * element
        assert wave.v[8][lane] == numbers[(part * 8 + lane % 8 * element + offset % element) // 4]
