"""Definitions of types, as `ptype` shows them (the same as GDB's: tests/cli)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.constants import Style
from dwarfgpu.dwarf.names.fortran_ada import fortran_name
from dwarfgpu.dwarf.types.class_parts import (
    Declarations,
    NestedTypedef,
    TemplateType,
    Variant,
    VariantPart,
)
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Enum,
    Function,
    Member,
    Pointer,
    Qualified,
    Struct,
    Type,
    Typedef,
)
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.view.definition_bounds import MAX_CHARACTERS, MAX_MEMBERS
from dwarfgpu.view.fortran_ada_types import definition
from dwarfgpu.view.type_offsets import offset_text
from dwarfgpu.view.type_text import declaration, type_text
from tests.cli.command import FIXTURES, run
from tests.language.test_hostile import TYPES

UNSIGNED = Base(BaseType("unsigned int", "unsigned", 32))
INT = Base(BaseType("int", "signed", 32))
PAIR = Struct("struct", "pair", 8, (Member("a", INT, 0), Member("b", INT, 32)))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (INT, "int x"),
        (Pointer(INT), "int *x"),
        (Array(INT, (2, 3)), "int x[2][3]"),
        (Array(Pointer(INT), (2,)), "int *x[2]"),
        (Pointer(Array(INT, (2,))), "int (*x)[2]"),
        (Pointer(Function(INT, (INT,))), "int (*x)(int)"),
        (Array(Pointer(Function(None, (Pointer(INT),))), (4,)), "void (*x[4])(int *)"),
        (Qualified("const", INT), "const int x"),
        (Pointer(Qualified("const", INT)), "const int *x"),
        (Pointer(INT, kind="reference"), "int &x"),
        (PAIR, "struct pair x"),
        (Struct("union", None, 4), "union {...} x"),
    ],
)
def test_declarations(kind: Type, text: str) -> None:
    assert declaration(kind, "x") == text


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (None, "void"),
        (Typedef("pair_t", PAIR), "struct pair {\n    int a;\n    int b;\n}"),
        (
            Pointer(Qualified("const", Typedef("pair_t", PAIR))),
            "const struct pair {\n    int a;\n    int b;\n} *",
        ),
        (Array(Typedef("number", INT), (3,)), "int [3]"),
        (reduce(lambda kind, n: Typedef(f"t{n}", kind), range(900), INT), "int"),
        (Struct("struct", "later", None, is_declaration=True),
         "struct later {\n    <incomplete type>\n}"),
        (Struct("struct", "seen", None, (Member("s", INT, None, is_static=True),),
                is_declaration=True), "struct seen {\n    <incomplete type>\n}"),
        (Struct("struct", "none", 0), "struct none {\n    <no data fields>\n}"),
        (
            Struct("class", "d", 12, (Member("pair", PAIR, 0, is_base_class=True),
                                      Member("n", Typedef("number", INT), 64, 3),
                                      Member("s", INT, None, is_static=True))),
            "class d : public pair {\n  public:\n    number n : 3;\n    static int s;\n}",
        ),
        (
            Struct("struct", "s", 4, (Member(None, Struct("union", None, 4, (
                Member("i", INT, 0), Member("in", Struct("struct", None, 4), 0))), 0),)),
            "struct s {\n    union {\n        int i;\n        struct {...} in;\n    };\n}",
        ),
        (Enum("e", 4, (("A", 0), ("B", 1), ("C", 7), ("D", 8))), "enum e {A, B, C = 7, D}"),
        (Enum("m", 4, (("on", 2),), is_scoped=True), "enum class m {m::on = 2}"),
        (Enum("K", 4, (("on", 2),), scope="a::B<short int>::"),
         "enum a::B<short>::K {a::B<short>::on = 2}"),
        (Enum(None, 4, (("A", -1), ("B", 0)), is_signed=True), "enum {A = -1, B}"),
    ],
)  # fmt: skip
def test_definitions(kind: Type | None, text: str) -> None:
    assert type_text(kind) == text


def test_names_of_cplusplus() -> None:
    kind = Struct("struct", "s", 8, (Member("p", PAIR, 0),))
    assert type_text(kind, cplusplus=True) == "struct s {\n    pair p;\n}"


@pytest.mark.parametrize(
    ("style", "lines"),
    [
        ("fortran", ["Type holder", "    Type {...} ::", "    int :: a", "End Type holder"]),
        ("ada", ["record", "    : record ... end record;", "    a: int;", "end record"]),
    ],
)
def test_a_member_of_c_without_a_name_in_other_languages(style: Style, lines: list[str]) -> None:
    """`set language` may show a structure of C."""
    union = Struct("union", None, 4, (Member("i", INT),))
    holder = Struct("struct", "holder", 8, (Member(None, union), Member("a", INT, 32)))
    assert type_text(holder, style=style).splitlines() == lines


@pytest.mark.parametrize(
    ("dimensions", "lowers", "text"),
    [
        ((None,), (1,), "int (*)"),
        ((None, 3), (1, 1), "int (3,*)"),
        ((None,), (0,), "int (0:*)"),
        ((None,), (None,), "int (:)"),
        ((2,), (-1,), "int (-1:0)"),
    ],
)
def test_arrays_of_assumed_size(
    dimensions: tuple[int | None, ...], lowers: tuple[int | None, ...], text: str
) -> None:
    """`:` is for bounds that an object has; the type of none needs an object here."""
    kind = Array(INT, dimensions, lower_bounds=lowers)
    assert fortran_name(kind) == type_text(kind, style="fortran") == text
    if None in dimensions:
        assert "*" not in fortran_name(evolve(kind, lost_length="not known"))


def test_typedefs_in_classes() -> None:
    """A typedef is what was written, and its target is not; a template parameter is its target."""
    own = Typedef("I", INT, "Box<int>::")
    declared = Declarations(
        typedefs=(NestedTypedef(own),), template_types=(TemplateType("T", UNSIGNED),)
    )
    members = (
        Member("plain", INT, 0),
        Member("cst", Qualified("const", INT), 32),
        Member("own", Pointer(own), 64),
        Member("parameter", UNSIGNED, 128),
        Member("outer", Typedef("word", UNSIGNED), 160),
        Member("other", Typedef("I", INT, "Box<unsigned int>::"), 192),
    )
    kind = Struct("struct", "Box<int>", 28, members, declared=declared)
    assert type_text(kind, cplusplus=True) == (
        "struct Box<int> [with T = unsigned int] {\n"
        "    int plain;\n    const int cst;\n    I *own;\n"
        "    T parameter;\n    word outer;\n    Box<T>::I other;\n\n    typedef int I;\n}"
    )


def test_base_classes_have_the_name_that_the_source_gives() -> None:
    """clang keeps the typedef, and GDB shows it; a structure without a name has its own words."""
    nameless = Struct("struct", None, 4, (Member("z", INT, 0),))
    base = Struct("struct", "Base", 4, (Member("b", INT, 0),))
    bases = (
        Typedef("TD", nameless),
        Typedef("In", base, "n::"),
        Qualified("const", base),
        nameless,
    )
    members = [
        Member(None, kind, 32 * index, is_base_class=True, access="public")
        for index, kind in enumerate(bases)
    ]
    text = type_text(Struct("struct", "E", 16, tuple(members)), cplusplus=True)
    assert text is not None
    title = "struct E : public TD, public n::In, public Base, public struct {...} {"
    assert text.split("\n")[0] == title


def test_arguments_of_templates_have_their_local_names() -> None:
    """As in GDB, the whole argument before its parts: `Box<int, Less<int> >` is `Box<T, L>`."""
    less = Struct("struct", "Less<int>", 1, ())
    parameters = (TemplateType("L", less), TemplateType("T", INT))
    other = Struct("struct", "Box<Less<int>, Less<Less<int> > >", 4, ())
    members = (Member("less", less, 0), Member("other", other, 32))
    kind = Struct(
        "struct",
        "Box<int, Less<int> >",
        8,
        members,
        declared=Declarations(template_types=parameters),
    )
    assert type_text(kind, cplusplus=True) == (
        "struct Box<int, Less<int> > [with L = Less<int>, T = int] {\n"
        "    L less;\n    Box<L, Less<L> > other;\n}"
    )


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: type(kind).__name__)
def test_hostile_types(kind: Type) -> None:
    try:
        assert isinstance(type_text(kind), str)
        assert "x" in declaration(kind, "x")
    except DwarfGpuError:
        pass


@pytest.mark.parametrize(("count", "text"), [(70, "int"), (100, "int"), (101, "..."), (150, "...")])
def test_pointers_by_typedefs_are_followed(count: int, text: str) -> None:
    kind: Type = INT
    for number in range(count):
        kind = Typedef(f"p{number}", Pointer(kind))
    assert type_text(kind) == f"{text} {'*' * min(count, 100)}"


def test_members_are_bounded() -> None:
    """A small file can repeat the same unnamed structure many times."""
    many = Struct("struct", None, 4, tuple(Member("m", INT, 0) for _ in range(2_000)))
    kind = Struct("struct", "s", 4, tuple(Member("n", many, 0) for _ in range(2_000)))
    text = type_text(kind)
    assert text.count("\n") < 2 * MAX_MEMBERS and text.endswith("...\n}")


@pytest.mark.parametrize("style", ["fortran", "ada"])
def test_members_of_fortran_and_ada_are_bounded(style: Style) -> None:
    """Those beyond the bound are not left out without a word."""
    kind = Struct("struct", "s", 4, tuple(Member("m", INT, 0) for _ in range(MAX_MEMBERS + 1)))
    lines = definition(kind, style).splitlines()
    assert len(lines) == MAX_MEMBERS + 3 and lines[-2] == "    ..."
    exact = evolve(kind, members=kind.members[1:])
    assert "..." not in definition(exact, style)


def test_enumerators_of_ada_are_bounded() -> None:
    table = tuple((f"e{number}", number) for number in range(MAX_MEMBERS + 1))
    assert definition(Enum("e", 4, table), "ada").endswith(f", e{MAX_MEMBERS - 1}, ...)")
    assert definition(Enum("e", 4, table[:-1]), "ada").endswith(f", e{MAX_MEMBERS - 1})")


@pytest.mark.parametrize(
    "shown",
    [
        type_text,
        offset_text,
        partial(definition, style="fortran"),
        partial(definition, style="ada"),
    ],
    ids=["ptype", "ptype/o", "fortran", "ada"],
)
def test_characters_of_members_are_bounded(shown: Callable[[Type], str | None]) -> None:
    """A small file can have thousands of members of one long name."""
    name = "n" * 16_000
    kind = Struct("struct", "s", 4, tuple(Member(name, INT, 0) for _ in range(2_000)))
    text = shown(kind)
    assert text is not None and "...\n" in text
    assert abs(len(text) - MAX_CHARACTERS) < 100_000
    few = Struct("struct", "s", 4, kind.members[:400])
    whole = shown(few)
    assert whole is not None and whole.count(name) == 400 and "..." not in whole


def test_characters_of_enumerators_are_bounded() -> None:
    kind = Enum("e", 4, tuple(("n" * 16_000, 1) for _ in range(2_000)))
    text = type_text(kind)
    assert text.endswith(", ...}") and len(text) < MAX_CHARACTERS + 100_000


def test_offsets_behind_arrays_and_pointers() -> None:
    """GDB 13 prints the same; where a structure comes before, its offsets are added to these."""
    deep = Struct("struct", None, 24, (Member("q", INT, 0), Member("more", Array(PAIR, (2,)), 64)))
    inner = Struct("struct", None, 4, (Member("z", INT, 0),))
    part = Struct("struct", None, 32, (Member("n", INT, 0), Member("in", inner, 64)))
    whole = Struct(
        "struct", "s", 80,
        (Member("a", Array(deep, (3,)), 0), Member("p", Pointer(part), 576)),
    )  # fmt: skip
    assert (offset_text(whole) or "").splitlines() == [
        "/* offset      |    size */  type = struct s {",
        "/*      0      |      72 */    struct {",
        "/*      0      |       4 */        int q;",
        "/* XXX  4-byte hole      */",
        "/*      8      |      16 */        struct pair more[2];",
        "                               } a[3];",
        "/*     72      |       8 */    struct {",
        "/*      0      |       4 */        int n;",
        "/* XXX  4-byte hole      */",
        "/*      8      |       4 */        struct {",
        "/*      8      |       4 */            int z;",
        "                                   } in;",
        "                               } *p;",
        "",
        "                               /* total size (bytes):   80 */",
        "                             }",
    ]


def test_members_of_every_variant_are_listed() -> None:
    """As GDB lists the types of rustc in C, and the discriminant of Ada once."""
    kind = Member("kind", INT, 0, entry=1)
    inner = VariantPart(None, (Variant((Member("deep", INT, 64, entry=4),), ()),))
    part = VariantPart(
        Member("kind", INT, 0, entry=1),
        (
            Variant((Member("one", INT, 32, entry=2),), ((1, 1),)),
            Variant((Member("two", INT, 32, entry=3),), (), (inner,)),
        ),
    )
    choice = Struct("struct", "choice", 12, (kind,), _declared=Declarations(variant_parts=(part,)))
    members = "    int kind;\n    int one;\n    int two;\n    int deep;\n"
    assert type_text(choice) == f"struct choice {{\n{members}}}"
    shown = offset_text(choice)
    assert shown is not None
    assert [line.split()[-1] for line in shown.splitlines() if "int" in line] == [
        "kind;", "one;", "two;", "deep;",
    ]  # fmt: skip


def test_a_boolean_discriminant_of_ada_has_names() -> None:
    """As in GDB: `when true`, not `when 1`."""
    boolean = Base(BaseType("boolean", "boolean", 8))
    discriminant = Member("d", boolean, 0, entry=1)
    part = VariantPart(
        discriminant,
        (
            Variant((Member("one", INT, 32, entry=2),), ((1, 1),)),
            Variant((Member("two", INT, 32, entry=3),), ((0, 0),)),
        ),
    )
    declared = Declarations(variant_parts=(part,))
    record = Struct("struct", "rec", 8, (discriminant,), _declared=declared)
    text = definition(record, "ada")
    assert "when true =>" in text and "when false =>" in text


def test_variants_of_rust() -> None:
    """The members are those that `set language c`, `info types` of GDB 13 name."""
    done = run("debug", FIXTURES / "rust/shapes.rustc.O0", "-batch", "-ex", "ptype shapes::Choice")
    words = [line.split() for line in done.out.splitlines()]
    assert [line[-1] for line in words if line[0] == "struct"] == ["Nothing;", "Number;", "Place;"]
