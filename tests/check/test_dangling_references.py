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
    words,
)
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Shape, abbreviations, elf, unit

FLAG = 0x0C
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
VALUE = block(operations("implicit_value 4, 1 2 3 4"))
EIGHT_BYTES = block(operations("implicit_value 8, 1 2 3 4 5 6 7 8"))
FIRST = 20
"""Where the entry after the base type starts."""


def entries(code: int, name: str, target: int, rest: bytes = b"") -> bytes:
    return bytes((code,)) + name.encode() + b"\0" + target.to_bytes(4, "little") + rest


def file_with(*parts: bytes) -> bytes:
    return info_file(SHAPES, b"\1\2int\0\4\5" + b"".join(parts) + b"\0")


def variable(name: str, target: int, value: bytes = VALUE) -> bytes:
    return entries(3, name, target, value)


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("addr 0x1000; piece 10", []),  # clang, of a `long double` of x86, whose end is padding
        ("addr 0x1000; piece 8; addr 0x1010; piece 2", ["pieces-short-of-type"]),
        ("addr 0x1000; piece 9", ["pieces-short-of-type"]),
    ],
)
def test_one_piece_of_a_long_double(text: str, expected: list[str]) -> None:
    value = block(operations(text))
    base = b"\1\2long double\0\x10\4"
    data = info_file(SHAPES, base + variable("v", INT_AT, value) + b"\0", machine=X86_64)
    assert [one.rule for one in findings(verdict_on(data))] == expected


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


def test_a_reference_where_others_have_an_expression() -> None:
    shape = Shape(0x12, ((dw.AT_NAME, STRING), (dw.AT_STRING_LENGTH, REF4)))  # a string type
    data = info_file([UNIT, INT, shape], b"\1\2int\0\4\5" + entries(3, "s", INT_AT) + b"\0")
    assert [one.message for one in findings(verdict_on(data))] == [
        f"DW_AT_string_length: the entry at offset {INT_AT:#x} is a DW_TAG_base_type"
    ]


def test_other_references() -> None:
    shape = Shape(VARIABLE, ((dw.AT_NAME, STRING), (dw.AT_ABSTRACT_ORIGIN, REF4)))
    for target, message in (
        (12, "the entry at offset 0xc is a DW_TAG_compile_unit"),
        (13, "the origins of the entry at offset 0xd lead back to it"),
        (14, "no entry starts at offset 0xe"),
    ):
        data = info_file([UNIT, shape], b"\1" + entries(2, "v", target) + b"\0")
        found = findings(verdict_on(data))
        assert [one.message for one in found] == [f"DW_AT_abstract_origin: {message}"]


CALL_ORIGIN, CALL_PARAMETER, DISCR, NAMELIST_ITEM, EXTENSION = 0x7F, 0x80, 0x15, 0x44, 0x54
BLOCK, LABEL, PARAMETER = 0x0B, 0x0A, 0x05
PAIRS = [
    # The attribute, the tag that has it, a tag that it may lead to, and one that it may not: the
    # sections of DWARF 5 that define the attributes.
    (dw.AT_ABSTRACT_ORIGIN, 0x1D, 0x2E, 0x16),  # 3.3.8.2
    (dw.AT_ABSTRACT_ORIGIN, PARAMETER, PARAMETER, 0x2E),
    (dw.AT_ABSTRACT_ORIGIN, BLOCK, BLOCK, 0x24),
    (dw.AT_ABSTRACT_ORIGIN, LABEL, LABEL, 0x34),
    (dw.AT_ABSTRACT_ORIGIN, 0x4109, 0x2E, 0x34),  # of GCC, for DW_AT_call_origin
    (dw.AT_SPECIFICATION, VARIABLE, 0x0D, 0x13),  # 2.13.2
    (dw.AT_SPECIFICATION, 0x13, 0x13, 0x34),
    (dw.AT_SPECIFICATION, 0x2E, 0x2E, 0x0D),
    (CALL_ORIGIN, 0x48, 0x2E, 0x24),  # 3.4.1
    (CALL_PARAMETER, 0x49, PARAMETER, 0x2E),  # 3.4.2
    (dw.AT_CONTAINING_TYPE, 0x1F, 0x13, 0x34),  # 5.14
    (dw.AT_OBJECT_POINTER, 0x2E, PARAMETER, 0x13),  # 5.7.8
    (dw.AT_IMPORT, 0x3D, 0x3C, 0x39),  # 3.2.5
    (dw.AT_IMPORT, 0x3A, 0x39, 0x34),  # 3.2.4
    (dw.AT_IMPORT, 0x08, 0x34, BLOCK),  # 3.2.3
    (DISCR, 0x33, 0x0D, 0x13),  # 5.7.10
    (NAMELIST_ITEM, 0x2C, VARIABLE, 0x2E),  # 4.3
    (EXTENSION, 0x39, 0x39, 0x13),  # 3.2.2
    (dw.AT_UPPER_BOUND, 0x21, VARIABLE, 0x13),  # 2.19
    (dw.AT_TYPE, VARIABLE, 0x13, 0x34),  # 2.7
    (dw.AT_TYPE, VARIABLE, 0x15, 0x2E),
]


@pytest.mark.parametrize(("number", "tag", "right", "wrong"), PAIRS)
def test_what_an_attribute_may_lead_to(number: int, tag: int, right: int, wrong: int) -> None:
    for target, count in ((right, 0), (wrong, 1), (0x4107, 0)):  # a vendor's is accepted
        shapes = [UNIT, Shape(target, ((dw.AT_DECLARATION, FLAG),)), Shape(tag, ((number, REF4),))]
        found = findings(
            verdict_on(info_file(shapes, b"\1\2\1\3" + words(13, size_bytes=4) + b"\0"))
        )
        assert [one.rule for one in found] == count * ["dangling-reference"], hex(target)


@pytest.mark.parametrize(
    ("targets", "circles"),
    [
        ((13,), [13]),  # itself
        ((18, 13), [13]),
        ((18, 23, 18), [18]),  # a way into a circle
        ((18, 23, 28, 28, 33), [28, 33]),
        ((18, 23, 28, 0x100), []),
        (tuple(range(18, 200, 5)), []),  # long, and not circular
    ],
)
@pytest.mark.parametrize(
    ("number", "tag"),
    [
        (dw.AT_ABSTRACT_ORIGIN, dw.TAG_SUBPROGRAM),
        (dw.AT_SPECIFICATION, dw.TAG_SUBPROGRAM),
        (EXTENSION, dw.TAG_NAMESPACE),
        (dw.AT_IMPORT, dw.TAG_IMPORTED_DECLARATION),
    ],
)
def test_circles_of_origins(
    number: int, tag: int, targets: tuple[int, ...], circles: list[int]
) -> None:
    """DWARF 5 3.3.8.1, 2.13.2, 3.2.2 and 3.2.3: attributes are those of the origin, which has none
    here."""
    shapes = [UNIT, Shape(tag, ((number, REF4),))]
    listed = b"".join(b"\2" + target.to_bytes(4, "little") for target in targets)
    found = findings(verdict_on(info_file(shapes, b"\1" + listed + b"\0")))
    circular = [one for one in found if "lead back" in one.message]
    assert [one.position.offset for one in circular] == circles
    assert {one.rule for one in circular} <= {"dangling-reference"}


@pytest.mark.parametrize(
    ("targets", "circles"),
    [
        ((33,), 0),  # of the second unit, without an origin
        ((99,), 0),  # no entry, reported as such
        ((33, 13), 1),
        ((33, 33), 1),  # a way into a circle
        ((33, 18), 0),
    ],
)
def test_circles_of_origins_through_units(targets: tuple[int, ...], circles: int) -> None:
    """As in files of link-time optimization: 5 3.3.8.1, the references are DW_FORM_ref_addr."""
    shape = Shape(dw.TAG_SUBPROGRAM, ((dw.AT_ABSTRACT_ORIGIN, dw.FORM_REF_ADDR),))
    plain = Shape(dw.TAG_SUBPROGRAM)
    first = unit(b"\1\2" + targets[0].to_bytes(4, "little") + b"\3\0")
    second = b"\2" + targets[1].to_bytes(4, "little") if targets[1:] else b""
    assert len(first) == 20
    info = first + unit(b"\1" + second + b"\3\0")
    data = elf({".debug_abbrev": abbreviations(UNIT, shape, plain), ".debug_info": info})
    found = [one for one in findings(verdict_on(data)) if "lead back" in one.message]
    assert len(found) == circles


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
    parts += [
        variable(name, place, EIGHT_BYTES if name in ("structure", "pointer") else VALUE)
        for name, place in places.items()
    ]
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


def test_a_form_that_is_not_a_reference_is_of_another_class() -> None:
    shape = Shape(VARIABLE, ((dw.AT_NAME, STRING), (dw.AT_TYPE, dw.FORM_UDATA)))
    data = info_file([UNIT, shape], b"\1\2v\0" + encode_uleb(5) + b"\0")
    assert [one.rule for one in findings(verdict_on(data))] == ["wrong-class"]


@pytest.mark.parametrize("attribute", ["abstract_origin", "specification"])
@pytest.mark.parametrize(
    ("tag", "target", "is_right"),
    [
        (dw.TAG_SUBPROGRAM, dw.TAG_SUBPROGRAM, True),
        (dw.TAG_INLINED_SUBROUTINE, dw.TAG_SUBPROGRAM, True),
        (dw.TAG_SUBPROGRAM, dw.TAG_BASE_TYPE, False),
        (dw.TAG_INLINED_SUBROUTINE, dw.TAG_VARIABLE, False),
        (dw.TAG_VARIABLE, dw.TAG_MEMBER, True),
        (dw.TAG_VARIABLE, dw.TAG_CONSTANT, True),
        (dw.TAG_VARIABLE, dw.TAG_FORMAL_PARAMETER, False),
        (dw.TAG_FORMAL_PARAMETER, dw.TAG_FORMAL_PARAMETER, True),
        (dw.TAG_FORMAL_PARAMETER, dw.TAG_VARIABLE, False),
        (dw.TAG_FORMAL_PARAMETER, dw.TAG_MEMBER, False),
        (dw.TAG_FORMAL_PARAMETER, 0x4102, True),  # a vendor's
        (0x410A, dw.TAG_FORMAL_PARAMETER, True),  # a parameter of GCC's own call sites
        (0x410A, dw.TAG_VARIABLE, False),
        (dw.TAG_STRUCTURE_TYPE, dw.TAG_CLASS_TYPE, True),
        (dw.TAG_STRUCTURE_TYPE, dw.TAG_UNION_TYPE, False),
        (dw.TAG_ENUMERATION_TYPE, dw.TAG_ENUMERATION_TYPE, True),
        (dw.TAG_ENUMERATION_TYPE, dw.TAG_STRUCTURE_TYPE, False),
        (dw.TAG_UNION_TYPE, dw.TAG_TYPEDEF, False),
        (dw.TAG_TYPEDEF, dw.TAG_TYPEDEF, True),
        (dw.TAG_TYPEDEF, dw.TAG_BASE_TYPE, False),
        (0x4102, dw.TAG_BASE_TYPE, True),  # of a vendor's nothing is known
        (dw.TAG_NAMESPACE, dw.TAG_NAMESPACE, True),
        (dw.TAG_NAMESPACE, dw.TAG_MODULE, False),
        (LABEL, LABEL, True),
        (LABEL, dw.TAG_VARIABLE, False),
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
    messages = [one.message for one in findings(verdict_on(data)) if one.rule != "wrong-layout"]
    wrong = f"DW_AT_{attribute}: the entry at offset {INT_AT:#x} is a DW_TAG_"
    assert len(messages) == (0 if is_right else 1)
    assert all(message.startswith(wrong) for message in messages)
