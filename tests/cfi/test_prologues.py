"""Functions of CPUs without call frame information: the prologue that sets the frame pointer says
where the caller is, as in GDB."""

from __future__ import annotations

import json
import struct
from collections.abc import Container
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.arch.x86_prologue import follows_call
from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import Unavailable
from dwarfgpu.expr.context import Context
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.session.cfi_frames import call_stack_of
from tests.cfi.test_unwind import walked
from tests.cli.command import run
from tests.dwarf.builder import Content, elf
from tests.machine.cores import I386, X86_64

PUSH, LEAVE, RET, NOP = b"\x55", b"\xc9", b"\xc3", b"\x90"
CALL = b"\xe8" + bytes(4)
MOVES = {"x86_64": b"\x48\x89\xe5", "i386": b"\x89\xe5"}
OTHER_MOVES = {"x86_64": b"\x48\x8b\xec", "i386": b"\x8b\xec"}
LANDINGS = {"x86_64": b"\xf3\x0f\x1e\xfa", "i386": b"\xf3\x0f\x1e\xfb"}
FIRST = 0x1000
STACK = 0x7000


class Program:
    """Functions without call frame information, one after the other."""

    def __init__(
        self, arch: str, *functions: tuple[str, bytes], labels: Container[str] = ()
    ) -> None:
        """`labels`: names of those whose symbols have no type, as in assembler code."""
        self.arch = arch
        self.starts: dict[str, int] = {}
        names, code = b"\0", b""
        rows = [(0, 0, 0, 0, 0, 0)]
        for name, body in functions:
            self.starts[name] = FIRST + len(code)
            info, size_bytes = (0, 0) if name in labels else (0x12, len(body))
            rows.append((len(names), info, 0, 1, FIRST + len(code), size_bytes))
            names += name.encode() + b"\0"
            code += body
        is_long = arch == "x86_64"
        table = b"".join(
            struct.pack("<IBBHQQ", *row)
            if is_long
            else struct.pack("<IIIBBH", row[0], *row[4:], *row[1:4])
            for row in rows
        )
        self.data = elf(
            {
                ".text": Content(code, flags=6, address=FIRST),
                ".symtab": Content(table, type=2, link=3, entry_bytes=24 if is_long else 16),
                ".strtab": Content(names, type=3),
            },
            machine=X86_64 if is_long else I386,
            flags=0,
            bits=64 if is_long else 32,
        )

    def stack(
        self, pc: int, frame_pointer: int, words: dict[int, int], stack_pointer: int = STACK
    ) -> CallStack:
        arch = architecture(self.arch)
        size_bytes = arch.address_bits // 8
        target = StateTarget(arch)
        target.add_wave(0)
        prefix = "r" if size_bytes == 8 else "e"
        values = {"bp": frame_pointer, "sp": stack_pointer}
        for name, value in values.items():
            register = arch.by_name[prefix + name]
            target.write_register(0, register, value.to_bytes(size_bytes, "little"))
        space = Memory(arch.address_space(0))
        for address, value in words.items():
            target.set_memory(space, address, value.to_bytes(size_bytes, "little"))
        code_object = CodeObject.of(ObjectFile("made", self.data))
        context = Context(arch, 0, target=target)
        return call_stack_of(context, pc, [code_object], frozenset(), is_heuristic=False)


def with_frame(arch: str, *, lands: bool = False, is_other: bool = False) -> bytes:
    """A function that sets the frame pointer, makes one call and returns."""
    move = (OTHER_MOVES if is_other else MOVES)[arch]
    return LANDINGS[arch] * lands + PUSH + move + NOP * 4 + CALL + LEAVE + RET


ENDED = "stopped: no frame information for pc {:#x} in made"


@pytest.mark.parametrize("arch", ["x86_64", "i386"])
@pytest.mark.parametrize("lands", [False, True])
@pytest.mark.parametrize("is_other", [False, True])
def test_the_callers_are_found(arch: str, lands: bool, is_other: bool) -> None:
    function = with_frame(arch, lands=lands, is_other=is_other)
    program = Program(arch, ("inner", function), ("outer", function), ("top", CALL + NOP))
    word = architecture(arch).address_bits // 8
    behind_call = len(function) - 2
    outer_pc = program.starts["outer"] + behind_call
    top_pc = program.starts["top"] + len(CALL)
    pc = program.starts["inner"] + len(function) - len(CALL) - 3
    words = {
        STACK + 0x20: STACK + 0x60,
        STACK + 0x20 + word: outer_pc,
        STACK + 0x60: 0x1234,
        STACK + 0x60 + word: top_pc,
    }
    stack = program.stack(pc, STACK + 0x20, words)
    assert walked(stack) == ([pc, outer_pc, top_pc], ENDED.format(top_pc))
    letter = "r" if arch == "x86_64" else "e"
    assert stack.notes == (
        "no call frame information for inner and 1 more: the prologues say where the caller is "
        f"(`push %{letter}bp; mov %{letter}sp,%{letter}bp`)",
    )
    outer = stack.frame(1)
    assert outer is not None
    assert outer.cfa().single_locations[0].byte_address == STACK + 0x60 + 2 * word
    preserved = architecture(arch).by_name["rbx" if arch == "x86_64" else "ebx"].number
    assert preserved is not None
    with pytest.raises(Unavailable, match="bx of the caller of inner: inner may have saved and"):
        outer.register(preserved)


@pytest.mark.parametrize(
    ("head", "is_known"),
    [
        (b"\x55\x31\xc0\xb9\x07\x00\x00\x00\x89\xe5", True),  # xor, mov
        (b"\xc8\x10\x00\x00", True),  # enter
        (b"\x90\x8b\xff" + PUSH + MOVES["i386"], True),
        (b"\xeb\x01\xcc" + PUSH + MOVES["i386"], True),
        (b"\xeb\xfe" + PUSH + MOVES["i386"], False),
        (b"\xe9\xf0\xff\xff\xff" + PUSH + MOVES["i386"], False),  # jumps out of the function
        (b"\x58\x87\x04\x24" + PUSH + MOVES["i386"], False),  # an argument is taken off
        (b"\x55\x31\xed\x89\xe5", False),  # xor %ebp,%ebp
    ],
)
def test_heads_of_i386(head: bytes, is_known: bool) -> None:
    """The code before the function would set the frame pointer, too."""
    before = ("before", PUSH + MOVES["i386"] + NOP * 8)
    function = head + NOP * 4 + CALL + LEAVE + RET
    program = Program("i386", ("top", CALL + NOP), before, ("inner", function))
    top_pc = program.starts["top"] + len(CALL)
    words = {STACK + 0x20: 0x1234, STACK + 0x24: top_pc}
    begin = program.starts["inner"]
    for offset in range(len(head)):
        assert len(walked(program.stack(begin + offset, STACK + 0x20, words))[0]) == 1
    for pc in (begin + len(head), begin + len(head) + 4 + len(CALL)):
        pcs = [pc, top_pc] if is_known else [pc]
        assert walked(program.stack(pc, STACK + 0x20, words))[0] == pcs


BODY = with_frame("x86_64")


@pytest.mark.parametrize(
    ("offset", "body"),
    [
        (0, BODY),  # nothing has been executed
        (1, BODY),  # the frame pointer is still that of the caller
        (len(BODY) - 1, BODY),  # at ret: it is again
        (len(BODY) - 1, BODY[:-1] + b"\xe9" + bytes(4)),  # at a jump behind leave
        (len(BODY) - 1, BODY[:-2] + b"\x5d" + RET),
        (len(BODY) - 1, BODY[:-2] + b"\x90\xf3\xc3"),
        (len(BODY) - 1, BODY[:-1] + b"\x31\xff" + RET),  # before registers are cleared
        (len(BODY) + 1, BODY[:-1] + b"\x31\xff" + RET),  # and behind that
        (len(BODY) + 1, BODY[:-1] + b"\x31\xff\x45\x31\xc0\x66\x45\x0f\xef\xc0" + RET),
        (len(BODY) + 1, BODY[:-1] + b"\x31\xff\x0f\x57\xc0" + b"\xd9\xee\xdd\xd8" * 8 + RET),
        (8, b"\x53" + BODY),  # another prologue: push %rbx
        (8, b"\x48\x83\xec\x18" + CALL + RET),
    ],
)
def test_nothing_is_guessed_of_the_innermost_function(offset: int, body: bytes) -> None:
    program = Program("x86_64", ("inner", body), ("top", CALL + NOP))
    pc = program.starts["inner"] + offset
    top_pc = program.starts["top"] + len(CALL)
    stack = program.stack(pc, STACK + 0x20, {STACK + 0x20: 0, STACK + 0x28: top_pc})
    assert walked(stack) == ([pc], ENDED.format(pc))
    assert stack.notes == ()


def test_a_cleared_register_is_no_end_of_the_frame() -> None:
    body = PUSH + MOVES["x86_64"] + b"\x31\xff" + CALL + LEAVE + RET
    program = Program("x86_64", ("inner", body), ("top", CALL + NOP))
    top_pc = program.starts["top"] + len(CALL)
    stack = program.stack(FIRST + 4, STACK + 0x20, {STACK + 0x20: 0, STACK + 0x28: top_pc})
    assert walked(stack)[0] == [FIRST + 4, top_pc]


@pytest.mark.parametrize("caller", [0, 0x1234, FIRST, FIRST + len(BODY) + len(CALL) + 1])
def test_a_call_must_return_to_the_caller(caller: int) -> None:
    """The frame pointer may have been used for something else."""
    program = Program("x86_64", ("inner", BODY), ("top", CALL + NOP * 2))
    pc = FIRST + 6
    stack = program.stack(pc, STACK + 0x20, {STACK + 0x20: 0, STACK + 0x28: caller})
    assert walked(stack) == ([pc], ENDED.format(pc))
    assert walked(program.stack(pc, STACK + 0x20, {}))[0] == [pc]  # nor is the stack known


XOR, TOUCH, JUMP = b"\x31\xc0", b"\x89\x00\x90\x89\x00", b"\xeb\xfe"
PROLOGUE = PUSH + MOVES["x86_64"]
LANDING = LANDINGS["x86_64"]


@pytest.mark.parametrize(
    ("parts", "is_inside"),
    [
        ([("f", PROLOGUE), ("f.l", XOR + TOUCH)], True),
        ([("f", LANDING + PROLOGUE + XOR), ("f.l", XOR), ("f.m", TOUCH)], True),
        ([("f", PROLOGUE + XOR), ("l", XOR + TOUCH)], False),
        ([("f", PROLOGUE + RET), ("f.l", XOR + TOUCH)], True),
        ([("f", PROLOGUE + XOR), ("f.l", RET), ("f.m", XOR + TOUCH)], True),
        ([("f.g", PROLOGUE + XOR), ("f.g.l", JUMP), ("f.g.m", TOUCH)], True),
        ([("f", PROLOGUE + XOR), ("l", XOR + JUMP), ("f.l", TOUCH)], False),
        ([("f", PROLOGUE + RET), ("l", XOR + TOUCH)], False),
        ([("f", PROLOGUE + RET), ("other", XOR + TOUCH)], False),
        ([("f", PROLOGUE + XOR), ("other", XOR + TOUCH)], False),  # it is a function
        ([("f", PROLOGUE + XOR), ("f.part", XOR + TOUCH), ("other.l", TOUCH)], False),
        ([("f", XOR + XOR + XOR), ("l", XOR + TOUCH)], False),  # without a prologue
    ],
)
def test_labels_are_inside_of_functions(parts: list[tuple[str, bytes]], is_inside: bool) -> None:
    """Only where their names say so: any other may be a function without the prologue, behind data
    of the one before."""
    labels = {"f", "f.g", "l", "m", "f.l", "f.m", "f.g.l", "f.g.m"}
    program = Program("x86_64", ("top", CALL + NOP * 9), *parts, labels=labels)
    top_pc = program.starts["top"] + len(CALL)
    pc = program.starts[parts[-1][0]] + len(parts[-1][1]) - 1
    words = {STACK + 0x20: 0x1234, STACK + 0x28: top_pc}
    stack = program.stack(pc, STACK + 0x20, words)
    pcs = [pc, top_pc] if is_inside else [pc]
    assert walked(stack) == (pcs, ENDED.format(pcs[-1]))
    assert [note.split()[5] for note in stack.notes] == [f"{parts[0][0]}:"] * is_inside


def test_a_label_with_the_prologue_is_a_function() -> None:
    """Before its own frame is set, the frame pointer is that of the caller."""
    parts = ("f", PROLOGUE + XOR), ("l", PROLOGUE + XOR + TOUCH)
    program = Program("x86_64", ("top", CALL + NOP * 9), *parts, labels={"f", "l"})
    words = {STACK + 0x20: 0x1234, STACK + 0x28: program.starts["top"] + len(CALL)}
    for offset, levels in (0, 1), (1, 1), (len(PROLOGUE), 2):
        stack = program.stack(program.starts["l"] + offset, STACK + 0x20, words)
        assert len(walked(stack)[0]) == levels


def test_such_a_function_may_have_called_a_null_pointer() -> None:
    program = Program("x86_64", ("inner", BODY), ("top", CALL + NOP))
    inner_pc = FIRST + len(BODY) - 2
    top_pc = program.starts["top"] + len(CALL)
    words = {STACK: inner_pc, STACK + 0x20: 0, STACK + 0x28: top_pc}
    stack = program.stack(0, STACK + 0x20, words)
    assert walked(stack) == ([0, inner_pc, top_pc], ENDED.format(top_pc))
    assert stack.notes_to(0) == ()
    assert len(stack.notes_to(1)) == 1 and stack.notes_to(1) == stack.notes


NOTE = (
    "note: no call frame information for inner: its prologue says where the caller is "
    "(`push %rbp; mov %rsp,%rbp`)"
)


def options(program: Program, folder: Path, pc: int, words: dict[int, int]) -> tuple[str, ...]:
    """Write a program and a state in which it is at a program location; return the options for
    them."""
    path, state = folder / "made", folder / "state.json"
    path.write_bytes(program.data)
    registers = {"rip": pc, "rsp": STACK, "rbp": STACK + 0x20}
    document = {
        "schema": "dwarfgpu-state-1",
        "architecture": "x86_64",
        "waves": [
            {
                "id": 1,
                "registers": {
                    name: {"bytes": value.to_bytes(8, "little").hex()}
                    for name, value in registers.items()
                },
            }
        ],
        "memory": [
            {"address": address, "bytes": word.to_bytes(8, "little").hex()}
            for address, word in words.items()
        ],
    }
    state.write_text(json.dumps(document), "utf-8")
    return "--file", str(path), "--state", str(state)


def test_backtraces_have_one_note(tmp_path: Path) -> None:
    program = Program("x86_64", ("inner", BODY), ("top", CALL + NOP))
    top_pc = program.starts["top"] + len(CALL)
    words = {STACK + 0x20: STACK + 0x60, STACK + 0x28: top_pc}
    files = options(program, tmp_path, FIRST + 6, words)
    for command in (("bt",), ("debug", "--batch", "-ex", "bt", "-ex", "bt 1")):
        done = run(*command, *files)
        assert f"#1  {top_pc:#018x} in top ()" in done.out
        assert NOTE in done.out + done.err


def test_frames_that_are_not_listed_have_no_note(tmp_path: Path) -> None:
    program = Program("x86_64", ("inner", BODY), ("top", CALL + NOP))
    top_pc = program.starts["top"] + len(CALL)
    words = {STACK: FIRST + len(BODY) - 2, STACK + 0x20: 0, STACK + 0x28: top_pc}
    files = options(program, tmp_path, 0, words)
    for commands, count in (("bt",), 1), (("bt", "bt 1"), 1), (("frame 2", "bt 1"), 0):
        arguments = [word for command in commands for word in ("-ex", command)]
        done = run("debug", "--batch", *arguments, *files)
        assert (done.out + done.err).count(NOTE) == count


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("90 e8 00 00 00 00", True),
        ("ff d0", True),  # call *%rax
        ("41 ff d4", True),  # call *%r12
        ("ff 53 08", True),  # call *8(%rbx)
        ("ff 15 00 00 00 00", True),  # call *symbol(%rip)
        ("ff 94 c3 00 01 00 00", True),  # call *0x100(%rbx,%rax,8)
        ("ff e0", False),  # jmp *%rax
        ("e9 00 00 00 00", False),
        ("90 90", False),
        ("", False),
    ],
)
def test_calls_are_known_by_their_bytes(code: str, expected: bool) -> None:
    assert follows_call(bytes.fromhex(code)) == expected
