"""What GDB adds to C: its functions, arrays that are written, types of expressions; and the casts
of C++ and complex numbers."""

from __future__ import annotations

import pytest

from dwarfgpu import language
from dwarfgpu.dwarf.types.types import Unspecified
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.object import Bits
from tests.language.sessions import demo, stopped, text


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # $_functions (GDB manual, "Convenience Functions")
        ('$_strlen("abc")', "3"),
        ("$_strlen(global_struct.name)", "3"),
        ('$_strlen(u"ab")', "2"),
        ('$_streq("a", "a") + $_streq("a", "b")', "1"),
        ('$_regex("abc", "a.c") + $_regex("abc", "b")', "1"),  # from the start, as re.match
        ("$_memeq(&numbers[0], &numbers[1], 4)", "1"),
        ("$_memeq(&numbers[0], &numbers[12], 4)", "0"),
        ("$_memeq(0, 0, 0)", "1"),
        ('$_memeq("ab", "ac", 1)', "1"),
        ("$_isvoid((void)0) + $_isvoid(1)", "1"),
        # a variable that was never set is false, as `void` is
        ("!$unset", "1"), ("!(void)0", "1"), ("$unset && 1", "0"), ("1 && $unset", "0"),
        ("0 || $unset", "0"), ("$unset == $other", "1"), ("$unset != $other", "0"),
        ("$unset || 1", "1"), ("$unset ? 1 : 2", "2"),
        ("$_as_string(GREEN)", '"GREEN"'),
        # as GDB's str(): a pointer has no type before it, and a variable of an array is one
        ("$_as_string(&numbers[1])", '"0x4044 <numbers+4>"'),
        ("$_as_string(numbers)", '"0x4040 <numbers>"'),
        ("$_as_string(numbers[0]@2)", '"{1, 1}"'),
        ("$_strlen", "<internal function _strlen>"),
        ("sizeof($_strlen(5))", "4"),  # not evaluated
        # their errors
        ("$_strlen(1)", "Trying to read string with inappropriate type `int'."),
        ("$_strlen()", "$_strlen takes 1 argument, not 0"),
        ('$_streq("a")', "$_streq takes 2 arguments, not 1"),
        ("$_isvoid()", "You must provide one argument for $_isvoid."),
        ("$_creal(1)", "expected a complex number"),
        ('$_regex("a", "(")',
         "'(' is not a regular expression: missing ), unterminated subpattern at position 0"),
        ("$_memeq(0, 0, -1)", "length must be non-negative"),
        ('$_memeq("ab", "ab", 9)', "9 bytes of an array of 3"),
        # arrays that are written
        ("{1, 2}", "{1, 2}"), ("{1, 2}[1]", "2"), ("sizeof {1, 2, 3}", "12"),
        ("{numbers[12], 1}", "{2, 1}"), ("{int} &numbers[12]", "2"),
        ("{1, 1.5}", "array elements must all be the same size"),
        # alignment, and types of expressions
        ("_Alignof(int)", "4"), ("_Alignof(double)", "8"), ("alignof(outer_t)", "8"),
        ("_Alignof(char [7])", "1"), ("_Alignof(void)", "1"),
        ("(typeof(numbers[0])) 2.5", "2"), ("(__typeof__(char)) 65", "65 'A'"),
        ("sizeof(typeof(numbers))", "1200"), ("sizeof(typeof(*&numbers[0]) *)", "8"),
        ("_Alignof(typeof(numbers))", "4"), ("(const typeof(numbers[0])) 2.5", "2"),
        ("(typeof(typeof(numbers[0]) const)) 2.5", "2"), ("{typeof(numbers[0])} numbers", "1"),
        ("(void (*)(typeof(1))) 0",
         "typeof is not supported in the parameters of a function type."),
        ("typeof(1)", "Attempt to use a type as an expression"),
        # casts of C++
        ("static_cast<int>(2.5)", "2"),
        ("reinterpret_cast<long>(&numbers[0]) == (long) numbers", "1"),
        ("reinterpret_cast<char>(2.5)", "Invalid reinterpret_cast"),
        ("const_cast<const int *>(&numbers[0]) == numbers", "1"),
        ("dynamic_cast<int>(1)", "Argument to dynamic_cast must be a pointer or reference type"),
        ("(int (*)(int,)) 0", "A syntax error in expression, near `)) 0'."),
        ("static_cast<int>", "A syntax error in expression, near `'."),
        # `@`, pointers and structures in GDB's words
        ("numbers[0]@1.5", 'Non-integral right operand for "@" operator.'),
        ("numbers[0]@99999999999", "Value out of range."),
        ("numbers[0]@-1", "Invalid number -1 of repetitions."),
        ("5@2", "Only values in memory can be extended with '@'."),
        ("*(void *)&numbers[0]", "Attempt to dereference a generic pointer."),
        ("-&numbers[0]", "Argument to negate operation not a number."),
        ("~&numbers[0]", "Argument to complement operation not an integer, boolean."),
        ("numbers[0]->x",
         "Attempt to extract a component of a value that is not a structure pointer."),
        ("global_struct.in.weight", "1.5"),  # of the first element
        ("(&global_struct.in).weight", "1.5"),
        ("(&numbers[0]).x", "Attempt to extract a component of a value that is not a structure."),
        ("((void *) 0).x", "Attempt to dereference a generic pointer."),
        ("sizeof(*(void *) 0)", "1"),
        ("*access", "Attempt to take contents of a non-pointer value."),
        ("((const int) 1)[2.5]", "cannot subscript something of type `int'"),
        ("main[1]", "cannot subscript requested type"),
        ("-global_struct.un", "Argument to negate operation not a number."),
        ("global_struct.un < 1", "Invalid type combination in ordering comparison."),
        ("1)", "Junk after end of expression."), ("1]", "Junk after end of expression."),
        ("5#", "Invalid character '#' in expression."),
    ],
)  # fmt: skip
def test_gdbs(expression: str, expected: str) -> None:
    assert text(demo(), expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("&(Right &)bottom == static_cast<Right *>(&bottom)", "true"),
        ("dynamic_cast<Right *>(&bottom) == &bottom", "true"),
        ("reinterpret_cast<Right *>(&bottom) == (void *) &bottom", "true"),
    ],
)
def test_references_and_casts(expression: str, expected: str) -> None:
    assert text(stopped("bases.gcc.O0"), expression) == expected


def test_a_reference_is_shown_with_its_place() -> None:
    shown = text(stopped("bases.gcc.O0"), "(Right &)bottom")
    assert shown.startswith("(Right &) @0x") and ": {" in shown


def test_a_reference_shows_virtual_base_classes() -> None:
    session = stopped("bases.gcc.O0")
    shown = text(session, "(Bottom &)bottom")
    assert shown == f"(Bottom &) @0x404060: {text(session, 'bottom')}"
    assert "<error" not in shown


@pytest.mark.parametrize(
    "operand",
    ["(int &)bottom.l", "u'a'", "U'a'", "(const unsigned long &)bottom"],
)
def test_neither_references_nor_unicode_characters_are_addresses(operand: str) -> None:
    expected = "Attempt to take contents of a non-pointer value."  # GDB 13
    assert text(stopped("bases.gcc.O0"), f"*({operand})") == expected


def test_a_vector_does_not_become_a_pointer() -> None:
    """As in C and in GDB 13, unlike other arrays."""
    session = stopped("bases.gcc.O0")
    assert text(session, "*$xmm0.v4_int32") == "Attempt to take contents of a non-pointer value."


@pytest.mark.parametrize("cast", ["(long &)$rax", "(int &)$eax", "(long &)$rip", "(char &&)$rax"])
def test_a_register_is_in_no_memory_to_refer_to(cast: str) -> None:
    session = stopped("bases.gcc.O0")
    expected = "Attempt to take address of value not located in memory."  # GDB 13
    assert text(session, cast) == text(session, f"sizeof({cast})") == expected


def test_the_size_of_what_a_number_points_to() -> None:
    session = stopped("bases.gcc.O0")
    expected = "Attempt to take contents of a non-pointer value."  # GDB 13
    assert text(session, "sizeof(*bottom.b)") == expected
    assert text(session, "sizeof *5") == expected
    assert text(session, "sizeof(*(int &)bottom.b)") == "4"


def test_a_dynamic_cast_needs_the_class_of_the_object() -> None:
    session = stopped("bases.gcc.O0")
    assert text(session, "dynamic_cast<Bottom *>(top) == &bottom") == "true"
    expected = "Couldn't determine value's most derived type for dynamic_cast"  # GDB 13
    assert text(session, "dynamic_cast<Bottom *>(&plain)") == expected


def test_a_convenience_variable_with_a_null_pointer_is_not_a_function() -> None:
    kept = TypedValue(Unspecified("decltype(nullptr)", 8), bits=Bits(0, 64), convenience="none")
    assert language.format(kept, demo()) == "0"
