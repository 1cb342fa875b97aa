"""Random types of C and C++ and random bytes for them, as a program that GDB can read.

Law: everything is drawn from one seeded generator, so that a seed is a program. Types are built by
the compiler; the bytes of their objects are put into its file afterwards, and it never runs.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.types.type_sizes import size_bits, strides_of
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Enum,
    Function,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    strip,
)
from dwarfgpu.objfile.elf import ObjectFile, open_object

NUMBERS: Final = """char|signed char|unsigned char|short|unsigned short|int|unsigned|long
unsigned long|long long|unsigned long long|float|double|long double|_Float16|__int128
unsigned __int128|_Complex float|_Complex double|wchar_t|char16_t|char32_t|BOOL|BYTE""".replace(
    "\n", "|"
).split("|")
FIELDS: Final = """char|signed char|unsigned char|short|unsigned short|int|unsigned|long
unsigned long|BOOL|FLAGS|NEGATIVE|GAPS""".replace("\n", "|").split("|")
VECTORS: Final = ("signed char", "unsigned char", "short", "int", "unsigned", "long", "double")
MAX_RAW: Final = 4_000
"""Bytes of one object."""
OBJECTS: Final = 40
"""Of one program."""

COMMON: Final = r"""
enum flags { A = 1, B = 2, C = 4, D = 64 };
enum negative { MINUS = -1, ZERO, THREE = 3 };
enum gaps { SIX = 6, SEVEN, NINE = 9 };
typedef enum flags FLAGS; typedef enum negative NEGATIVE; typedef enum gaps GAPS;
struct pair { int first; char second[3]; };
typedef int binary(int, char);
int function(int a, char b) { return a + b; }
int number = 7, numbers[20] = {1, 2, 3};
char text[20] = "some text", *texts[3] = {text, text + 3};
struct pair pairs[3] = {{1, "ab"}, {2, "cd"}};
"""
C_PRELUDE: Final = """#include <stddef.h>
#include <uchar.h>
#include <wchar.h>
typedef _Bool BOOL; typedef unsigned char BYTE;
"""
CPLUSPLUS_PRELUDE: Final = """typedef bool BOOL; typedef char8_t BYTE;
namespace ns { enum class Small : unsigned char { one = 1, two, seven = 7 };
struct Inner { int x; Small small; }; }
"""


class Source:
    """Draws types; each is declared before it is used."""

    def __init__(self, draw: random.Random, cplusplus: bool) -> None:
        self.draw = draw
        self.cplusplus = cplusplus
        self.declared: list[str] = []
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"n{self.count}"

    def base(self) -> str:
        kinds = [*NUMBERS, "FLAGS", "NEGATIVE", "GAPS", "struct pair"]
        if self.cplusplus:
            kinds = [kind for kind in kinds if "_Complex" not in kind]
            kinds += ["ns::Small", "ns::Inner"]
        return self.draw.choice(kinds)

    def declaration(self, name: str, depth: int) -> str:
        """`int (*name)[3]`: a name of a random type."""
        draw = self.draw
        kind = draw.random()
        if kind < 0.45 or depth <= 0:
            return f"{self.base()} {name}"
        if kind < 0.65:
            return self.array(name, depth)
        if kind < 0.8:
            return self.pointer(name, depth)
        if kind < 0.85:
            return f"{self.vector()} {name}"
        return f"{self.structure(depth - 1)} {name}"

    def array(self, name: str, depth: int) -> str:
        counts = [self.draw.choice((1, 2, 3, 4, 9, 10, 11, 12))]
        if self.draw.random() < 0.1:
            counts = [self.draw.choice((199, 200, 201, 250))]
        elif self.draw.random() < 0.4:
            counts.append(self.draw.choice((1, 2, 3, 11)))
        marks = "".join(f"[{count}]" for count in counts)
        return self.declaration(f"{name}{marks}", 0 if counts[0] > 20 else depth - 1)

    def pointer(self, name: str, depth: int) -> str:
        kinds = ["void *{}", "int *{}", "char *{}", "const char *{}", "struct pair *{}",
                 "binary *{}", "int (*{})[4]", "char **{}", "unsigned char *{}", "wchar_t *{}",
                 "double *{}", "int (*const {})(int, char)", "volatile short *{}"]  # fmt: skip
        if self.cplusplus:
            kinds += ["int &{}", "struct pair &{}", "int pair::*{}", "char (pair::*{})[3]"]
            if "[" in name:
                kinds = [kind for kind in kinds if "&" not in kind and "::*" not in kind]
        if "[" in name:
            kinds = [kind for kind in kinds if "(*" not in kind and "const {" not in kind]
        return self.draw.choice(kinds).replace("{}", name)

    def vector(self) -> str:
        name = self.name()
        element, size = self.draw.choice(VECTORS), self.draw.choice((8, 16, 32))
        self.declared.append(f"typedef {element} {name} __attribute__((vector_size({size})));")
        return name

    def structure(self, depth: int, kinds: tuple[str, ...] = ("struct", "struct", "union")) -> str:
        kind = self.draw.choice(kinds)
        name = self.name()
        above = ""
        if self.cplusplus and kind == "struct" and depth > 0 and self.draw.random() < 0.3:
            above = f" : {self.structure(depth - 1, ('struct',))}"
        body = self.body(depth, kind)
        head = f"{kind} {name}"
        self.declared.append(f"{head}{above.replace('struct ', '').replace('union ', '')} {body};")
        return head

    def body(self, depth: int, kind: str) -> str:
        members: list[str] = []
        for _ in range(self.draw.randint(1, 5)):
            which = self.draw.random()
            if which < 0.2:
                field, width = self.draw.choice(FIELDS), self.draw.randint(1, 7)
                width = 1 if field == "BOOL" else width
                members.append(f"{field} {self.name()} : {width};")
            elif which < 0.3 and depth > 0:
                inner = self.draw.choice(("struct", "union"))
                name = "" if self.draw.random() < 0.6 else f" {self.name()}"
                members.append(f"{inner} {self.body(depth - 1, inner)}{name};")
            else:
                members.append(f"{self.declaration(self.name(), depth)};")
        if kind == "union":  # a reference makes no member of a union
            members = [member for member in members if "&" not in member] or ["int u;"]
        return "{ " + " ".join(members) + " }"


@frozen
class Program:
    """A compiled program of random types."""

    path: Path
    source: str
    objects: tuple[str, ...]
    """The names of pointers to the objects."""


def make(seed: int, cplusplus: bool, folder: Path, compiler: str) -> Program:
    """The program of a seed; the objects have no bytes yet. Raises `CalledProcessError`."""
    draw = random.Random(seed)
    source = Source(draw, cplusplus)
    lines: list[str] = []
    names: list[str] = []
    for index in range(OBJECTS):
        alias, name = f"t{index}", f"p{index}"
        typedef = f"typedef {source.declaration(alias, 3)};"
        if "&" in typedef:
            inner = typedef.removeprefix("typedef ").replace(alias, "r")
            typedef = f"typedef struct {{ {inner} }} {alias};"
        lines += [*source.declared, typedef]
        source.declared.clear()
        lines.append(
            f"__attribute__((aligned(64))) unsigned char raw{index}[sizeof({alias})] = {{1}};"
        )
        lines.append(f"{alias} *{name} = ({alias} *)raw{index};")
        names.append(name)
    prelude = CPLUSPLUS_PRELUDE if cplusplus else C_PRELUDE
    text = prelude + COMMON + "\n".join(lines) + "\nint main(void) { return 0; }\n"
    path = folder / f"seed{seed}"
    suffix = ".cpp" if cplusplus else ".c"
    path.with_suffix(suffix).write_text(text)
    standard = "-std=c++20" if cplusplus else "-std=gnu11"
    subprocess.run(
        [compiler, standard, "-g", "-O0", "-w", "-no-pie", "-o", path, path.with_suffix(suffix)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return Program(path, text, tuple(names))


class Filler:
    """Draws bytes for objects, partly meaningful ones."""

    def __init__(self, draw: random.Random, file: ObjectFile) -> None:
        self.draw = draw
        self.symbols = {symbol.name: symbol.address for symbol in file.symbols}
        self.symbols.setdefault("function", self.symbols.get("_Z8functionic", 0))

    def bytes(self, kind: Type | None, size: int) -> bytes:
        data = bytearray(self.draw.randbytes(min(size, MAX_RAW)).ljust(size, b"\0"))
        if self.draw.random() < 0.3:
            data = bytearray(size)
        self.fill(data, kind, 0, 0)
        return bytes(data)

    def fill(self, data: bytearray, kind: Type | None, bit: int, depth: int) -> None:
        bare = strip(kind)
        if depth > 10 or bit % 8:
            return
        at = bit // 8
        match bare:
            case Struct():
                for member in bare.members:
                    if (
                        member.bit_size is None
                        and member.bit_offset is not None
                        and not member.is_static
                    ):
                        self.fill(data, member.type, bit + member.bit_offset, depth + 1)
            case Array():
                self.array(data, bare, bit, depth)
            case Pointer():
                number = self.pointer(bare)
                data[at : at + 8] = number.to_bytes(8, "little")
            case MemberPointer():
                number = self.draw.choice((0, 4, (1 << 64) - 1))
                data[at : at + 8] = number.to_bytes(8, "little")
            case Base(base=base) if base.encoding == "boolean":
                data[at] = self.draw.choice((0, 1, 1, data[at]))
            case Base() | Enum():
                size = (size_bits(bare) or 0) // 8
                if self.draw.random() < 0.5:
                    small = self.draw.choice((0, 1, 2, 3, 6, 7, 65, 97, 39, 34, 92, 10, 255))
                    data[at : at + size] = small.to_bytes(size, "little")
            case _:
                pass

    def array(self, data: bytearray, kind: Array, bit: int, depth: int) -> None:
        strides = strides_of(kind)
        if strides is None or not strides[-1] or strides[-1] % 8:
            return
        total = (size_bits(kind) or 0) // strides[-1]
        for index in range(min(total, 300)):
            self.fill(data, kind.element, bit + index * strides[-1], depth + 1)
        size, start = strides[-1] // 8, bit // 8
        if total > 2 and self.draw.random() < 0.6:  # neighbours that are equal
            first = self.draw.randrange(total)
            count = self.draw.randint(1, total - first)
            one = bytes(data[start + first * size : start + (first + 1) * size])
            data[start + first * size : start + (first + count) * size] = one * count

    def pointer(self, kind: Pointer) -> int:
        target = strip(kind.target)
        names = ["number", "numbers", "pairs", "texts", "function"]
        if isinstance(target, Base):
            names = {"char": ["text"], "int": ["number", "numbers"]}.get(target.name, names)
        address = self.symbols[self.draw.choice(names)]
        if kind.kind != "pointer":
            is_pair = isinstance(target, Struct)
            return self.symbols["pairs" if is_pair else "number"]
        if isinstance(target, Function):
            return self.draw.choice((0, self.symbols["function"]))
        return self.draw.choice((0, address, address + 4, 16, self.draw.getrandbits(48)))


def put(path: Path, contents: dict[str, bytes]) -> None:
    """Write the bytes of symbols into the file."""
    file = open_object(path)
    symbols = {symbol.name: symbol for symbol in file.symbols}
    data = bytearray(path.read_bytes())
    for name, raw in contents.items():
        address = symbols[name].address
        segment = next(
            segment
            for segment in file.segments
            if segment.address <= address < segment.address + segment.file_bytes
        )
        offset = segment.offset + address - segment.address
        data[offset : offset + len(raw)] = raw
    path.write_bytes(data)
