"""The instructions with which functions of x86-64 and i386 set up the frame pointer, and with which
they end (System V ABI, "The Stack Frame"; Intel SDM, volume 2).

Law: only what compilers write at the beginning of a function is recognized; on i386, what GDB
recognizes. Nothing is claimed of a function that begins in another way.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from dwarfgpu.arch.abi import Prologue
from dwarfgpu.base.records import evolve, frozen

_RESTORING: Final = (b"\xc9", b"\x5d")
"""`leave`, and `pop` of the frame pointer."""
_RETURNS: Final = re.compile(
    rb"(?:[\x40-\x4f]?\x31[\xc0-\xff]"  # xor
    rb"|\x66[\x40-\x4f]?\x0f\xef[\xc0-\xff]"  # pxor
    rb"|[\x40-\x4f]?\x0f\x57[\xc0-\xff]"  # xorps
    rb"|\xd9\xee|\xdd\xd8)*"  # fldz, fstp %st(0)
    rb"[\xf2\xf3]?[\xc2\xc3]",
    re.DOTALL,
)
"""`ret` and `ret N`, with prefixes that processors ignore or without, also behind instructions that
clear registers (`-fzero-call-used-regs`)."""
MOST_RETURN_BYTES: Final = 128
"""All that such a compiler clears, and `ret`."""
MOST_CALL_BYTES: Final = 7
"""`call *disp32(base,index,scale)`, without a prefix before it."""


Code: TypeAlias = Callable[[int, int], bytes]
"""Returns the code from an offset in a function on, at most so long; less where that is not
known."""
_MOST_BYTES: Final = 512
"""Read at once, for instructions that may be repeated."""
_ENTER: Final = b"\xc8"
_ENTER_BYTES: Final = 4
_PUSHES: Final = bytes(range(0x50, 0x58))
"""The instructions that push a register, of one byte each."""
_MOST_PUSHES: Final = 8
_LEA: Final = b"\x8d"
_ADJUSTMENTS: Final = ((b"\x83\xec", 3), (b"\x81\xec", 6), (_LEA + b"\x64\x24", 4))
"""The opcodes of `sub $N,%esp` and `lea -N(%esp),%esp`, with the bytes of the instruction."""
_NOPS: Final = re.compile(rb"(?:\x90|\x8b\xff)*")
"""`nop`, and `mov %edi,%edi` in one of its encodings."""
_JUMP: Final = re.compile(rb"\x66?\xeb.|\x66\xe9..|\xe9.{4}", re.DOTALL)
"""`jmp` to an offset of 8, 16 or 32 bits."""
_STRUCTURE: Final = re.compile(rb"\x58\x87(?:\x04\x24|\x44\x24\x00)")
"""`pop %eax; xchg %eax,0(%esp)`: takes the address of a structure to be returned."""
_PROBE: Final = re.compile(rb"(?:\x6a.|\x68.{4})\xe8.{4}\x83\xc4\x04", re.DOTALL)
"""`push $N; call _probe; add $4,%esp`."""
_SCHEDULED: Final = re.compile(
    rb"(?:[\xb0-\xb2\xb4-\xb6]."  # mov $N,%al, %cl, %dl, %ah, %ch, %dh
    rb"|[\xb8-\xba\xa1].{4}"  # mov $N,%eax, %ecx, %edx; mov N,%eax
    rb"|\x89[\x05\x0d\x15].{4}"  # mov %eax, %ecx, %edx,N
    rb"|[\x29\x2b\x31\x33][\xc0\xc9\xd2])*",  # sub, xor: clear %eax, %ecx, %edx
    re.DOTALL,
)
"""What compilers move between the instructions that save the frame pointer and set it."""
_CODE_ADDRESS: Final = re.compile(
    rb"\xe8\0{4}\x5b"  # call to the next instruction; pop %ebx
    rb"(?:\x89\x5d.|\x89\x9d.{4})?"  # mov %ebx,N(%ebp)
    rb"\x81\xc3.{4}",  # add $N,%ebx
    re.DOTALL,
)
"""Position-independent code sets its base register."""


_MOST_ALIGNMENT_BYTES: Final = 18
_REGISTERS: Final = ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di")
"""By their numbers in instructions."""


@lru_cache(maxsize=2)
def _alignment(is_of_i386: bool) -> re.Pattern[bytes]:
    """Return the pattern of instructions that keep the stack pointer in a register, align the stack
    and push the return address again. Its group has the name of the register, and ends before the
    stack is aligned.

    `lea 4(%esp),%ecx; and $-16,%esp; push -4(%ecx)`, with any such register and number, or first
    `push %edi; lea 8(%esp),%edi`; the same of 64 bits on x86-64.
    """
    word_bytes = 4 if is_of_i386 else 8
    names = [("e" if is_of_i386 else "r") + name for name in _REGISTERS]
    names += [] if is_of_i386 else [f"r{number}" for number in range(8, 16)]
    wide = b"" if is_of_i386 else b"\x48"  # REX.W
    aligning = wide + rb"(?:\x83\xe4.|\x81\xe4.{4})"
    ways = []
    for number, name in enumerate(names):
        low, is_extended = number & 7, number >= len(_REGISTERS)
        if low == 4 or name.endswith("bp"):
            continue  # the stack pointer, r12 (which push encodes otherwise), the frame pointer
        lea = (b"\x4c" if is_extended else wide) + bytes((0x8D, 0x44 | low << 3, 0x24))
        extension = b"\x41" * is_extended  # REX.B
        saved = extension + bytes((0x50 | low,)) + lea + bytes((2 * word_bytes,))
        again = extension + bytes((0xFF, 0x70 | low, 0x100 - word_bytes))
        kept = re.escape(lea + bytes((word_bytes,))) + b"|" + re.escape(saved)
        ways.append(b"(?P<%b>%b)%b%b" % (name.encode(), kept, aligning, re.escape(again)))
    return re.compile(b"|".join(ways), re.DOTALL)


@frozen
class Head:
    """What sets the frame pointer at the begin of a function, by offsets in it."""

    _prologue: Prologue
    _code: Code
    begin: int
    """Where it begins, behind what may precede it: perhaps where a jump leads."""
    takes_structure: bool
    """Whether an argument has been taken off the stack before it."""
    alignment: re.Match[bytes] | None
    """The instructions that align the stack, which come first (`_alignment`)."""
    setting: int | None = None
    """Its last instruction, which sets the frame pointer; None: the function begins otherwise."""
    end: int | None = None
    """Behind that."""

    @property
    def _push(self) -> int:
        """Where the frame pointer of the caller is saved."""
        return self.begin + _match_bytes(self.alignment)

    @property
    def body(self) -> int:
        """The offset behind these instructions, and those behind them that GDB counts; 0 if the
        function begins otherwise, or then frees room."""
        if self.end is None or self._frees_room:
            return 0
        if not self._prologue.is_of_i386:
            return self.end
        behind = self._code(self.end, _MOST_BYTES)
        adjustment = 0 if self.setting == self._push else _adjustment_bytes(behind)
        saves = behind[adjustment : adjustment + _MOST_PUSHES]
        size = adjustment + len(saves) - len(saves.lstrip(_PUSHES))
        body = self.end + _behind(_CODE_ADDRESS, behind, size)
        return _jumped(self._code, body) if _jumped(self._code, 0) else body

    def is_set(self, executed_bytes: int) -> bool:
        """Return whether GDB takes the frame pointer to be set, once so much of the function has
        executed."""
        if self.setting is None or self.end is None or executed_bytes <= self.setting:
            return False
        return executed_bytes <= self.end or not self._frees_room

    def has_frame(self, executed_bytes: int, following: bytes | None) -> bool:
        """Return whether the frame pointer is that of the function, once so much has executed.

        `following`: the code from there on, where the function may have restored the frame pointer;
        None if it waits for a function that it has called.
        """
        if self.begin < 0 or self.end is None or self.end > executed_bytes:
            return False
        if self.alignment is not None or self.takes_structure:
            return False  # the caller's stack pointer is not where it is otherwise
        if following is None:
            return True
        last = self._code(executed_bytes - 1, 1)
        return last not in _RESTORING and _RETURNS.match(following) is None

    def pushes(self, executed_bytes: int) -> int:
        """Return how many registers the executed instructions save by pushing."""
        push = self._prologue.push
        executed = self._executed(self._push, executed_bytes)
        if not self._prologue.is_of_i386:
            return int(executed.startswith(push))
        count = 0
        if executed.startswith(push):
            executed, count = executed.removeprefix(push), 1
            if self.end is not None and executed_bytes > self.end:
                executed = self._executed(self.end, executed_bytes)
                executed = executed[_adjustment_bytes(executed) :]
        executed = executed[:_MOST_PUSHES]
        return count + len(executed) - len(executed.lstrip(_PUSHES))

    def _executed(self, offset: int, executed_bytes: int) -> bytes:
        return self._code(offset, max(min(executed_bytes - offset, _MOST_BYTES), 0))

    def kept(self, executed_bytes: int) -> str | None:
        """Return the name of the register with the stack pointer from before the alignment; None
        until the stack is aligned."""
        match = self.alignment
        if match is None or executed_bytes <= self.begin + match.end(match.lastindex or 0):
            return None
        return match.lastgroup

    @property
    def _frees_room(self) -> bool:
        """Whether the stack pointer is raised behind the setting of the frame pointer."""
        is_entered = self.setting == self._push
        if not self._prologue.is_of_i386 or self.end is None or is_entered:
            return False
        behind = self._code(self.end, max(size for _, size in _ADJUSTMENTS))
        for opcode, size in _ADJUSTMENTS:
            if behind.startswith(opcode):
                number = int.from_bytes(behind[len(opcode) : size], "little", signed=True)
                return number > 0 if opcode.startswith(_LEA) else number < 0
        return False


def head_of(prologue: Prologue, code: Code) -> Head:
    """Return what sets the frame pointer at the begin of a function."""
    begin, takes_structure = _begin_of(prologue, code)
    first = code(begin, _MOST_ALIGNMENT_BYTES)
    alignment = _alignment(prologue.is_of_i386).match(first)
    head = Head(prologue, code, begin, takes_structure, alignment)
    push = begin + _match_bytes(alignment)
    rest = code(push, _MOST_BYTES)
    if prologue.is_of_i386 and rest.startswith(_ENTER):
        return evolve(head, setting=push, end=push + _ENTER_BYTES)
    if not rest.startswith(prologue.push):
        return head
    offset = len(prologue.push)
    if prologue.is_of_i386:
        offset = _behind(_SCHEDULED, rest, offset)
    move = next((known for known in prologue.moves if rest.startswith(known, offset)), None)
    if move is None:
        return head
    return evolve(head, setting=push + offset, end=push + offset + len(move))


def _begin_of(prologue: Prologue, code: Code) -> tuple[int, bool]:
    """Return what is behind the instructions that may come first, and whether these take a
    structure."""
    first = code(0, _MOST_BYTES)
    begin = len(prologue.landing) if first.startswith(prologue.landing) else 0
    if not prologue.is_of_i386:
        return begin, False
    begin = _jumped(code, _behind(_NOPS, first, begin))
    first = code(begin, _MOST_BYTES)
    structure = _behind(_STRUCTURE, first, 0)
    return begin + _behind(_PROBE, first, structure), structure > 0


def _match_bytes(match: re.Match[bytes] | None) -> int:
    return 0 if match is None else match.end()


def _behind(what: re.Pattern[bytes], code: bytes, offset: int) -> int:
    """Return the offset behind instructions; that of their begin if they are others."""
    match = what.match(code, offset)
    return offset if match is None else match.end()


def _jumped(code: Code, offset: int) -> int:
    """Return where a jump at an offset leads; the offset itself if no jump is there."""
    jump = code(offset, 6)
    if _JUMP.match(jump) is None:
        return offset
    prefix_bytes = int(jump.startswith(b"\x66"))
    opcode = jump[prefix_bytes]
    size = 1 if opcode == 0xEB else 2 if prefix_bytes else 4
    behind = prefix_bytes + 1 + size
    distance = int.from_bytes(jump[prefix_bytes + 1 : behind], "little", signed=True)
    return offset + behind + distance


def _adjustment_bytes(code: bytes) -> int:
    """Return the bytes of an instruction at the begin of code that makes room for variables."""
    return next((size for opcode, size in _ADJUSTMENTS if code.startswith(opcode)), 0)


def follows_call(code: bytes) -> bool:
    """Return whether code may end with a call: `call rel32`, or `call` through a register or
    memory (opcode FF /2)."""
    if code[-5:-4] == b"\xe8":
        return True
    return any(
        code[-size] == 0xFF and code[1 - size] & 0x38 == 0x10
        for size in range(2, min(len(code), MOST_CALL_BYTES) + 1)
    )
