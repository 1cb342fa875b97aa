"""Our text of static C variables against that of the installed GDB."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType, float_format
from dwarfgpu.base.bits import from_bytes
from dwarfgpu.base.records import frozen
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
from dwarfgpu.errors import Unavailable
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory
from dwarfgpu.view.values import FormatOptions, format_value
from tests.repl.test_gdb_sessions import gdb_version

pytestmark = [
    pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed"),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed"),
]

SOURCE = r"""
#include <stdint.h>
#include <uchar.h>
#include <wchar.h>
enum flags { A = 1, B = 2, C = 4 };
enum gap { P = 1, Q = 6, R = 8 };
enum negative { N = -1, Z = 0, T = 3 };
enum flags e_flags[] = {3, 0, 8, 11, 4};
enum gap e_gap[] = {7, 0, 9, 6, 14};
enum negative e_negative[] = {-1, 3, 2, -5};
char c_bytes[] = {0, 7, 'A', -1, 127, '\'', '"', '\\', '\n', 27, 1};
char c_one = '\'', c_quote = '"';
unsigned char c_unsigned = 200, s_unsigned[] = {200, 65, 0};
signed char c_signed = -3;
char s_300[300] = "hello", s_12[12] = "aaaaaaaaaaaa", s_10[] = "aaaaaaaaaa";
char s_32[32] = "abcaaaaaaaaaaaaaaaxyzzzzzzzzzzzzzzzz";
char s_4[4] = "abcd", s_5[5] = "abcd", s_7[20] = "", s_1[1] = {0}, s_8[8] = "\0011\0019\n\t";
char s_long[210] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
  "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
  "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvw";
wchar_t w_text[] = L"wide", w_one = L'x', w_odd[] = {0x4030201, '1', 0x400, 0};
char16_t u_text[] = u"u16", u_one = u'y';
char32_t U_text[] = U"u32";
uint8_t m_bytes[2][3] = {{1, 2, 3}, {4, 5, 6}};
int m_ints[3][4] = {{1, 2, 3, 4}, {1, 2, 3, 4}, {5, 5, 5, 5}};
int r_long[300] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3};
int r_ten[12] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 9};
int r_many[1000] = {1,2,3,4,5,6,7,8,9,[11]=3,[13]=4,[100]=1,[102]=2,[900]=6};
char s_rows[12][4] = {"abc", "abc"};
struct point { int x, y; } points[12] = {{1, 2}, {3, 4}};
struct anonymous { int a; union { int b; float c; }; struct { short d, e; }; }
  anonymous = {1, {2}, {3, 4}};
struct empty {} empty;
struct around { struct empty e; int a; } around = {{}, 3};
float f_32[] = {1.0f, 0.1f, 1e30f, -0.0f, __builtin_inff(), -__builtin_inff(),
  __builtin_nanf(""), -__builtin_nanf("0x123"), 1e-45f, 16777216.f, 1e9f, 123456789.f};
double f_64[] = {1.0, 0.1, 1e300, -0.0, __builtin_inf(), __builtin_nan("5"), 5e-324, 1e16, 1e17,
  3.14159, 1e-4, 1e-5, 123456.789};
long double f_80[] = {1.0L, 0.1L, 1e4000L, __builtin_nanl(""), __builtin_infl(), -1.5L};
__float128 f_128 = 0.1Q;
_Float16 f_16 = 0.1f16;
_Complex double z_128 = 1.5 - 2.5i;
__int128 i_128 = -5;
unsigned __int128 u_128 = (unsigned __int128)1 << 100;
_Bool b_array[3] = {1, 0, 1};
int function(int x) { return x; }
int (*p_function)(int) = function, (*p_functions[2])(int) = {function, function};
const char *p_text = "str"; char *p_null; unsigned char *p_unsigned = s_unsigned;
int *p_int = &r_long[3], **p_pointer = &p_int;
struct point *p_point = points;
char (*p_array)[4] = s_rows;
struct pointers { char *c; void *v; int *i; int (*f)(int); wchar_t *w; char *bad; char **cc;
  struct pointers *self; } pointers = {s_5, &w_one, r_long + 3, function, w_text, (char *)16,
  &p_null, &pointers};
struct fields { unsigned a : 3; int b : 5; unsigned c : 9; _Bool d : 1; enum flags e : 3;
  char f : 4; long g : 40; signed char h : 8; } fields = {5, -3, 300, 1, 3, -2, -7, 65};
union both { int i; float f; char c[4]; double d; unsigned char u; } both = {0x3f800000};
typedef int v4 __attribute__((vector_size(16)));
v4 vector = {1, 2, 3, 4};
typedef signed char v16 __attribute__((vector_size(16)));
v16 bytes_vector = {1, 2, 3, -4};
struct nested { struct { struct { int a; int b[2]; } x; struct point p[2]; } y; int z; }
  nested = {{{1, {2, 3}}, {{4, 5}, {6, 7}}}, 8};
long i_long = -1; unsigned short i_ushort = 65535; short i_short = -1; unsigned i_unsigned = 7;
int main(void) { return 0; }
"""


def base(name: str, encoding: str, bits: int) -> Base:
    form = float_format(name, bits, x87=True) if encoding == "float" else None
    return Base(BaseType(name, encoding, bits, float_format=form))


def members(*rows: tuple[str | None, Type, int] | tuple[str, Type, int, int]) -> tuple[Member, ...]:
    """Name, type, bit offset and, for a bit-field, bit size."""
    return tuple(Member(row[0], row[1], row[2], row[3] if len(row) > 3 else None) for row in rows)


INT = base("int", "signed", 32)
UNSIGNED = base("unsigned int", "unsigned", 32)
SHORT = base("short", "signed", 16)
LONG = base("long", "signed", 64)
CHAR = base("char", "signed_char", 8)
UCHAR = base("unsigned char", "unsigned_char", 8)
SCHAR = base("signed char", "signed_char", 8)
BOOL = base("_Bool", "boolean", 8)
FLOAT = base("float", "float", 32)
DOUBLE = base("double", "float", 64)
WCHAR = Typedef("wchar_t", INT)
CHAR16 = Typedef("char16_t", base("unsigned short", "unsigned", 16))
CHAR32 = Typedef("char32_t", UNSIGNED)
UINT8 = Typedef("uint8_t", Typedef("__uint8_t", UCHAR))
MEMORY = Memory(architecture("x86_64").address_space(0))
FLAGS = Enum("flags", 4, (("A", 1), ("B", 2), ("C", 4)))
GAP = Enum("gap", 4, (("P", 1), ("Q", 6), ("R", 8)))
NEGATIVE = Enum("negative", 4, (("N", -1), ("Z", 0), ("T", 3)), is_signed=True)
POINT = Struct("struct", "point", 8, members(("x", INT, 0), ("y", INT, 32)))
EMPTY = Struct("struct", "empty", 0)
FUNCTION = Function(INT, (INT,))
INNER_UNION = Struct("union", None, 4, members(("b", INT, 0), ("c", FLOAT, 0)))
INNER_STRUCT = Struct("struct", None, 4, members(("d", SHORT, 0), ("e", SHORT, 16)))
NESTED_X = Struct("struct", None, 12, members(("a", INT, 0), ("b", Array(INT, (2,)), 32)))
NESTED_Y = Struct("struct", None, 28, members(("x", NESTED_X, 0), ("p", Array(POINT, (2,)), 96)))
POINTERS = Struct(
    "struct",
    "pointers",
    64,
    members(
        ("c", Pointer(CHAR), 0),
        ("v", Pointer(None), 64),
        ("i", Pointer(INT), 128),
        ("f", Pointer(FUNCTION), 192),
        ("w", Pointer(WCHAR), 256),
        ("bad", Pointer(CHAR), 320),
        ("cc", Pointer(Pointer(CHAR)), 384),
        ("self", Pointer(lambda: POINTERS), 448),
    ),
)
FIELDS = Struct(
    "struct",
    "fields",
    16,
    members(
        ("a", UNSIGNED, 0, 3),
        ("b", INT, 3, 5),
        ("c", UNSIGNED, 8, 9),
        ("d", BOOL, 17, 1),
        ("e", FLAGS, 18, 3),
        ("f", CHAR, 24, 4),
        ("g", LONG, 64, 40),
        ("h", SCHAR, 104, 8),
    ),
)
BOTH = Struct(
    "union",
    "both",
    8,
    members(
        ("i", INT, 0),
        ("f", FLOAT, 0),
        ("c", Array(CHAR, (4,)), 0),
        ("d", DOUBLE, 0),
        ("u", UCHAR, 0),
    ),
)

VARIABLES: dict[str, Type] = {
    "e_flags": Array(FLAGS, (5,)),
    "e_gap": Array(GAP, (5,)),
    "e_negative": Array(NEGATIVE, (4,)),
    "c_bytes": Array(CHAR, (11,)),
    "c_one": CHAR,
    "c_quote": CHAR,
    "c_unsigned": UCHAR,
    "c_signed": SCHAR,
    "s_unsigned": Array(UCHAR, (3,)),
    "s_300": Array(CHAR, (300,)),
    "s_12": Array(CHAR, (12,)),
    "s_10": Array(CHAR, (11,)),
    "s_32": Array(CHAR, (32,)),
    "s_4": Array(CHAR, (4,)),
    "s_5": Array(CHAR, (5,)),
    "s_7": Array(CHAR, (20,)),
    "s_1": Array(CHAR, (1,)),
    "s_8": Array(CHAR, (8,)),
    "s_long": Array(CHAR, (210,)),
    "w_text": Array(WCHAR, (5,)),
    "w_one": WCHAR,
    "w_odd": Array(WCHAR, (4,)),
    "u_text": Array(CHAR16, (4,)),
    "u_one": CHAR16,
    "U_text": Array(CHAR32, (4,)),
    "m_bytes": Array(UINT8, (2, 3)),
    "m_ints": Array(INT, (3, 4)),
    "r_long": Array(INT, (300,)),
    "r_ten": Array(INT, (12,)),
    "r_many": Array(INT, (1000,)),
    "s_rows": Array(CHAR, (12, 4)),
    "points": Array(POINT, (12,)),
    "anonymous": Struct(
        "struct",
        "anonymous",
        12,
        members(("a", INT, 0), (None, INNER_UNION, 32), (None, INNER_STRUCT, 64)),
    ),
    "empty": EMPTY,
    "around": Struct("struct", "around", 4, members(("e", EMPTY, 0), ("a", INT, 0))),
    "f_32": Array(FLOAT, (12,)),
    "f_64": Array(DOUBLE, (13,)),
    "f_80": Array(base("long double", "float", 128), (6,)),
    "f_128": base("_Float128", "float", 128),
    "f_16": base("_Float16", "float", 16),
    "z_128": base("complex double", "complex_float", 128),
    "i_128": base("__int128", "signed", 128),
    "u_128": base("__int128 unsigned", "unsigned", 128),
    "b_array": Array(BOOL, (3,)),
    "function": FUNCTION,
    "p_function": Pointer(FUNCTION),
    "p_functions": Array(Pointer(FUNCTION), (2,)),
    "p_text": Pointer(Qualified("const", CHAR)),
    "p_null": Pointer(CHAR),
    "p_unsigned": Pointer(UCHAR),
    "p_int": Pointer(INT),
    "p_pointer": Pointer(Pointer(INT)),
    "p_point": Pointer(POINT),
    "p_array": Pointer(Array(CHAR, (4,))),
    "pointers": POINTERS,
    "fields": FIELDS,
    "both": BOTH,
    "vector": Typedef("v4", Array(INT, (4,), is_vector=True)),
    "bytes_vector": Typedef("v16", Array(SCHAR, (16,), is_vector=True)),
    "nested": Struct("struct", "nested", 32, members(("y", NESTED_Y, 0), ("z", INT, 224))),
    "i_long": LONG,
    "i_ushort": base("unsigned short", "unsigned", 16),
    "i_short": SHORT,
    "i_unsigned": UNSIGNED,
}

STYLES: dict[str, tuple[str, FormatOptions]] = {
    "plain": ("", FormatOptions()),
    "pretty": ("", FormatOptions(pretty=True)),
    "few": ("", FormatOptions(elements=4)),
    "shallow": ("", FormatOptions(max_depth=1)),
    **{letter: (f"/{letter}", FormatOptions(letter=letter)) for letter in "xduotcafzs"},
}
SETTINGS = {
    "pretty": "set print pretty on",
    "few": "set print elements 4",
    "shallow": "set print max-depth 1",
}
NOT_COMPARED = {
    "/x of a function reads its code": {("function", s) for s in "xduotcafz"},
    "GDB refuses more than 8 bytes": {(v, s) for v in ("i_128", "u_128", "z_128") for s in "ac"},
    "GDB reads 16 bytes as the host's long double": {
        (v, "f") for v in ("i_128", "u_128", "z_128", "f_128")
    },
    "infinity and NaN have no integer": {(v, s) for v in ("f_32", "f_64", "f_80") for s in "ac"},
}


@frozen
class Program:
    """The compiled program: its memory, its symbols and GDB's text of each variable."""

    segments: tuple[tuple[int, bytes], ...]
    symbols: dict[str, tuple[int, int]]
    text: dict[tuple[str, str], str]

    def read(self, address: int, space: int, size_bytes: int) -> bytes:
        for start, data in self.segments:
            if start <= address and address + size_bytes <= start + len(data):
                return data[address - start : address - start + size_bytes]
        raise Unavailable(f"no memory at {address:#x}")

    def symbolize(self, address: int) -> str | None:
        for name, (start, size) in self.symbols.items():
            if start <= address < start + size:
                return name if address == start else f"{name}+{address - start}"
        return None


def gdb_output(program: Path) -> dict[tuple[str, str], str]:
    script = ["set width 0", "set height 0", "set confirm off", "set host-charset UTF-8"]
    for style, (suffix, _) in STYLES.items():
        script += ["set print pretty off", "set print elements 200", "set print max-depth 20"]
        script += [SETTINGS[style]] if style in SETTINGS else []
        for name in VARIABLES:
            if not any((name, style) in group for group in NOT_COMPARED.values()):
                script += [f"echo \\n@@ {name} {style}\\n", f"output{suffix} {name}"]
    commands = program.with_suffix(".gdb")
    commands.write_text("\n".join(script) + "\n")
    done = subprocess.run(
        ["gdb", "-nx", "-q", "-batch", "-x", str(commands), str(program)],
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    parts = re.split(r"\n@@ (\w+) (\w+)\n", done.stdout)
    return {(parts[i], parts[i + 1]): parts[i + 2] for i in range(1, len(parts) - 2, 3)}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("gdb") / "program"
    path.with_suffix(".c").write_text(SOURCE)
    command = ["gcc", "-g", "-O0", "-no-pie", "-o", str(path), str(path.with_suffix(".c"))]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        pytest.skip(f"gcc does not build the program: {built.stderr.splitlines()[0]}")
    with path.open("rb") as file:
        elf = ELFFile(file)
        segments = tuple(
            (s["p_vaddr"], s.data().ljust(s["p_memsz"], b"\0"))
            for s in elf.iter_segments()
            if s["p_type"] == "PT_LOAD"
        )
        symbols = {
            s.name: (s["st_value"], s["st_size"])
            for s in elf.get_section_by_name(".symtab").iter_symbols()
            if s["st_info"]["type"] in ("STT_OBJECT", "STT_FUNC") and s.name in VARIABLES
        }
    return Program(segments, symbols, gdb_output(path))


@pytest.mark.parametrize(
    ("name", "style"),
    [
        (name, style)
        for style in STYLES
        for name in VARIABLES
        if not any((name, style) in group for group in NOT_COMPARED.values())
    ],
)
def test_same_as_gdb(program: Program, name: str, style: str) -> None:
    if style in ("few", "f") and not gdb_version().startswith("13."):
        pytest.skip("GDB 16 ends equal characters at the limit, and reads 2 bytes as a half")
    address, size = program.symbols[name]
    kind = VARIABLES[name]
    data = b"" if isinstance(kind, Function) else program.read(address, 0, size)
    ours = format_value(
        Bits(from_bytes(data, 8 * len(data), "little"), 8 * len(data)),
        kind,
        STYLES[style][1],
        location=Location(
            (SingleLocation(Memory(architecture("x86_64").address_space(0)), 8 * address),)
        ),
        symbolize=program.symbolize,
        read_memory=program.read,
    )
    assert ours == program.text[name, style]
