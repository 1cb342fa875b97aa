"""`finish` shows what a function returned to a lane, of each type, or why that is not known."""

from __future__ import annotations

import re

import pytest

from tests.cli.command import FIXTURES, run

IN_MEMORY = "it is returned in memory, at an address that the caller passed"
CHANGED = "the compiler has changed how the function is called (DW_CC_nocall)"
RETURNED = {  # to lane 7; None: in memory
    "r_bool": "false",
    "r_char": "104 'h'",
    "r_schar": "-7 '\\371'",
    "r_short": "-2100",
    "r_ushort": "60007",
    "r_int": "-7",
    "r_long": "-35000000000",
    "r_ulong": "10000000000000000007",
    "r_int128": str(7 << 70),
    "r_float": "7.5",
    "r_double": "7.25",
    "r_half": "7.5",
    "r_pointer": "(int *) ADDRESS <numbers+28>",
    "r_color": "blue",
    "r_level": "level::high",
    "r_pair": "{first = 7, second = -7, third = 120 'x'}",
    "r_point": "{x = 7.5, y = -7}",
    "r_one_double": "{value = 7.25}",
    "r_three_bytes": '{at = "xy\\a"}',
    "r_three_words": "{x = 7, y = 14, z = -7}",
    "r_mixed": "{c = 109 'm', d = 7.125, s = -7}",
    "r_nested": '{p = {x = 7.5, y = 2}, b = {at = "abc"}, last = -7000000007}',
    "r_sixteen": "{at = {7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22}}",
    "r_seventeen": IN_MEMORY,
    "r_fields": "{low = 7, high = 1000}",
    "r_empty": "{<No data fields>}",
    "r_derived": "{<base> = {a = 7}, b = -7}",
    "r_small_derived": "{<base> = {a = -7}, b = 7}",
    "r_owner": IN_MEMORY,
    "r_either": "{i = 21, f = 2.94272678e-44}",
    "r_char4": "the convention of vectors of bytes is not documented",
    "r_short2": "{7, -2}",
    "r_short3": "{7, -2, 3}",
    "r_int2": "{7, -7}",
    "r_int3": "{7, -7, 3}",
    "r_float4": "{7.5, 1, 2, 3}",
    "r_half2": "{7, -0.5}",
    "r_half3": "{7, -0.5, 2}",
    "r_double2": "{7.5, -1}",
    "r_long4": "{7, -7, 3, 5000000000}",
    "r_void": "",
}
CHANGED_BY_O2 = {"r_three_words", "r_mixed", "r_nested", "r_sixteen", "r_derived"}
"""Functions without parts of the value that clang knows already."""


@pytest.mark.parametrize(
    ("target", "level"), [("gfx90a", "O2"), ("gfx942", "O0"), ("gfx1100", "O2"), ("gfx1200", "O0")]
)
def test_what_functions_return(target: str, level: str) -> None:
    """Only the odd lanes call them; each level is of a wave of 64 and of one of 32 lanes."""
    commands: list[str] = []
    for name in RETURNED:
        commands += [f"tbreak {name}", "continue" if commands else "run", "lane 7", "finish"]
    done = run(
        "debug", FIXTURES / f"run/returns.{target}.{level}.v5.co", "--dispatch", "returns",
        "--heuristic", "--grid", 32, "--workgroup", 32, "--scratch", 65536,
        "--arg", "0=zeros:32768", "--batch", *(word for c in commands for word in ("-ex", c)),
    )  # fmt: skip
    parts = re.split(r"(?m)^Run till exit from #0  (?:0x\w+ in )?(\w+) .*$", done.out)
    answers = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert list(answers) == list(RETURNED), done.err
    for name, wanted in RETURNED.items():
        [value, *_] = [*re.findall(r"^Value returned (.*)$", answers[name], re.MULTILINE), ""]
        is_changed = level == "O2" and name in CHANGED_BY_O2
        reason = CHANGED if is_changed else wanted
        if is_changed or " is " in wanted:
            kind = name.removeprefix("r_")
            assert value == f"has type: {kind}. Cannot determine contents"
            assert f"note: the value that {name} returned: {reason}" in done.err
        else:
            value = re.sub(r"0x[0-9a-f]+", "ADDRESS", value)
            assert re.sub(r"^is \$\d+ = ", "", value) == wanted
