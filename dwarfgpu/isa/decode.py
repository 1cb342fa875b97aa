"""Find the encoding of the instruction that begins with given bytes; `formats` then takes its
fields out of the bits.

Every encoding has fixed bits in its first dword. A tree that branches on bits which all remaining
encodings fix leaves few of them to compare. Longer encodings are tried before shorter
ones, those with more fixed bits before those with fewer; a word with meaningless operands is
undefined.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from dwarfgpu.isa.instruction import Encoding, Instruction
from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.tables import encodings, is_complete, isa_target

_LEAF: Final = 2
_SOURCE_BITS: Final = 50, 41, 32
"""The fields `src2`, `src1` and `src0` of VOP3, 9 bits each."""
_ZERO: Final = 128
"""The constant 0 as a source."""
_DWORD: Final = 0xFFFFFFFF


class _Node:
    """Candidates of some words: those of one dword pattern, or a branch over its fixed bits."""

    __slots__ = ("bits", "branches", "candidates")

    def __init__(self, candidates: list[Encoding], used: int) -> None:
        self.candidates = candidates
        self.branches: dict[int, _Node] = {}
        bits = _DWORD & ~used
        for encoding in candidates:
            bits &= encoding.mask
        self.bits = bits if len(candidates) > _LEAF else 0
        if self.bits:
            groups: dict[int, list[Encoding]] = {}
            for encoding in candidates:
                groups.setdefault(encoding.value & bits, []).append(encoding)
            self.branches = {key: _Node(group, used | bits) for key, group in groups.items()}


class Decoder:
    """Decodes the instructions of one target."""

    def __init__(self, target: IsaTarget, *, as_llvm_19: bool = False) -> None:
        """`as_llvm_19`: whether encodings of later compilers are undefined, as for LLVM 19."""
        self.target = target
        self.is_complete = as_llvm_19 or is_complete(target)
        """Whether the tables have all instructions of the processor."""
        self._most = target.most_bytes
        self._most_with_literal = self._most if "vop3_literal" in target.features else 8
        ordered = sorted(
            encodings(target, as_llvm_19=as_llvm_19),
            key=lambda item: (-item.format.size, item.format.stage, -item.mask.bit_count()),
        )
        self.encodings = ordered
        self._root = _Node(ordered, 0)
        self._prefixes = frozenset((0b110011, 0b110101) if target.generation >= 10 else (0b110100,))
        """The first bits of VOP3 and VOP3P. A source that an instruction has not is the constant 0
        there, as compilers after LLVM 19 have it; the hardware ignores the field."""
        self._as_llvm_19 = as_llvm_19

    def decode(
        self, code: bytes | memoryview, offset: int = 0, address: int = 0
    ) -> Instruction | None:
        """Return the instruction at an offset; None if the bytes are not an instruction.

        `address` is that of the instruction.
        """
        window = bytes(code[offset : offset + self._most])
        word = int.from_bytes(window, "little")
        instruction = self._decode(window, word, address)
        if instruction is not None or self._as_llvm_19 or word >> 26 & 63 not in self._prefixes:
            return instruction
        unused = 0
        for bit in _SOURCE_BITS:
            if word >> bit & 0x1FF != _ZERO:
                return None
            unused |= 0x1FF << bit
            instruction = self._decode(window, word & ~unused, address)
            if instruction is not None and instruction.encoding.mask & unused == unused:
                return instruction
        return None

    def _decode(self, window: bytes, word: int, address: int) -> Instruction | None:
        available = len(window)
        node = self._root
        while node.bits:
            branch = node.branches.get(word & node.bits)
            if branch is None:
                return None
            node = branch
        failed: tuple[int, int] | None = None
        for encoding in node.candidates:
            if word & encoding.mask != encoding.value:
                continue
            form = encoding.format
            size = form.size
            if size > available or failed == (size, form.stage):
                continue
            state = form.literal_state(word)
            if state == 1:
                if size + 4 <= min(available, self._most_with_literal):
                    literal = word >> 8 * size & _DWORD
                    return Instruction(address, size + 4, encoding, word, literal, b"")
                state = 2
            if state == 2:
                failed = size, form.stage
                continue
            if form.extra_bytes:
                if size + form.extra_bytes > available:
                    return None
                extra = window[size : size + form.extra_bytes]
                if not form.has_registers(extra):
                    return None
                return Instruction(address, size + len(extra), encoding, word, 0, extra)
            return Instruction(address, size, encoding, word, 0, b"")
        return None

    def unknown_size(self, code: bytes | memoryview, offset: int = 0) -> int | None:
        """Return the bytes of what may be an instruction that the tables lack, at an offset where
        `decode` returns None; None if no instruction begins like that."""
        if self.is_complete:
            return None
        from dwarfgpu.isa.unknown_instructions import size_of_unknown  # few are so

        word = int.from_bytes(code[offset : offset + 8], "little")
        return size_of_unknown(word, self.target.generation)

    def instructions(
        self, code: bytes | memoryview, address: int = 0
    ) -> Iterator[Instruction | None]:
        """Yield the instructions of a piece of code; None for each that is unknown and for each
        dword that is not an instruction."""
        offset = 0
        while offset < len(code):
            instruction = self.decode(code, offset, address + offset)
            yield instruction
            offset += instruction.size if instruction else self.unknown_size(code, offset) or 4


@cache
def decoder(name: str, wave_size: int | None = None) -> Decoder:
    """Return the decoder of a processor; errors are those of `isa_target`."""
    return Decoder(isa_target(name, wave_size))
