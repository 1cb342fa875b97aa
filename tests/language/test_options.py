"""What the caller gives an evaluation and gets from it: $names, refusals, what was looked at."""

from __future__ import annotations

import pytest

from dwarfgpu import language
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language import Options, TypedValue
from dwarfgpu.session.session import Session
from tests.language.sessions import demo, stopped


@pytest.fixture
def session() -> Session:
    return stopped("locations.gfx942", 3)


def text(session: Session, expression: str, options: Options) -> str:
    try:
        return language.format(language.evaluate(expression, session, options), session)
    except DwarfGpuError as error:
        return error.message


def test_convenience_variables(session: Session) -> None:
    named: dict[str, TypedValue] = {}
    options = Options(named.get, named.__setitem__)
    for expression, expected in [
        ("$n", "void"),
        ("$n(1)", '"$n" is not a convenience function'),
        ('$_shell("true")', '"$_shell" is not supported: expressions run no programs '
         '("shell COMMAND" does, and sets $_shell_exitcode)'),
        ("$n = t * 2", "6"),
        ("$n + 1", "7"),
        ("$n += 1, $n", "7"),
        ("$n++", "7"),
        ("$n", "8"),
        ("$n = 2.5", "2.5"),
        ("sizeof($n = 1)", "4"),
        ("$n", "2.5"),  # sizeof evaluates nothing
        ("$n = local_frame", "{id = 3, at = {{x = -3, y = 3, tag = \"Ab\"}, "
         "{x = -3, y = 3, tag = \"Ab\"}}, low = 5, high = 3}"),
        ("$n.at[1].x - $n.id", "-6"),
        ("&$n", "Attempt to take address of value not located in memory."),
        ("$n = *(int *) local#0x7000", "Cannot access memory at address local#0x7000"),
        ("$n = undefined", "<optimized out>"),
        ("$n + 1", "value has been optimized out"),
        ("$s8 = 5", "5"),  # a register is not a convenience variable
        ("$s8", "5"),
    ]:  # fmt: skip
        assert text(session, expression, options) == expected, expression
    assert set(named) == {"n"}
    assert text(session, "$n = 1", Options()) == "Left operand of assignment is not an lvalue."


def test_a_comparison_with_a_string_literal_names_what_compares_strings(session: Session) -> None:
    """GDB writes the literal into the memory of a process, and compares addresses."""
    for expression in ('"a" == "a"', 'local_frame.at[0].tag != "Ab"', '"Ab" < local_frame.at'):
        with pytest.raises(UsageError, match=r"\$_streq\(A, B\) compares two strings"):
            language.evaluate(expression, session)


def test_a_fixed_value_stays_as_it_was(session: Session) -> None:
    """And nothing of it is read again: the parts are those of the contents that it had."""
    old = evolve(language.evaluate("local_frame", session), is_fixed=True)
    options = Options({"1": old}.get)
    assert text(session, "local_frame.at[1].x = 77", options) == "77"
    assert text(session, "$1.at[1].x", options) == "-3"
    assert text(session, "local_frame.at[1].x", options) == "77"
    assert text(session, "&$1.at[1]", options) == "(point *) private_lane#0x2c"
    for expression in ("$1 = $1", "$1.at[1].x = 3", "$1.id++"):
        result = text(session, expression, options)
        assert result == "Left operand of assignment is not a modifiable lvalue."


@pytest.mark.parametrize("expression", ["t = 1", "t++", "--t", "t *= 2", "$x = 1", "1 ? t = 1 : 0"])
def test_assignments_can_be_refused(session: Session, expression: str) -> None:
    options = Options(keep=lambda name, value: pytest.fail(name), read_only="not here")
    assert text(session, expression, options) == "not here"
    assert text(session, "t", options) == "3"


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("t", ["t"]),
        ("local_array[t % 4] + t", ["local_array", "t"]),
        ("*pointer_generic", ["pointer_generic"]),
        ("0 && t", []),
        ("sizeof t + 1", []),
        ("t / 0", ["t"]),
        ("undefined + t", ["undefined", "t"]),
        ("t + nosuch", ["t"]),
        ("k::t", ["t"]),
    ],
)
def test_looked_at_is_called_for_each_variable(
    session: Session, expression: str, names: list[str]
) -> None:
    seen: list[str] = []
    text(session, expression, Options(looked_at=lambda variable, _: seen.append(variable.name)))
    assert seen == names


def test_notes_are_those_of_the_variables() -> None:
    session = stopped("data.gfx942.O0", 3)
    note = "upstream clang: "
    assert language.evaluate("1 + 1", session).notes == ()
    notes = language.evaluate("wide / 2", session).notes
    assert notes == session.read(session.variable("wide")).notes
    assert any(item.startswith(note) for item in notes)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("global_struct.in[1].weight * 2", "double"),
        ("&global_struct.next->in", "struct inner (*)[2]"),
        ("*(struct outer *) 0", "struct outer"),
        ("numbers[5]++", "int"),
        ("global_struct.fn(1)", "int"),
        ("main", "int (int, char **)"),
        ("$nosuch", "void"),
    ],
)
def test_types_are_worked_out_without_reading(expression: str, expected: str) -> None:
    session = evolve(demo(), target=None)
    assert type_name(language.type_of(expression, session).type) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("outer_t", "outer_t"),
        ("struct inner *", "struct inner *"),
        ("unsigned long", "unsigned long"),
        ("int (*)[3]", "int (*)[3]"),
        ("const volatile char *", "const volatile char *"),
        ("numbers", None),
        ("1 + 1", None),
        ("nosuch", None),
        ("", None),
    ],
)
def test_types_by_name(name: str, expected: str | None) -> None:
    named_type = language.named_type(name, demo())
    assert (None if named_type is None else type_name(named_type.type)) == expected


@pytest.mark.parametrize("name", ["struct nosuch", "int +", "outer_t x", "struct", "int[x]"])
def test_names_that_begin_as_types_and_are_none(name: str) -> None:
    with pytest.raises(DwarfGpuError):
        language.named_type(name, demo())
