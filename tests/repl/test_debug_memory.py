"""The parts of the data commands by themselves: formats of `x`, regular expressions, patterns."""

from __future__ import annotations

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import UsageError
from dwarfgpu.repl.data.find_commands import parts_of
from dwarfgpu.repl.data.option_settings import with_options
from dwarfgpu.repl.files.posix_regexps import compiled, listing_options
from dwarfgpu.repl.settings import Settings
from dwarfgpu.service.machine.examine_format import Format, format_and_rest
from dwarfgpu.view.command_options import first_option
from dwarfgpu.view.format_options import FormatOptions

LAST = Format("x", "w", 4)


@pytest.mark.parametrize(
    ("text", "expected", "unit_bytes"),
    [
        ("4xw $sp", Format("x", "w", 4), 4),
        ("$sp", Format("x", "w", 1), 4),
        ("b t", Format("x", "b", 1), 1),
        ("-2dh t", Format("d", "h", -2), 2),
        ("c t", Format("c", "b", 1), 1),  # characters are bytes
        ("cw t", Format("c", "w", 1), 4),
        ("a t", Format("a", "a", 1), 8),  # addresses are of 8 bytes
        ("f t", Format("f", "w", 1), 4),  # a word can be a number
        ("s t", Format("s", "", 1), 1),
        ("sh t", Format("s", "h", 1), 2),  # characters of 16 bits
        ("sg t", Format("s", "g", 1), 1),  # there are no such characters
        ("rx t", Format("x", "w", 1), 4),
    ],
)
def test_letters_and_sizes_of_a_format(text: str, expected: Format, unit_bytes: int) -> None:
    result, rest = format_and_rest(text, LAST, 64)
    assert (result, result.unit_bytes) == (expected, unit_bytes)
    assert rest in ("t", "$sp")


def test_the_size_of_an_address_is_that_of_the_machine() -> None:
    assert format_and_rest("a t", LAST, 32)[0].unit_bytes == 4


def test_a_float_after_bytes_is_a_giant() -> None:
    assert format_and_rest("f t", Format("x", "b", 1), 64)[0] == Format("f", "g", 1)


def test_too_many_units() -> None:
    with pytest.raises(UsageError, match="at most 1000000 units"):
        format_and_rest("99999999999xb t", LAST, 64)


@pytest.mark.parametrize(
    ("pattern", "text", "is_found"),
    [
        ("a\\|b", "xb", True),
        ("a|b", "xb", False),
        ("a|b", "a|b", True),
        ("x\\+", "xx", True),
        ("x+", "xx", False),
        ("(a)", "(a)", True),
        ("\\(a\\)b", "ab", True),
        ("a\\{2\\}$", "baa", True),
        ("a{2}", "aa", False),
        ("^ma", "main", True),
        ("[^a]b", "ab", False),
        ("[]x]", "]", True),
        ("[a[]", "[", True),
        ("a*", "", True),
        ("*", "a*b", True),
        ("*", "ab", False),
        ("operator\\*", "operator*", True),
        ("[a-~]", "A", False),  # a letter beside a mark has no meaning of `re`
        ("[0-~]", "+", False),
        ("[Z-_]", "Z", True),
        ("[_-b]", "a", True),
        ("[--a]", "B", True),
    ],
)
def test_basic_regular_expressions(pattern: str, text: str, is_found: bool) -> None:
    assert compiled(pattern).search(text) is is_found


@pytest.mark.parametrize("pattern", ["[", "[^", "\\(", "a\\)"])
def test_invalid_regular_expressions(pattern: str) -> None:
    with pytest.raises(UsageError, match="Invalid regexp"):
        compiled(pattern)


@pytest.mark.parametrize(
    ("text", "expected", "rest"),
    [
        ("-elements 3 -- t", FormatOptions(elements=3), "t"),
        ("-memory-tag-violations off -elements 3 -- t", FormatOptions(elements=3), "t"),
        ("-pretty -elements 3 -- t", FormatOptions(pretty=True, elements=3), "t"),
        ("-pretty off -- t", FormatOptions(), "t"),
        ("-pretty y -- t", FormatOptions(pretty=True), "t"),  # as in GDB, the first letter
        ("-pretty n -- t", FormatOptions(), "t"),
        ("-max-depth 0 -- t", FormatOptions(max_depth=0), "t"),
        ("-elements 0 -- t", FormatOptions(elements=1 << 31), "t"),
        ("-elem unlimited -- t", FormatOptions(elements=1 << 31), "t"),
        ("-t", FormatOptions(), "-t"),  # without an end it is a subtraction
        ("-- -t", FormatOptions(), "-t"),
    ],
)
def test_options_of_print(text: str, expected: FormatOptions, rest: str) -> None:
    settings, result = with_options(text, "print", Settings())
    own = evolve(settings.format_options(), utf8=False, sevenbit=False)  # these are the locale's
    assert (own, result) == (expected, rest)


@pytest.mark.parametrize("text", ["-elements 4 t", "-elem 4 t", "-pretty 1"])
def test_options_without_their_end(text: str) -> None:
    """The option exists: what is missing is `--`."""
    word = text.partition(" ")[0]
    with pytest.raises(UsageError, match=f'ends the options of "print": write {word} ... -- '):
        with_options(text, "print", Settings())
    with pytest.raises(UsageError, match='"print" has no option -nosuch'):
        with_options("-nosuch 4 t", "print", Settings())
    assert with_options("-elements + 4", "print", Settings())[1] == "-elements + 4"


@pytest.mark.parametrize("word", ["o", "YES", "2"])
def test_values_that_are_not_boolean(word: str) -> None:
    """GDB's words: an option that is not the last needs one of its spellings."""
    with pytest.raises(UsageError, match=f"Value given for `-pretty' is not a boolean: {word}"):
        with_options(f"-pretty {word} -- t", "print", Settings())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("main", ("", None, "main")),
        ("-n main", ("n", None, "main")),
        ("-n -q main", ("nq", None, "main")),
        ("-n no main", ("", None, "main")),
        ("-n 1 -q off main", ("n", None, "main")),
        ("-n no", ("", None, "")),
        ("-n no -n main", ("n", None, "main")),
        ("-n -n no main", ("", None, "main")),
        ("-n o main", ("n", None, "o main")),  # not a boolean: part of the expression
        ("-t no main", ("", "no", "main")),
        ("-q -- -n", ("q", None, "-n")),
    ],
)
def test_options_of_listings(text: str, expected: tuple[str, str | None, str]) -> None:
    """What GDB 13 takes for `info functions`."""
    assert listing_options(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a, +4, 1", ["a", "+4", "1"]),
        ("f(a, b), x[1, 2]", ["f(a, b)", "x[1, 2]"]),
        ("\"a, b\", ','", ['"a, b"', "','"]),
        ('"a\\", b", c', ['"a\\", b"', "c"]),
        ("", [""]),
        ("a,", ["a", ""]),
    ],
)
def test_what_commas_part(text: str, expected: list[str]) -> None:
    assert parts_of(text) == expected


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("-i mod 3", None), ("-i MOD 3", None), ("-i - 3", None), ("-x", None), ("-sizeof x", None),
        ("-raw-values is", "-raw-values"), ("-pretty in", "-pretty"), ("-x 3", "-x"),
        ("-x modx", "-x"), ("-x -- 3", "-x"),
    ],
)  # fmt: skip
def test_a_word_before_an_operator_is_no_option(text: str, option: str | None) -> None:
    assert first_option(text) == option
