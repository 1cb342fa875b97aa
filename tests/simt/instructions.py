"""The few instructions of `fixtures/asm/nested_if_code.inc`, run from their bytes.

It knows nothing of debugging information. Encodings are those of AMD's instruction set manuals for
CDNA 3 (gfx942, 64 lanes) and RDNA 3 (gfx1100, 32 lanes); any other instruction is refused.
"""

from __future__ import annotations

from dwarfgpu.base.records import define, field

EXEC, VCC = 126, 106
"""Operands that are these masks; of 64 lanes with the next one as the high half."""

_CDNA = {
    ("sop1", 0x01): "move", ("sop2", 0x0D): "and", ("sop2", 0x13): "andn2",
    ("vop2", 0x34): "add", ("vopc", 0xCD): "not_equal",
    ("vop3", 0x28A): "writelane", ("vop3", 0x289): "readlane",
    ("flat", 0x1C): "store", ("flat", 0x14): "load",
    ("sopk", 0x15): "call", ("sop1", 0x1D): "return",
}  # fmt: skip
_RDNA = {
    ("sop1", 0x00): "move", ("sop2", 0x16): "and", ("sop2", 0x22): "andn2",
    ("vop2", 0x25): "add", ("vopc", 0x4D): "not_equal",
    ("vop3", 0x361): "writelane", ("vop3", 0x360): "readlane",
    ("flat", 0x1A): "store", ("flat", 0x14): "load",
    ("sopk", 0x14): "call", ("sop1", 0x48): "return",
}  # fmt: skip
_SOPP = 0xBF800000 >> 23
_WAIT = {64: 0x0C, 32: 0x09}
_END = {64: 0x01, 32: 0x30}


@define
class Wave:
    """A wave, and the code that it runs."""

    lanes: int
    pc: int
    code: bytes
    base: int
    """Address of `code`."""
    vgprs: dict[int, list[int]]
    sgprs: dict[int, int] = field(factory=dict)
    """With EXEC and VCC as the operands that they are."""
    scratch: dict[int, int] = field(factory=dict)
    """Dwords by their address in private_wave memory."""
    has_ended: bool = False

    def mask(self, register: int) -> int:
        """The mask in a scalar operand: one for each 32 lanes."""
        if register in range(128, 193):
            return register - 128
        if register in range(193, 209):
            return 192 - register & (1 << self.lanes) - 1
        high = self.sgprs[register + 1] << 32 if self.lanes == 64 else 0
        return self.sgprs[register] | high

    def set_mask(self, register: int, mask: int) -> None:
        self.sgprs[register] = mask & 0xFFFFFFFF
        if self.lanes == 64:
            self.sgprs[register + 1] = mask >> 32

    @property
    def exec(self) -> int:
        return self.mask(EXEC)

    def active(self) -> list[int]:
        return [lane for lane in range(self.lanes) if self.exec >> lane & 1]

    def step(self) -> None:
        """Run the instruction at `pc`."""
        word, second = (self._word(self.pc + at) for at in (0, 4))
        kind, operation = self._decode(word)
        name = (_CDNA if self.lanes == 64 else _RDNA).get((kind, operation), kind)
        target, low, high = word >> 16 & 0x7F, word & 0xFF, word >> 8 & 0xFF
        vector, left = word >> 17 & 0xFF, word >> 9 & 0xFF
        self.pc += 8 if kind in ("vop3", "flat") else 4
        match name:
            case "move":
                self.set_mask(target, self.mask(low))
            case "and":
                self.set_mask(target, self.mask(low) & self.mask(high))
            case "andn2":
                self.set_mask(target, self.mask(low) & ~self.mask(high))
            case "call":
                self.sgprs[target], self.sgprs[target + 1] = self.pc, 0
                self.pc += 4 * (word & 0xFFFF)
            case "return":
                self.pc = self.sgprs[low] | self.sgprs[low + 1] << 32
            case "vmove":
                for lane in self.active():
                    self._vector(vector)[lane] = self._source(word & 0x1FF, lane)
            case "add":
                for lane in self.active():
                    value = self._source(word & 0x1FF, lane) + self._vector(left)[lane]
                    self._vector(vector)[lane] = value & 0xFFFFFFFF
            case "not_equal":
                lanes = self.active()
                result = [n for n in lanes if self._source(word & 0x1FF, n) != self.vgprs[left][n]]
                self.set_mask(VCC, sum(1 << lane for lane in result))
            case "writelane":
                self._vector(low)[(second >> 9 & 0x1FF) - 128] = self.sgprs[second & 0x1FF]
            case "readlane":
                from_vector = self._vector((second & 0x1FF) - 256)
                self.sgprs[low] = from_vector[(second >> 9 & 0x1FF) - 128]
            case "store":
                for lane in self.active():
                    self.scratch[self._slot(word, lane)] = self._vector(second >> 8 & 0xFF)[lane]
            case "load":
                for lane in self.active():
                    self._vector(second >> 24)[lane] = self.scratch[self._slot(word, lane)]
            case "sopp" if operation == _END[self.lanes]:
                self.pc -= 4
                self.has_ended = True
            case "sopp" if operation == _WAIT[self.lanes]:
                pass
            case _:
                raise AssertionError(f"instruction {word:08x} {second:08x} ({kind} {operation:#x})")

    def _word(self, address: int) -> int:
        at = address - self.base
        return int.from_bytes(self.code[at : at + 4], "little")

    def _decode(self, word: int) -> tuple[str, int]:
        """The format of an instruction, and its operation in it."""
        if word >> 26 == 0x37:
            return "flat", word >> 18 & 0x7F
        if word >> 26 in (0x34, 0x35):
            return "vop3", word >> 16 & 0x3FF
        if word >> 25 == 0x3F:
            return ("vmove", 0) if word >> 9 & 0xFF == 1 else ("vop1", word >> 9 & 0xFF)
        if word >> 25 == 0x3E:
            return "vopc", word >> 17 & 0xFF
        if word >> 31 == 0:
            return "vop2", word >> 25
        if word >> 23 == _SOPP:
            return "sopp", word >> 16 & 0x7F
        if word >> 28 == 0xB and word >> 23 < 0xBE800000 >> 23:
            return "sopk", word >> 23 & 0x1F
        if word >> 23 == 0xBE800000 >> 23:
            return "sop1", word >> 8 & 0xFF
        return "sop2", word >> 23 & 0x7F

    def _source(self, operand: int, lane: int) -> int:
        if operand >= 256:
            return self._vector(operand - 256)[lane]
        assert 128 <= operand <= 192
        return operand - 128

    def _vector(self, number: int) -> list[int]:
        return self.vgprs.setdefault(number, [0xDEAD0000 + number] * self.lanes)

    def _slot(self, word: int, lane: int) -> int:
        """The dwords of the lanes lie side by side ("Flat Scratch", swizzled by dwords)."""
        return (word & 0x1FFF) * self.lanes + 4 * lane
