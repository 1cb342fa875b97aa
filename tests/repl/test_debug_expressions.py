"""Expressions and types at the prompt of `dwarfgpu debug`: the same commands in GDB."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

COMMANDS = """
whatis global_struct
whatis outer_t
whatis struct outer
whatis &global_struct.in[1]
whatis 1+1.0
whatis (char)1
whatis twice(1)
whatis (outer_t*)0
whatis int
whatis &numbers
whatis uint8_t
whatis const char *
whatis *&numbers
whatis unsigned
whatis main
whatis union word
whatis
ptype
ptype global_struct
ptype outer_t *
ptype int*
ptype unsigned
ptype main
ptype global_struct.fn
ptype global_struct.mat
ptype access
ptype global_struct.color
ptype global_struct.un
ptype struct inner
ptype enum color
ptype union word
ptype twice
ptype message
ptype pi
ptype uint8_t
ptype int[3]
ptype int(*)[3]
ptype numbers[0]@3
ptype struct nosuch
ptype nosuch
p
p $
p $$
p $nosuch
p $nosuch+1
p 5
p $1
p $$3
p/x
set var
set var numbers[0] = 3
p numbers[0] = 3
output 3
output
output/x numbers[12]
p $x = 3
p $x += 1
p $x++
p $x
p $x = 2.5
p $x
p $x = numbers[12]
p $x
p $x = global_struct
p $x.in[1].weight
ptype $x
set var $1 = 4
set var $x = 17
p $x + $1
p $1
p $$2
p 2 + 2
p $ + 1
p &$1
whatis $
p global_struct
p $.in[1].weight
p &$$.in[1]
p $$2.in
p/x numbers[12]@3
p/x global_struct.name
p/d 'a'
p/c numbers[10]@4
p/t global_struct.b1
p/z (short)5
p/a &numbers[2]
p/f global_struct.un.i
p/s global_struct.name
p/u (char)-1
p/o 8
p -5
p sizeof(struct outer)
p 1 ? 2 : 3
p global_struct.nope
p *1.5 == 2
p 1 +
p 08
p 7 % 0
""".strip().splitlines()
UNLIKE = {"p *1.5 == 2": "Attempt to take contents of a non-pointer value."}
"""GDB says something about operators of C++."""


def spoken(command: list[str]) -> list[str]:
    """What a debugger says to each command, in GDB's spelling of base types."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    out = done.stdout.replace("long long unsigned int", "unsigned long long")
    out = out.replace("short int", "short")
    out = re.sub("near the end of `.*'", "near `'", out)  # newer GDBs name the expression
    out = re.sub("^note: .*\n", "", out, flags=re.MULTILINE)
    return [part.rstrip("\n") for part in out.split("@@\n")[1:]]


def test_the_same_as_gdb(tool: Callable[[str], str], repository: Path) -> None:
    program = str(repository / "fixtures/x86_64/demo.gcc.O0.v5")
    gdb_command = [tool("gdb"), "-nx", "-q", "-batch"]
    dwarfgpu_command = [sys.executable, "-m", "dwarfgpu", "debug", program, "--batch", "-q"]
    for line in COMMANDS:
        gdb_command += ["-ex", "echo @@\\n", "-ex", line]
        dwarfgpu_command += ["-ex", "echo @@\\n", "-ex", line]
    expected, result = spoken([*gdb_command, program]), spoken(dwarfgpu_command)
    assert len(expected) == len(result) == len(COMMANDS)
    different = [
        item
        for item in zip(COMMANDS, expected, result, strict=True)
        if item[2] != UNLIKE.get(item[0], item[1])
    ]
    assert not different, "\n".join(map(repr, different))
