"""One decoded instruction."""

from __future__ import annotations

from dwarfgpu.isa.formats import Format


class Encoding:
    """One line of the tables: the bits that identify an instruction, and its name."""

    __slots__ = ("format", "mask", "mnemonic", "value")

    def __init__(self, mnemonic: str, mask: int, value: int, format: Format) -> None:
        self.mnemonic = mnemonic
        """With the suffix of the encoding: `v_add_f32_e64`."""
        self.mask = mask
        self.value = value
        self.format = format


class Instruction:
    """An instruction of a code object. Operands and text are made on demand."""

    __slots__ = ("address", "encoding", "extra", "literal", "size", "word")

    def __init__(
        self, address: int, size: int, encoding: Encoding, word: int, literal: int, extra: bytes
    ) -> None:
        self.address = address
        self.size = size
        """Bytes, with the literal and the extra address registers."""
        self.encoding = encoding
        self.word = word
        """The bits of the encoding, without literal; there may be others above them."""
        self.literal = literal
        """The dword that follows as a constant, 0 where there is none."""
        self.extra = extra
        """Numbers of the address registers that follow (NSA)."""

    @property
    def mnemonic(self) -> str:
        return self.encoding.mnemonic

    @property
    def text(self) -> str:
        """The text that `llvm-mc --disassemble` prints."""
        encoding = self.encoding
        return encoding.mnemonic + encoding.format.operand_text(self.word, self.literal, self.extra)

    @property
    def branch_target(self) -> int | None:
        """The address of a branch with an offset in the instruction."""
        form = self.encoding.format
        if form.branch is None:
            return None
        offset = (form.fields[form.branch].of(self.word) & 0xFFFF ^ 0x8000) - 0x8000
        return self.address + 4 + 4 * offset
