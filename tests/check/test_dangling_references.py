"""References between entries that lead nowhere: `check` finds them, `eval` reports them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.check import entry_references
from dwarfgpu.dwarf import constants as dw
from tests.check.made import (
    BASE_TYPE,
    COMPILE_UNIT,
    DATA1,
    EXPRLOC,
    POINTER,
    REF4,
    STRING,
    VARIABLE,
    block,
    findings,
    info_file,
    operations,
    verdict_on,
)
from tests.cli.command import run
from tests.dwarf.builder import Shape, abbreviations, elf, unit

UNIT = Shape(COMPILE_UNIT, (), True)
INT = Shape(BASE_TYPE, ((dw.AT_NAME, STRING), (dw.AT_BYTE_SIZE, DATA1), (dw.AT_ENCODING, DATA1)))
TYPED = ((dw.AT_NAME, STRING), (dw.AT_TYPE, REF4))
OF_TYPE = Shape(VARIABLE, (*TYPED, (dw.AT_LOCATION, EXPRLOC)))
SHAPES = [
    UNIT, INT, OF_TYPE,
    Shape(dw.TAG_TYPEDEF, TYPED),
    Shape(POINTER, TYPED),
    Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_NAME, STRING), (dw.AT_BYTE_SIZE, DATA1)), True),
    Shape(dw.TAG_MEMBER, (*TYPED, (dw.AT_DATA_MEMBER_LOCATION, DATA1))),
    Shape(dw.TAG_ENUMERATION_TYPE, (*TYPED, (dw.AT_BYTE_SIZE, DATA1))),
    Shape(dw.TAG_TEMPLATE_TYPE_PARAMETER, TYPED),
]  # fmt: skip
INT_AT = 13
VALUE = block(operations("implicit_value 8, 1 2 3 4 5 6 7 8"))
FIRST = 20
"""Where the entry after the base type starts."""


def entries(code: int, name: str, target: int, rest: bytes = b"") -> bytes:
    return bytes((code,)) + name.encode() + b"\0" + target.to_bytes(4, "little") + rest


def file_with(*parts: bytes) -> bytes:
    return info_file(SHAPES, b"\1\2int\0\4\5" + b"".join(parts) + b"\0")


def variable(name: str, target: int) -> bytes:
    return entries(3, name, target, VALUE)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (INT_AT + 1, f"no entry starts at offset {INT_AT + 1:#x}"),
        (0x1000, "no entry starts at offset 0x1000"),
        (0, "no entry starts at offset 0x0"),
        (FIRST, f"the entry at offset {FIRST:#x} is a DW_TAG_variable"),  # itself
        (12, "the entry at offset 0xc is a DW_TAG_compile_unit"),
    ],
)
def test_a_type_that_is_none(target: int, message: str) -> None:
    (found,) = findings(verdict_on(file_with(variable("v", target))))
    assert (found.rule, found.severity, found.section) == ("dangling-reference", "error", "A.2.7")
    assert found.message == f"DW_AT_type: {message}"
    assert (found.position.kind, found.position.name) == ("variable", "v")
    assert found.position.attribute == "DW_AT_type"


def test_each_target_is_reported_once() -> None:
    data = file_with(*(variable(f"v{index}", 0x1000 + index % 2) for index in range(10)))
    assert len(findings(verdict_on(data))) == 2


def test_types_before_and_after_the_entry() -> None:
    member = FIRST + len(variable("v", 0))
    assert findings(verdict_on(file_with(variable("v", INT_AT), entries(4, "t", INT_AT)))) == []
    assert findings(verdict_on(file_with(variable("v", member), entries(4, "t", INT_AT)))) == []


def test_references_between_units() -> None:
    shape = Shape(VARIABLE, ((dw.AT_NAME, STRING), (dw.AT_TYPE, dw.FORM_REF_ADDR)))
    table = abbreviations(UNIT, INT, shape)
    kinds = unit(b"\1\2int\0\4\5\0")

    def data(*targets: int) -> bytes:
        listed = b"".join(entries(3, f"v{target}", target) for target in targets)
        return elf({".debug_abbrev": table, ".debug_info": unit(b"\1" + listed + b"\0") + kinds})

    size = len(unit(b"\1" + entries(3, "v10", 0) * 3 + b"\0"))
    right = size + INT_AT
    assert len(str(right)) == 2
    assert findings(verdict_on(data(right, right, right))) == []
    found = findings(verdict_on(data(right, right + 1, 99)))
    assert [one.message for one in found] == [
        f"DW_AT_type: no entry starts at offset {right + 1:#x}",
        "DW_AT_type: offset 0x63 is not in any unit",
    ]
    assert [one.position.name for one in found] == [f"v{right + 1}", "v99"]


def test_other_references() -> None:
    """An origin is any entry."""
    shape = Shape(VARIABLE, ((dw.AT_NAME, STRING), (dw.AT_ABSTRACT_ORIGIN, REF4)))
    for target, count in ((12, 0), (13, 1)):
        data = info_file(
            [UNIT, shape], b"\1" + entries(2, "v", target + 1 * (target == 13)) + b"\0"
        )
        found = findings(verdict_on(data))
        assert [one.message for one in found] == count * [
            "DW_AT_abstract_origin: no entry starts at offset 0xe"
        ]


def test_equal_references_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[int] = []

    def problem(unit: object, offset: int, *rest: object) -> None:
        looked_up.append(offset)

    monkeypatch.setattr(entry_references, "_problem", problem)
    verdict_on(file_with(*(variable("v", 0x1000 + index % 3) for index in range(3_000))))
    assert looked_up == [0x1000, 0x1001, 0x1002]


@pytest.mark.parametrize("target", [INT_AT + 1, FIRST])
def test_eval_of_what_depends_on_it(tmp_path: Path, target: int) -> None:
    path = tmp_path / "made.co"
    at, parts = FIRST, list[bytes]()
    if target == at:
        parts.append(variable("v", INT_AT))
    places: dict[str, int] = {}
    for name, data in (
        ("typedef", entries(4, "t", target)),
        ("pointer", entries(5, "p", target)),
        ("enumeration", entries(8, "e", target, b"\4")),
        ("structure", b"\6s\0\x08" + entries(7, "a", INT_AT, b"\0") + entries(7, "b", target, b"\4")
         + b"\0"),
    ):  # fmt: skip
        places[name] = at + sum(map(len, parts))
        parts.append(data)
    parts += [variable(name, place) for name, place in places.items()]
    path.write_bytes(file_with(*parts))
    problem = (
        "no entry of the unit at 0x0 starts at offset 0xe"
        if target != at
        else "it is in place of a type, with DW_TAG 0x34"
    )
    for name in ("typedef", "pointer", "enumeration"):
        done = run("eval", "--file", path, name)
        assert (done.status, done.out) == (1, "")
        assert done.error.startswith(f"{name}: IllFormed: {path}: .debug_info entry 0x")
        assert done.error.endswith(problem)
    done = run("eval", "--file", path, "structure")
    assert (done.status, done.out) == (
        1,
        f"structure = {{a = 67305985, b = <error: {problem}>}}\n",
    )


def test_a_template_parameter_is_the_type_that_it_has(tmp_path: Path) -> None:
    """DWARF 5 D.11: the type of a member may be the entry of the parameter."""
    path = tmp_path / "made.co"
    path.write_bytes(file_with(entries(9, "T", INT_AT), variable("v", FIRST)))
    assert findings(verdict_on(path.read_bytes())) == []
    assert run("eval", "--file", path, "v").out == "v = 67305985\n"


def test_a_form_that_is_not_a_reference_is_left_to_its_reader() -> None:
    shape = Shape(VARIABLE, ((dw.AT_NAME, STRING), (dw.AT_TYPE, dw.FORM_UDATA)))
    data = info_file([UNIT, shape], b"\1\2v\0" + encode_uleb(5) + b"\0")
    assert findings(verdict_on(data)) == []


@pytest.mark.parametrize("attribute", ["abstract_origin", "specification"])
@pytest.mark.parametrize(
    ("tag", "target", "is_right"),
    [
        (dw.TAG_SUBPROGRAM, dw.TAG_SUBPROGRAM, True),
        (dw.TAG_INLINED_SUBROUTINE, dw.TAG_SUBPROGRAM, True),
        (dw.TAG_SUBPROGRAM, dw.TAG_BASE_TYPE, False),
        (dw.TAG_INLINED_SUBROUTINE, dw.TAG_VARIABLE, False),
        (dw.TAG_VARIABLE, dw.TAG_MEMBER, True),
        (dw.TAG_FORMAL_PARAMETER, dw.TAG_VARIABLE, True),  # GCC
        (dw.TAG_VARIABLE, dw.TAG_SUBPROGRAM, False),
        (dw.TAG_LEXICAL_BLOCK, dw.TAG_SUBPROGRAM, True),  # nothing is known against it
    ],
)
def test_origins(attribute: str, tag: int, target: int, is_right: bool) -> None:
    """As llvm-dwarfdump --verify: "DIE with tag DW_TAG_variable has DW_AT_abstract_origin that
    points to DIE with incompatible tag DW_TAG_subprogram"."""
    shapes = (
        UNIT,
        Shape(target, ((dw.AT_NAME, STRING),)),
        Shape(tag, ((getattr(dw, f"AT_{attribute.upper()}"), dw.FORM_REF4),)),
    )
    data = info_file(shapes, b"\1\2f\0\3" + INT_AT.to_bytes(4, "little") + b"\0")
    messages = [one.message for one in findings(verdict_on(data))]
    wrong = f"DW_AT_{attribute}: the entry at offset {INT_AT:#x} is a DW_TAG_"
    assert len(messages) == (0 if is_right else 1)
    assert all(message.startswith(wrong) for message in messages)
