"""A.3.3.5 low-level information and A.5.1 base type entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.types.base_types import base_type_of
from dwarfgpu.errors import DwarfGpuError, EvaluationError, IllFormed, MissingContext, OutOfRange
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.session.session import Session
from tests.dwarf.builder import Shape, debug_info, file_of
from tests.spec.machine import GPU, location_list, raises, shown

C = "A.3.3.5/"
SESSION = Session(GPU.arch, (), GPU.target, wave=0, lane=3, pc=0x1040)


def frame_base(text: str) -> str:
    attribute = ExprLoc(GPU.asm(text), GPU.unit)
    return shown(SESSION.frame.frame_base_of(attribute))


def kept(clause: str, text: str, expected: str) -> object:
    return pytest.param(text, expected, marks=pytest.mark.clause(C + clause, "keeps"), id=text)


def broken(clause: str, text: str, error: type[DwarfGpuError], *parts: str) -> object:
    mark = pytest.mark.clause(C + clause, "breaks")
    return pytest.param(text, error, parts, marks=mark, id=text or "(empty)")


LANE = "constu private_lane; LLVM_form_aspace_address"


@pytest.mark.parametrize(("text", "expected"), [
    kept("frame_base-register", "regx pc", "global#0x1040"),
    kept("frame_base-register", "regx exec", "global#0xf0f0f0f0f0f0f0f0"),
    kept("frame_base-register", "regx v3", "global#0x30100000300"),  # its low bits
    kept("frame_base-memory", "addr 0x1000", "global#0x1000"),
    kept("frame_base-memory", "constu 0x1000", "global#0x1000"),
    kept("frame_base-memory", "bregx pc 8", "global#0x1048"),
    kept("frame_base-memory", f"lit16; {LANE}", "private_lane[3]#0x10"),
    kept("frame_base-memory", "lit5; LLVM_aspace_bregx s32 0", "private_lane[3]#0x100"),
    kept("frame_base-one", "addr 0x1000; lit4; LLVM_offset", "global#0x1004"),
    kept("frame_base-fbreg", "bregx pc 0", "global#0x1040"),
    kept("frame_base-context", "lit16", "global#0x10"),
])  # fmt: skip
def test_frame_base(text: str, expected: str) -> None:
    assert frame_base(text) == expected


@pytest.mark.parametrize(("text", "error", "parts"), [
    broken("frame_base-one", "call2 0x108", IllFormed, "exactly one single location"),
    broken("frame_base-fbreg", "fbreg 0", IllFormed, "DW_AT_frame_base contains DW_OP_fbreg"),
    broken("frame_base-fbreg", "entry_value(fbreg 0)", DwarfGpuError),
    *(broken("frame_base-memory", text, IllFormed, "neither a register nor a memory location")
      for text in ("LLVM_undefined", "", "lit5; stack_value", "addr 0x1000; piece 4",
                   "implicit_pointer 0x114 0", "regx pc; LLVM_extend 64 1")),
    broken("frame_base-memory", "const(u64,5)", IllFormed, "u64"),
    broken("frame_base-register", "regx s32", OutOfRange, "s32 of 32 bits", "of 64 bits"),
])  # fmt: skip
def test_no_frame_base(text: str, error: type[DwarfGpuError], parts: tuple[str, ...]) -> None:
    if error is DwarfGpuError:
        with pytest.raises(DwarfGpuError):
            frame_base(text)
    else:
        raises(lambda: frame_base(text), error, *parts)


@pytest.mark.clause(C + "frame_base-memory", "keeps")
def test_the_frame_base_may_be_a_location_list() -> None:
    attribute = location_list(GPU, (0x1000, 0x1040, "addr 0x1000"), (0x1040, 0x1080, "bregx pc 0"))
    assert shown(SESSION.frame.frame_base_of(attribute)) == "global#0x1040"
    elsewhere = evolve(SESSION, pc=0x2000)
    raises(lambda: elsewhere.frame.frame_base_of(attribute), IllFormed, "neither")
    nowhere = evolve(SESSION, pc=None)
    raises(lambda: nowhere.frame.frame_base_of(attribute), EvaluationError, "program location")
    raises(lambda: evolve(SESSION, lane=None).frame.frame_base_of(ExprLoc(GPU.asm(
        f"lit16; {LANE}"), GPU.unit)), MissingContext, "lane")  # fmt: skip


def _session(tmp_path: Path, lanes: bytes | None, strict: bool) -> Session:
    """A subprogram at 0x1000, with or without DW_AT_LLVM_lanes."""
    attributes = [(dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_UDATA)]
    if lanes is not None:
        attributes.append((dw.AT_LLVM_LANES, dw.FORM_SDATA))
    shapes = [
        Shape(0x11, tuple(attributes[:2]), True),
        Shape(dw.TAG_SUBPROGRAM, tuple(attributes)),
    ]
    span = (0x1000).to_bytes(8, "little") + b"\x80\x02"
    path = tmp_path / "made.co"
    path.write_bytes(file_of(b"\1" + span + b"\2" + span + (lanes or b"") + b"\0", shapes))
    code_object = CodeObject.open(path, strict=strict)
    frame = evolve(SESSION, strict=strict)
    subprogram = code_object.scopes.subprogram_at(0x1040)
    assert subprogram is not None
    return evolve(frame, code_objects=(_Covering(code_object),))  # type: ignore[arg-type]


class _Covering:
    """The made file has no code, only its description."""

    def __init__(self, code_object: CodeObject) -> None:
        self._held = code_object

    def __getattr__(self, name: str) -> object:
        return getattr(self._held, name)

    def covers(self, pc: int) -> bool:
        return True


@pytest.mark.parametrize(("lanes", "strict", "expected"), [
    pytest.param(b"\x20", True, (32, None), marks=[
        pytest.mark.clause(C + "lanes-positive", "keeps"),
        pytest.mark.clause(C + "lanes-default", "breaks")], id="32"),
    pytest.param(b"\x20", False, (32, None), id="32 as compilers mean it"),
    pytest.param(None, True, (1, None), marks=pytest.mark.clause(C + "lanes-default", "keeps"),
                 id="absent, --strict"),
    pytest.param(None, False, (64, "DW_AT_LLVM_lanes absent: wave size 64 assumed"), marks=
                 pytest.mark.clause(C + "lanes-default", "breaks"),
                 id="absent, as compilers mean it"),
])  # fmt: skip
def test_lanes(
    tmp_path: Path, lanes: bytes | None, strict: bool, expected: tuple[int, str | None]
) -> None:
    assert _session(tmp_path, lanes, strict).lane_count() == expected


@pytest.mark.clause(C + "lanes-positive", "breaks")
@pytest.mark.parametrize(("lanes", "number"), [(b"\0", "0"), (b"\x7f", "-1")])
def test_lanes_above_zero(tmp_path: Path, lanes: bytes, number: str) -> None:
    raises(
        lambda: _session(tmp_path, lanes, True).lane_count(),
        IllFormed,
        "DW_AT_LLVM_lanes",
        f"is {number}",
    )


def _base_type(*attributes: tuple[int, int, bytes]) -> object:
    shape = Shape(dw.TAG_BASE_TYPE, tuple((name, form) for name, form, _ in attributes))
    data = b"\1\2" + b"".join(value for _, _, value in attributes) + b"\0"
    info = debug_info(file_of(data, [Shape(0x11, (), True), shape]))
    return base_type_of(info.die_at(0xD))


DATA1, SDATA = dw.FORM_DATA1, dw.FORM_SDATA
INT = ((dw.AT_ENCODING, DATA1, b"\5"), (dw.AT_BYTE_SIZE, DATA1, b"\4"))
POINTER = ((dw.AT_ENCODING, DATA1, b"\1"), (dw.AT_BYTE_SIZE, DATA1, b"\4"))


@pytest.mark.clause("A.5.1/vector_size", "keeps")
@pytest.mark.clause("A.5.1/vector_size", "breaks")
@pytest.mark.clause("A.5.1/vector_size-positive", "keeps")
@pytest.mark.clause("A.5.1/vector_size-positive", "breaks")
def test_vector_size() -> None:
    vector = _base_type(*INT, (dw.AT_LLVM_VECTOR_SIZE, SDATA, b"\4"))
    assert (vector.bit_size, vector.vector_size, vector.encoding) == (128, 4, "signed")  # type: ignore[attr-defined]
    scalar = _base_type(*INT)
    assert (scalar.bit_size, scalar.vector_size) == (32, None)  # type: ignore[attr-defined]
    one = _base_type(*INT, (dw.AT_LLVM_VECTOR_SIZE, SDATA, b"\1"))
    assert (one.bit_size, one.vector_size) == (32, 1)  # type: ignore[attr-defined]
    for size, number in ((b"\0", "0"), (b"\x7f", "-1")):
        with pytest.raises(IllFormed, match=f"vector size of {number}"):
            _base_type(*INT, (dw.AT_LLVM_VECTOR_SIZE, SDATA, size))
    with pytest.raises(IllFormed, match="DW_AT_LLVM_vector_size of .* is not an integer constant"):
        _base_type(*INT, (dw.AT_LLVM_VECTOR_SIZE, dw.FORM_EXPRLOC, b"\1\x34"))


@pytest.mark.clause("A.5.1/address_space", "keeps")
@pytest.mark.clause("A.5.1/address_space", "breaks")
def test_address_space() -> None:
    spaced = _base_type(*POINTER, (dw.AT_LLVM_ADDRESS_SPACE, DATA1, b"\3"))
    assert spaced.address_space == 3  # type: ignore[attr-defined]
    assert _base_type(*POINTER).address_space == 0  # type: ignore[attr-defined]
    assert _base_type(*INT, (dw.AT_LLVM_ADDRESS_SPACE, DATA1, b"\3")).address_space is None  # type: ignore[attr-defined]
