"""What GDB prints for strings with characters that are wrong or cut, recorded in gdb_strings.json.

`python -m tests.view.gdb_strings` records anew with the GDB of this machine, and compares many more
than it records. The charset of GDB is that of the locale: UTF-8, and in the C locale ASCII.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.view.strings import CharacterKind, quoted_string

RECORDED: Final = Path(__file__).with_name("gdb_strings.json")
LOCALES: Final = ("C.UTF-8", "C")
KINDS: Final = {1: CharacterKind(1), 2: CharacterKind(2, "u"), 4: CharacterKind(4, "U")}
TYPES: Final = {1: "char", 2: "char16_t", 4: "char32_t"}

INSIDE: Final = """
import gdb, json
cases = json.load(open({path!r}))
gdb.execute("set language c++")
gdb.execute("set width 0")
out = []
for width, text, elements in cases:
    data = bytes.fromhex(text)
    kind = gdb.lookup_type({types!r}[width]).array(len(data) // width - 1)
    gdb.execute(f"set print elements {{elements}}")
    gdb.set_convenience_variable("it", gdb.Value(data, kind))
    out.append(gdb.execute("output $it", False, True))
json.dump(out, open({path!r}, "w"))
"""


@frozen
class Case:
    """An array of characters of a size in bytes, and `set print elements`."""

    width: int
    data: bytes
    elements: int = 200

    def ours(self, locale: str) -> str:
        return quoted_string(
            self.data,
            KINDS[self.width],
            "little",
            elements=self.elements,
            repeats=10,
            utf8=locale == "C.UTF-8",
            sevenbit=locale == "C",
        )


BYTES: Final = (
    # At the end: the lengths of UTF-8, those it once had, and bytes that begin nothing.
    b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xf7", b"\xf8\x88\x80\x80", b"\xfd\x80", b"\xc0",
    b"\xfe", b"\xff", b"\x80", b"ab\xc3", b"ab\xc3\0", b"ab\xc3\0\0", b"ab\xe2\x82",
    b"\xc3\xa9\xc3", b"\xff\xc3", b"\xed\xa0", b"\xf4\x90", b"\xe0\x80", b"\xf0\x80",
    # In the middle.
    b"a\xc3b", b"a\xe2\x82b\0", b"a\xf0\x9f\x98\xc3\xa9", b"a\xf7b", b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xc2\x85x",
    # Around repeats.
    b"\1" * 40 + b"\x1a\xf7", b"\1" * 40 + b"\xf7", b"x" * 12 + b"\xe2\x82", b"\xc3" * 12,
    b"x" * 12 + b"\xe2\x82y", b"x" * 11 + b"\xc3", b"\xe2\x82" * 12 + b"z", b"\xc2\x85" * 12 + b"a",
    b"\xc3\xa9" * 12 + b"\xe2", b"\xff" * 12 + b"\xc3", b"\xc3" + b"y" * 12, b"a\0\0\xc3",
    b"\0" * 12 + b"\xf0\x9f",
)  # fmt: skip
"""Each is recorded whole, and with few elements."""
UNITS: Final = (
    (0x61, 0xD83D), (0x61, 0xDE00), (0xD83D, 0x61), (0xD83D, 0xDE00), (0xD83D, 0xD83D), (0xD83D,),
    (0x61, 0x62, 0xD83D, 0), (*(0x61,) * 12, 0xD83D), (0xE9, 0x85, 0xFFFF), (0xDE00,) * 12,
)  # fmt: skip
"""Of UTF-16."""


def listed() -> list[Case]:
    """What is recorded."""
    wide = [b"".join(unit.to_bytes(2, "little") for unit in units) for units in UNITS]
    return [
        *(Case(1, data, elements) for data in BYTES for elements in (200, 3)),
        *(Case(2, data, elements) for data in wide for elements in (200, 2)),
    ]


def random_cases(count: int, seed: int) -> list[Case]:
    """Strings of pieces that are likely to be read in two ways."""
    rng = random.Random(seed)
    lead = [bytes((code,)) for code in (0xC2, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0xF7, 0xF8, 0xFC)]
    pieces = [
        *lead, b"\x80", b"\xbf", b"\x9f", b"a", b"7", b"\0", b"\n", b"\"", b"\\", b"\xff",
        b"\xc3\xa9", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", b"\xc2\x85", b"x" * 11, b"\x01" * 12,
    ]  # fmt: skip
    units = [0x61, 0xE9, 0xD83D, 0xDE00, 0, 0x20AC, 0x85, 0x37]
    out: list[Case] = []
    for _ in range(count):
        elements = rng.choice((200, 200, 1, 2, 3, 5, 12))
        if rng.random() < 0.25:
            data = b"".join(
                rng.choice(units).to_bytes(2, "little") * rng.choice((1, 1, 1, 12))
                for _ in range(rng.randint(1, 6))
            )
            out.append(Case(2, data, elements))
        else:
            data = b"".join(rng.choice(pieces) for _ in range(rng.randint(1, 7)))
            out.append(Case(1, data, elements))
    return out


def answers_of_gdb(cases: list[Case], locale: str) -> list[str]:
    """What the GDB of this machine prints, in a locale."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cases.json")
        path.write_text(json.dumps([(c.width, c.data.hex(), c.elements) for c in cases]))
        code = INSIDE.format(path=str(path), types=TYPES)
        subprocess.run(
            ["gdb", "-nx", "-q", "-batch", "-ex", f"python exec({code!r})"],
            check=True, capture_output=True, stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": locale},
        )  # fmt: skip
        answers: list[str] = json.loads(path.read_text())
    return answers


def record() -> None:
    """Write what GDB prints, and compare more of it with ours."""
    cases = listed()
    answers = {locale: answers_of_gdb(cases, locale) for locale in LOCALES}
    rows = [
        [case.width, case.data.hex(), case.elements, *texts]
        for case, *texts in zip(cases, *answers.values(), strict=True)
    ]
    lines = ",\n".join(json.dumps(row) for row in rows)
    RECORDED.write_text(f"[\n{lines}\n]\n", "utf-8")
    more = random_cases(20_000, random.SystemRandom().randrange(1 << 32))
    for locale in LOCALES:
        pairs = zip(more, answers_of_gdb(more, locale), strict=True)
        wrong = [
            (case, text, case.ours(locale)) for case, text in pairs if case.ours(locale) != text
        ]
        print(f"{locale}: {len(more)} random strings, {len(wrong)} differ", *wrong[:10], sep="\n")


if __name__ == "__main__":
    sys.exit(record())
