"""Our text of random objects of random types against GDB's."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

from dwarfgpu import language
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.view.values import FormatOptions
from tests.language.sessions import program
from tests.view.random_types import Filler, Program, make, put

_LEFT_OUT = re.compile("max-value-size")
"""What GDB refuses."""
STYLES: dict[str, tuple[str, FormatOptions]] = {
    "plain": ("", FormatOptions()),
    "pretty": ("-pretty on -- ", FormatOptions(pretty=True)),
    "few": ("-elements 4 -repeats 3 -- ", FormatOptions(elements=4, repeats=3)),
    "x": ("/x ", FormatOptions("x")),
    "d": ("/d ", FormatOptions("d")),
}


@frozen
class Difference:
    """One object that is printed differently."""

    command: str
    declaration: str
    gdb: str
    ours: str

    def __str__(self) -> str:
        shown = f"{self.command}\n  {self.declaration}\n"
        at = next(
            (n for n, (a, b) in enumerate(zip(self.gdb, self.ours, strict=False)) if a != b), 0
        )
        start = max(0, at - 60)
        return f"{shown}  GDB:  {self.gdb[start : at + 120]}\n  ours: {self.ours[start : at + 120]}"


def differences(
    seed: int, cplusplus: bool, folder: Path, compiler: str, gdb: str
) -> tuple[int, list[Difference]]:
    """How many objects were compared, and those that differ."""
    made = make(seed, cplusplus, folder, compiler)
    _fill(seed, made)
    theirs = _printed(made, gdb, cplusplus)
    session = program(made.path)
    result: list[Difference] = []
    for (style, name), expected in theirs.items():
        prefix, options = STYLES[style]
        try:
            value = language.evaluate(f"*{name}", session)
            ours = language.format(value, session, options)
        except DwarfGpuError as error:
            ours = error.message
        if ours != expected and not _LEFT_OUT.search(expected):
            alias = "t" + name.removeprefix("p")
            line = re.search(rf"^typedef .*\b{alias}\b.*$", made.source, re.MULTILINE)
            text = "" if line is None else line[0]
            result.append(Difference(f"print {prefix}*{name}", text, expected, ours))
    return len(theirs), result


def _fill(seed: int, made: Program) -> None:
    session = program(made.path)
    filler = Filler(random.Random(-1 - seed), open_object(made.path))
    contents: dict[str, bytes] = {}
    for name in made.objects:
        kind = language.type_of(f"*{name}", session).type
        contents["raw" + name.removeprefix("p")] = filler.bytes(kind, size_bytes(kind) or 0)
    put(made.path, contents)


def _printed(made: Program, gdb: str, cplusplus: bool) -> dict[tuple[str, str], str]:
    keys = [(style, name) for style in STYLES for name in made.objects]
    script = ["set width 0", "set height 0", "set host-charset UTF-8", "set target-charset ASCII"]
    script.append(f"set language {'c++' if cplusplus else 'c'}")
    script.append("python\nimport gdb\ndef each(command):\n  try:\n    gdb.execute(command)")
    script.append("  except gdb.error as error:\n    print(error)\nend")
    for style, name in keys:
        script += ["echo @@\\n", f'python each("print {STYLES[style][0]}*{name}")']
    commands = made.path.with_suffix(".gdb")
    commands.write_text("\n".join(script) + "\n")
    done = subprocess.run(
        [gdb, "-nx", "-q", "-batch", "-x", str(commands), str(made.path)],
        stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=300,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    parts = done.stdout.decode("utf-8", "replace").split("@@\n")[1:]
    printed = [re.sub(r"^\$\d+ = ", "", part.rstrip("\n")) for part in parts]
    return dict(zip(keys, printed, strict=True))
