"""The arithmetic of Ada, D, Fortran, Go, Pascal and Rust: what programs of these languages print.

Law: the expected numbers are those that programs of fpc, gfortran, gnatmake, go, ldc2 and rustc
print, but for operands that Rust and Go do not compute with (`u1 + few`).
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning, ordinary
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.errors import UsageError
from dwarfgpu.language.constant_expressions import folded
from dwarfgpu.language.syntax import ast
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.session import Session
from tests.cli.command import printed_in_order
from tests.dwarf.builder import Content, Shape, file_of
from tests.language.made_units import BASE_TYPE, HEADER_BYTES, NAME, UNIT, VARIABLE
from tests.repl.repl_shell import made, output_of
from tests.work import calls_of

_DATA = 0x8000
_SUBRANGE = Shape(
    dw.TAG_SUBRANGE_TYPE,
    (NAME, (dw.AT_TYPE, dw.FORM_REF4), (dw.AT_UPPER_BOUND, dw.FORM_DATA1)),
)
_SIGNED, _UNSIGNED, _FLOAT = 5, 7, 4
_ADA, _FORTRAN = 0x0D, 0x0E
_C, _CPLUSPLUS, _OPENCL = 0x0C, 0x04, 0x15
VARIABLES = {
    "i1": (_SIGNED, 1, -7), "u1": (_UNSIGNED, 1, 200), "i4": (_SIGNED, 4, -70000),
    "u4": (_UNSIGNED, 4, 4000000000), "n8": (_SIGNED, 8, -5), "w8": (_UNSIGNED, 8, 5),
    "f4": (_FLOAT, 4, 0x3DCCCCCD), "f8": (_FLOAT, 8, 0x3FB999999999999A),
    "few": (_UNSIGNED, 4, 3), "neg": (_FLOAT, 4, 0xBFC00000), "huge": (_FLOAT, 4, 0x501502F9),
    "nan": (_FLOAT, 4, 0x7FC00000), "flags": (_UNSIGNED, 4, 10), "c": (_UNSIGNED, 1, 250),
    "d": (_UNSIGNED, 1, 10), "small": (_SIGNED, 4, 2),
}  # fmt: skip
"""Encodings, sizes and contents; 0.1 of both sizes, -1.5, 1e10 and NaN are the real numbers."""
TYPES = {
    dw.LANG_GO: ("int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64"),
    dw.LANG_RUST: ("i8", "u8", "i32", "u32", "i64", "u64", "f32", "f64"),
    dw.LANG_PASCAL83: ("ShortInt", "Byte", "LongInt", "LongWord", "Int64", "QWord", "Single",
                       "Double"),
    _C: ("signed char", "unsigned char", "int", "unsigned int", "long", "unsigned long", "float",
           "double"),
    dw.LANG_D: ("byte", "ubyte", "int", "uint", "long", "ulong", "float", "double"),
    _FORTRAN: ("integer(kind=1)", "u1", "integer(kind=4)", "u4", "integer(kind=8)", "u8",
               "real(kind=4)", "real(kind=8)"),
    _ADA: ("short_short_integer", "pk__byte", "integer", "pk__word", "long_long_integer",
           "pk__long", "float", "long_float"),
}  # fmt: skip
"""By encoding and size, in the order of `_ORDER`."""
_ORDER = [(_SIGNED, 1), (_UNSIGNED, 1), (_SIGNED, 4), (_UNSIGNED, 4), (_SIGNED, 8), (_UNSIGNED, 8),
          (_FLOAT, 4), (_FLOAT, 8)]  # fmt: skip
EXPRESSIONS: dict[int, str] = {
    dw.LANG_PASCAL83: """
        u4 + i4 = 3999930000; i4 - u4 = -4000070000; u4 * i4 = -280000000000000
        few * (-2) = -6; few - 5 = -2; -u4 = -4000000000; u4 div i4 = -57142; u4 mod i4 = 60000
        i4 shl 16 = -292552704; i4 shr 4 = 268431081; n8 shr 1 = 9223372036854775805
        u1 div 3 < -5 = false; u4 div 3 > i4 = true; not (u1 or u1) = 55; not (u1 and i1) = -201
        (u1 or u1) shl 33 = 400; u1 shl 24 = 3355443200; Byte(100) shl 31 = 214748364800
        5000000000 shl 31 = -7709325833709551616; w8 > -3000000000 = true; not (u1 div 1) = 55
        u4 shr 28 = 14; i1 shl 40 = -1792; u1 shl 30 = 0; i1 shr 1 = 2147483644
        not u1 = 55; not i1 = 6; not few = 4294967292; i4 < u4 = true; n8 < w8 = true
        u4 = -1 = false; u4 > -1 = true; i1 > w8 = true; w8 * i4 = 18446744073709201616
        w8 - 6 = 18446744073709551615; u4 * u4 = 16000000000000000000; w8 and n8 = 1
        f4 = 0.1 = false; f8 = 0.1 = false; f4 = 0.5 = false; 7 / 2 = 3.5; 1e5000 = inf
        200 shl 30 = 214748364800; -5 shr 1 = 9223372036854775805
        4294967295 shl i1 = 4261412864; --small = 2; 3 --small = 5; +w8 = 5""",
    dw.LANG_GO: """
        u1 + 100 = 44; i1 - 125 = 124; u1 << 1 = 144; u1 << 8 = 0; i1 >> 9 = -1; -u1 = 56
        ^u1 = 55; u1 &^ 15 = 192; u1 & 12 + 1 = 9; flags | 1 == 11 = true; flags & 2 != 0 = true
        1 << 2 + 1 = 5; 1 << 40 = 1099511627776; f4 == 0.1 = true; f8 == 0.1 = true
        0.1 + 0.2 == 0.3 = true; f4 * 2 = 0.200000003; u4 + 1_000_000_000 = 705032704
        i4 % 4096 = -368; 7 / 2 = 3; 7 / 2.0 = 3.5; u1 < 300 = true; u1 == i1 = false
        u1 + few = 203; 1 << few = 8; 0o17 = 15; 1e3 == 1000 = true; 1 < 1.5 = true
        1.5 < 1 = false; 1 << 9000 > 1 = true; 1 << 9000 == 1 << 9001 = false
        1e400 > 1e399 = true; 1e400 / 1e399 = 10; u1 &^ 'a' = 136
        3 &^ 'a' = 2; 1 << 3.0 = 8; 10.0 >> 1 = 5
        i4 << 2.0 = -280000; 'a' = 97; 'a' + 1 = 98; '\\n' = 10; '\\x41' = 65; -'\\'' = -39
        'é' == 233 = true; u1 == 'a' = false; int64('a' << (few + 39)) = 426610511577088
        'a' + 1 << (few + 39) = 97; 1 << (few + 39) + 1 = 4398046511105; 1 << few == 8 = true
        i4 < 1 << 300 = true; 1 << 300 <= w8 = false; -1 << 70 == n8 = false
        2.0 << few = 16; w8 + (18446744073709551615 << few) / 9223372036854775807 = 6
        -(1 << few) + i1 = -15; u1 - (^(1 << few) & 255) = 209; f8 < 1 << 300 = true
        1 << 300 - f8 > 1 = true""",
    dw.LANG_RUST: """
        flags & 2 != 0 = true; flags ^ 8 == 2 = true; flags | 1 == 11 = true; !u1 = 55
        u1 & !1 = 200; f4 == 0.1 = true; f8 == 0.1 = true; 0.1 + 0.2 == 0.3 = false
        nan as i32 = 0; neg as u8 = 0; huge as i32 = 2147483647; huge as u8 = 255
        huge as u64 = 10000000000; 0.1f32 = 0.100000001; 1_000i64 = 1000; -1i32 as u8 = 255
        i4 / 3 = -23333; i4 % 3 = -1; i1 >> 1 = -4; u1 >> 3 = 25; u1 == 300 = false
        --small = 2; 3 - --small = 1
        1 << 2 + 1 = 8; n8 + 1 = -4; 0xff_u8 as i8 = -1; u1 + few = 203
        f8 % 0.03 = 0.010000000000000009; 7.5f32 % 2f32 = 1.5; neg % f4 = -0.0999999791
        2.5e300 % 0.1 = 0.050280399124087327; huge % 0.0 = nan(0x400000)
        1.0 % (1.0 / 0.0) = 1; -2.0 % 2.0 = -0; i1 % -1 = 0
        340282366920938463463374607431768211455 = 340282366920938463463374607431768211455
        true & false = false; true ^ true = false; true | false == true = true
        (u1 == 200) ^ (i1 > 0) = true
        w8 < 340282366920938463463374607431768211456 = true
        !18446744073709551615 % 7 - w8 = 18446744073709551611
        (18446744073709551615 << 9) % 3 | w8 = 7; w8 == 18446744073709551615 / 7 = false""",
    dw.LANG_D: """
        '\\xe9' > 0 = true; cast(char) 200 == 200 = true
        u1 + 100 = 300; i4 + few = 4294897299; u1 == 200 = true; (flags & 2) == 2 = true
        f4 == 0.1 = false; f4 == 0.1f = true; i4 < few = false
        cast(int) f8 = 0; cast(ubyte)(i4) = 144; cast(ubyte) i4 + 1 = 145; cast(int) 2.5 ^^ 2 = 6
        true >>> 1 = 0; (few > 1) >>> 0 = 1
        i4 >>> 1 = 2147448648; i1 >>> 2 = 1073741822; n8 >>> 3 = 2305843009213693951
        2 ^^ 10 = 1024; -2 ^^ 2 = -4; 2 ^^ 3 ^^ 2 = 512; 2 ^^ -1 = 0; 2 ^^ 0.5 = 1.4142135623730951
        1_000 = 1000; 0x1_F = 31; 0b1_01 = 5; 1_0.2_5 = 10.25; 1_000L = 1000; i4 - ~i1 = -70006
        int.sizeof = 4; u1.sizeof = 1; ulong.sizeof + 1 = 9; 2 is 2 = true; null !is null = false
        (u1 == 200) & (i1 > 0) = false; true ^ false = true; true + true = 2; true & 3 = 1
        int.max = 2147483647; int.min = -2147483648; int.max + 1 = -2147483648
        long.min = -9223372036854775808; ulong.max = 18446744073709551615; byte.min - 1 = -129
        ubyte.max = 255; bool.max = true; "abc".length = 3; "abc".length.sizeof = 8
        -'a' = -97; ~'a' = -98; 'a' % 10u = 7; i4 < 'a' = true; 'a' == 97 = true
        u1, 5 = 5; (1, 2) = 2; 7.5 % 2 = 1.5; -7.5f % 2 = -1.5; f8 % 0.03 = 0.010000000000000009""",
    _FORTRAN: """
        -(i1 - 121_1)/2_1 = 64; -2**2 = -4; abs(int(-1.5)) = 1; mod(int(7.9), 3) = 1
        f4 == 0.1 = .TRUE.; f8 == 0.1 = .FALSE.; f8 == 0.1d0 = .TRUE.; f4 == 0.1_4 = .TRUE.
        f8 == 0.1_8 = .TRUE.; 1.0/3.0 = 0.333333343; 1.0d0/3 = 0.33333333333333331
        f4 + 0.2_8 = 0.30000000149011613; kind(0.1) = 4; kind(0.1_8) = 8; kind(1_8) = 8
        kind(i1 + small) = 4; kind(f4 * n8) = 4; f4 * 10 == 1.0 = .TRUE.; 2**10 = 1024
        mod(neg, 0.4d0) = -0.29999999999999993; mod(0.3d0, f4) = 0.09999999701976775
        modulo(neg, 0.4d0) = 0.10000000000000009; mod(i1, n8) = -2; modulo(i1, n8) = -2
        kind(mod(f4, f8)) = 8; kind(mod(i1, n8)) = 8; kind(mod(n8, i1)) = 8
        f4**2 = 0.0100000007; -2**2 = -4; i1 / 2 = -3; 7/2*2.0 = 6""",
    _ADA: """
        c + d = 4; d - c = 16; -d = 246; c * d = 196; not d = 245; m * m = 9; not m = 2
        -m = 3; m + 5 = 2; m + (9 + 9) = 5; c + (250 + 10) = 254
        200 + 100 + d = 54
        c + 2 ** 8 = 250; c + (1 - 2) = 249; c / (200 * 2) = 1; c < (250 + 10) = false
        d + 1E2 = 110; 2#1#E8 + small = 258
        2#1111111111111111111111111111111111111111111111111111111111111111# = 18446744073709551615
        u4 + u4 = 3705032704; -small ** 2 = -4; -2 ** 2 = -4
        -i4 mod 4096 = -3728; (-i4) mod 4096 = 368; i4 mod 4096 = 3728; i4 rem 4096 = -368
        abs i4 = 70000; abs (-5) = 5; f4 = 0.1 = true; f8 = 0.1 = true; f4 * 3.0 = 0.300000012
        1.0/3.0 = 0.33333333333333331; c < 300 = true; c ** 2 = 36; 2 ** 10 = 1024
        2 ** 8000 mod 7 = 4; 10 ** 3000 / 10 ** 2999 = 10; 2.0 ** 9000 / 2.0 ** 8999 = 2.0
        i4 < 2 ** 200 = true; 2 ** 200 <= i1 = false; d < 2 ** 64 = false
        2 ** 4097 = 0 = false; (-1) ** 1000000001 = -1; i4 - -1 = -69999
        c - (254 or 0) = 252; d + (16 xor 3) = 29; d = (8 or 2) = true; ''' = 39
        character'pos(''') = 39; character'pos("a""b"(2)) = 34; character'pos(\"""a"(2)) = 97
        character'pos("a\\n"(2)) = 92; character'pos('\\') = 92; "a" & '"' = "a""\" = true""",
}
"""What each is, between ` = ` at its end."""
NAMES_OF_TYPES = {
    dw.LANG_PASCAL83: {"u4 + i4": "Int64", "u4 + few": "QWord", "i4 shl 1": "LongInt",
                       "u1 shl 1": "LongWord", "few shl 1": "LongWord", "not u1": "Byte",
                       "16777217.0": "Extended", "+w8": "Int64", "f4 * 2": "Single",
                       "f8 / 3": "Double", "f4 + 0.1": "Extended",
                       "5": "ShortInt", "i4 < 5": "Boolean", "i4 / 2": "Double",
                       "256 div u1": "Int64", "u1 and u1": "Byte", "u1 or i1": "Int64",
                       "u4 and i1": "LongWord", "Byte(3)": "Byte"},
    dw.LANG_GO: {"u1 + 1": "uint8", "u1 << few": "uint8", "5": "int", "1.5": "float64",
                 "1 == 1": "bool", "f4 * 2": "float32", "-i4": "int32", "(uint16)3": "uint16",
                 "(int)u1": "int", "u1 == 5": "bool", "'a'": "int32", "'a' + 1": "int32",
                "'a' + 1.5": "float64", "'a' << 2": "int32", "1 << '\\x03'": "int",
                "u1 + 'a'": "uint8", "'a' + 1 << few": "int32",
                 "100 * ('a' << few)": "int32", "1 << few + 2": "int", "10.0 >> 1": "int"},
    dw.LANG_RUST: {"u1 + 1": "u8", "5": "i32", "5000000000": "i64", "1.5": "f64", "1u16": "u16",
                   "f4 * 2.0": "f32", "!u1": "u8", "n8 << 2": "i64", "true | false": "bool",
                   "f4 as usize": "usize"},
    dw.LANG_D: {"u1 + u1": "int", "few + 1": "uint", "w8 + 1": "ulong", "5": "int",
                "1 == 1": "bool", "true & false": "bool", "true & 1": "int", "-true": "int",
                "true >>> 1": "int", "'é' + 1": "int", "'é'": "wchar", "int.sizeof": "ulong",
                "'a' % 10u": "uint", "'a' + 'a'": "int", "~'a'": "int", "true << 1": "int",
                "0.3L + f8": "real", "0.3L": "real", "f4 + f8": "double", "-0.5L": "real",
                "true ? w8 : w8": "ulong", "true ? n8 : w8": "ulong", "true ? i1 : i1": "byte",
                "true ? i1 : u1": "int", "true ? 1 > 2 : 1": "int", "true ? 0.3L : f8": "real",
                "true ? 'a' : 'b'": "char",
                "true ? few : i4": "uint", "true ? f4 : w8": "float", "true ? true : false": "bool",
                "int.max": "int", "ubyte.max": "ubyte", '"abc".length': "ulong",
                "5000000000": "long", "-u1": "int",
                "i1 >>> 1": "int", "u1 ^^ i1": "int", "2.5f ^^ 2": "float",
                "cast(ubyte) 5": "ubyte", "1_000L": "long"},
    _FORTRAN: {"f4 * 2": "real(kind=4)", "1.5": "real*4", "1.5d0": "real*8", "2_8": "integer*8",
               "i1 + i1": "integer(kind=1)", "-f4": "real(kind=4)", "(1.0, 2)": "complex*4"},
    _ADA: {"c + d": "pk.byte", "m * 3": "pk.ten", "5": "integer", "f4 * f4": "float",
           "-i4": "integer", "i4 mod 3": "integer", "0.1": "long_float"},
}  # fmt: skip
DOUBTS = {
    (dw.LANG_RUST, "u1 + 100"): "the result overflows u8, where debug builds of Rust panic",
    (dw.LANG_RUST, "1 << 40"): "the shift count 40 is not one of i32, where debug builds of Rust"
    " panic",
    (dw.LANG_RUST, "-128i8 % -1"): "the quotient overflows i8, where all builds of Rust panic",
    (dw.LANG_RUST, "-128i8 / -1"): "the quotient overflows i8, where all builds of Rust panic",
    (_ADA, "small + 2147483646"): "the result overflows integer, where Ada raises Constraint_Error",
    (_FORTRAN, "i4 * 2000000000"): "the result overflows integer(kind=4), which Fortran does not"
    " define",
}
_C_IMAGINARY = "Imaginary numbers such as 1.5i are those of C."
_GO_IMAGINARY = (
    "Imaginary numbers of Go are not supported in expressions; the parts of a complex number z are"
    " $_creal(z) and $_cimag(z)."
)
ERRORS = {
    (dw.LANG_GO, "u1 + 300"): "The type uint8 does not hold 300.",
    (dw.LANG_GO, "i4 + 2.5"): "2.5 is no integer, as int32 needs.",
    (dw.LANG_GO, "u4 + i4"): "Go does not compute with uint32 and int32: write a cast.",
    (dw.LANG_GO, "f4 * few"): "Go does not compute with float32 and uint32: write a cast.",
    (dw.LANG_GO, "i4 << 2.5"): "A shift count of Go is an integer, not 2.5.",
    (dw.LANG_GO, "1.5 << 1"): "A shifted constant of Go is an integer, not 1.5.",
    (dw.LANG_GO, "1.0 / 0"): "Division by zero",
    (dw.LANG_GO, "(1 - 1.0) / 0.0"): "Division by zero",
    (dw.LANG_GO, "7 % 0"): "Division by zero",
    (dw.LANG_GO, "u1 &^= 300"): "The type uint8 does not hold 300.",
    (dw.LANG_GO, "i1 + 'é'"): "The type int8 does not hold 233.",
    (dw.LANG_GO, "'a' * 100000000"): "The type int32 does not hold 9700000000.",
    (dw.LANG_GO, "u1 << i1"): "negative shift amount",
    (dw.LANG_GO, "2.5 &^ 1.5"): "Integer-only operation on floating point number.",
    (dw.LANG_GO, "true &^ true"): '"&^" is for two integers.',
    (_ADA, "5.0 mod 3.0"): "Integer-only operation on floating point number.",
    (_ADA, "f4 mod 2"): "Integer-only operation on floating point number.",
    (dw.LANG_RUST, "w8 + i1"): "Rust does not compute with u64 and i8: write a cast.",
    (dw.LANG_RUST, "i4 * 2.0"): "2.0 is no integer, as i32 needs.",
    (dw.LANG_RUST, "-u1"): "Rust has no operator - of the type u8.",
    (dw.LANG_RUST, "300u8"): "300u8 is no value of u8.",
    (dw.LANG_RUST, "(1, 2)"): "Unsupported: tuple expressions of Rust are not supported",
    (dw.LANG_RUST, "(1,)"): "Unsupported: tuple expressions of Rust are not supported",
    (dw.LANG_RUST, "u1, 5"): "This language has no comma operator, near `, 5'.",
    (dw.LANG_GO, "(1, 2)"): "This language has no comma operator, near `, 2)'.",
    (dw.LANG_GO, "u1, 5"): "This language has no comma operator, near `, 5'.",
    (dw.LANG_PASCAL83, "(1, 2)"): "This language has no comma operator, near `, 2)'.",
    (_FORTRAN, "(1, 2, 3)"): "This language has no comma operator, near `, 3)'.",
    (_FORTRAN, "u1, 5"): "This language has no comma operator, near `, 5'.",
    (_ADA, "u1, 5"): "This language has no comma operator, near `, 5'.",
    (dw.LANG_RUST, "u1 == few == 3"): "A comparison needs parentheses here, near `== 3'.",
    (dw.LANG_D, "flags & 2 == 2"): "A comparison needs parentheses here, near `& 2 == 2'.",
    (dw.LANG_D, "u1 ~= 2"): "Unsupported: ~= makes an array longer, as only the program can:"
    " write a ~ b",
    (dw.LANG_D, "f8 >>> 1"): ">>> is of integers.",
    (dw.LANG_D, "0 ^^ -1"): "Attempt to raise 0 to negative power.",
    (dw.LANG_D, "f8 is f8"): '"is" is between pointers, dynamic arrays or integers;'
    " == compares contents.",
    (dw.LANG_PASCAL83, "few++"): "This language has no ++, near `++'.",
    (dw.LANG_RUST, "few++"): "This language has no ++, near `++'.",
    (dw.LANG_RUST, "++few"): "This language has no ++, near `++few'.",
    (dw.LANG_RUST, "1 + +few"): "This language has no unary +, near `+few'.",
    (dw.LANG_RUST, "-+few"): "This language has no unary +, near `+few'.",
    (dw.LANG_RUST, "(few--)"): "This language has no --, near `--)'.",
    (_FORTRAN, "few ++"): "This language has no ++, near `++'.",
    (_ADA, "few++"): "This language has no ++, near `++'.",
    (_ADA, "few + +"): "A syntax error in expression, near `'.",
    (dw.LANG_D, "^^u1"): "A syntax error in expression, near `^^u1'.",
    (dw.LANG_D, "1 ~ 2"): "Concatenation is of arrays of one type, or of one and an element.",
    (dw.LANG_D, "flags & 2 is 2"): "A comparison needs parentheses here, near `& 2 is 2'.",
    (dw.LANG_D, "u1 == 2 | 1"): "A comparison needs parentheses here, near `| 1'.",
    (_FORTRAN, "i1 < i4 < n8"): "A comparison needs parentheses here, near `< n8'.",
    (_ADA, "i4 = i1 = n8"): "A comparison needs parentheses here, near `= n8'.",
    (_ADA, "c + 300"): "The type pk.byte does not hold 300.",
    (_ADA, "c + (255 + 1 - 256)"): "The type pk.byte does not hold 256.",
    (_ADA, "1E-2"): '"1E-2": an integer has no negative exponent; write a point.',
    (_ADA, "1E2000"): "Numeric constant too large.",
    (_ADA, "16#1G#"): 'Invalid number "16#1G#".',
    (_ADA, "3#1.2#"): "Unsupported: Real numbers with the base 3 are not supported: write 10, 2 or"
    " 16.",
    (_ADA, '"a" "b"'): 'A syntax error in expression, near `"b"\'.',
    (_ADA, "not i4"): "not of Ada is for Booleans and modular numbers.",
    (_ADA, "254 or 0"): "or of Ada is for Booleans and modular numbers.",
    (_ADA, "i4 + (254 xor 1)"): "xor of Ada is for Booleans and modular numbers.",
    (_ADA, "i4 ** (-1)"): "The exponent is negative: Ada raises Constraint_Error.",
    (_ADA, "i4 / 0"): "Division by zero",
    (_ADA, "(0.1 ** 3000) ** 3000"): "Numeric constant too large.",
    (_ADA, "f8 + (0.1 ** 8000) ** 8000"): "Numeric constant too large.",
    (_ADA, "10 ** 100000 / 10 ** 99999"): "Numeric constant too large.",
    (_ADA, "m + 10"): "The type pk.ten does not hold 10.",
    (_ADA, "true + true"): "Invalid operation on booleans.",
    (_ADA, "1 mod true"): '"mod" is for two integers.',
    (dw.LANG_GO, "i4 + 1 << 100000"): "Numeric constant too large.",
    (dw.LANG_RUST, "($small = u1) += 300"): "The type u8 does not hold 300.",
    (dw.LANG_GO, "($small = u1) += 300"): "The type uint8 does not hold 300.",
    (dw.LANG_RUST, "u1 = 300"): "The type u8 does not hold 300.",
    (dw.LANG_GO, "u1 = 2.5"): "2.5 is no integer, as uint8 needs.",
    (dw.LANG_RUST, "i4 + 1e400"): "1e+400 is no integer, as i32 needs.",
    (dw.LANG_RUST, "f8 + 1e400"): "The type f64 does not hold 1e+400.",
    (dw.LANG_RUST, "w8 + 18446744073709551616"): "The type u64 does not hold 18446744073709551616.",
    (dw.LANG_GO, "i4 + (1 << 300)"): "The type int32 does not hold 2.0370359763344860863e+90.",
    (dw.LANG_RUST, "f4 + 1e39"): "The type f32 does not hold 1e+39.",
    (dw.LANG_RUST, "-1e400"): "The type f64 does not hold -1e+400.",
    (dw.LANG_RUST, "1e39f32"): "The type f32 does not hold 1e+39.",
    (dw.LANG_GO, "f4 + 1e39"): "The type float32 does not hold 1e+39.",
    (dw.LANG_GO, "f4 == 1e400"): "The type float64 does not hold 1e+400.",
    (dw.LANG_GO, "1e300 * 1e300"): "The type float64 does not hold 1e+600.",
    (dw.LANG_D, "f8 + 1e400"): "The type double does not hold 1e+400.",
    (dw.LANG_D, "1e39f"): "The type float does not hold 1e+39.",
    (_FORTRAN, "f8 + 1e39"): "The type real*4 does not hold 1e+39.",
    (_FORTRAN, "1d400"): "The type real*8 does not hold 1e+400.",
    (_ADA, "f4 + 1.0e39"): "The type float does not hold 1e+39.",
    (_ADA, "f8 = 1.0e5000"): "The type long_long_float does not hold 1e+5000.",
    (dw.LANG_RUST, "i4 * 1e-400"): "1e-400 is no integer, as i32 needs.",
    (dw.LANG_GO, "i4 + 1e300"): "The type int32 does not hold 1e+300.",
    (dw.LANG_GO, "i1 - 9876543210"): "The type int8 does not hold 9876543210.",
    (_FORTRAN, "int(1e4900_16)"): "integer*4 does not hold 1e+4900: give a larger kind",
    (dw.LANG_GO, "0.5i"): _GO_IMAGINARY,
    (dw.LANG_GO, "1 + 0x2i"): _GO_IMAGINARY,
    (dw.LANG_PASCAL83, "0.5i"): _C_IMAGINARY,
    (dw.LANG_PASCAL83, "2i"): _C_IMAGINARY,
    (dw.LANG_RUST, "2i"): _C_IMAGINARY,
    (_FORTRAN, "i4 + 1.5i"): _C_IMAGINARY,
    (_ADA, "2i"): _C_IMAGINARY,
    (dw.LANG_D, "2i"): "Complex integers are not supported; write a point, as in 2.0i.",
}


def _entry(code: int, *fields: bytes) -> bytes:
    return bytes((code,)) + b"".join(fields)


def _program(folder: Path, language: int) -> tuple[Path, bytes]:
    """Return a program with the variables, and their contents."""
    entries = _entry(1, b"a\0", bytes((language,)), (0x1000).to_bytes(8, "little"),
                     (0x40).to_bytes(4, "little"))  # fmt: skip
    at: dict[tuple[int, int], int] = {}
    for key, name in zip(_ORDER, TYPES.get(language, TYPES[_C]), strict=True):
        at[key] = HEADER_BYTES + len(entries)
        entries += _entry(2, name.encode() + b"\0", bytes(key))
    unsigned = HEADER_BYTES + len(entries)
    entries += _entry(2, b"pk__ten___UMT\0", bytes((_UNSIGNED, 1)))
    ten = HEADER_BYTES + len(entries)
    entries += _entry(4, b"pk__ten\0", unsigned.to_bytes(4, "little"), b"\x09")
    memory = b""
    objects = [(name, at[kind, size], value) for name, (kind, size, value) in VARIABLES.items()]
    for name, kind, value in [*objects, ("m", ten, 7)]:
        location = b"\3" + (_DATA + len(memory)).to_bytes(8, "little")  # DW_OP_addr
        where = bytes((len(location),)) + location
        entries += _entry(3, name.encode() + b"\0", kind.to_bytes(4, "little"), where)
        memory += (value & (1 << 64) - 1).to_bytes(8, "little")
    path = folder / "program"
    others = {".text": Content(bytes(0x40), flags=6, address=0x1000)}
    shapes = [UNIT, BASE_TYPE, VARIABLE, _SUBRANGE]
    path.write_bytes(file_of(entries + b"\0", shapes, others, machine=62))
    return path, memory


def _answers(folder: Path, language: int, *commands: str) -> list[str]:
    path, memory = _program(folder, language)
    asked = [word for command in commands for word in ("-ex", "echo @\\n", "-ex", command)]
    known = ("--mem", f"{_DATA:#x}={memory.hex()}")
    text = printed_in_order("debug", "--batch", path, "--pc", 0x1004, *known, *asked)
    return [part.strip().partition("\nnote: ")[0] for part in text.split("@\n")[1:]]


def _rows(language: int) -> dict[str, str]:
    rows = [one for line in EXPRESSIONS[language].split("\n") for one in line.split(";")]
    pairs = (row.strip().rpartition(" = ") for row in rows if row.strip())
    return {expression: value for expression, _, value in pairs}


@pytest.mark.parametrize("language", EXPRESSIONS)
def test_what_programs_print(tmp_path: Path, language: int) -> None:
    rows = _rows(language)
    shown = _answers(tmp_path, language, *(f"output ({expression})" for expression in rows))
    numbers = [answer.splitlines()[-1].partition(" '")[0] for answer in shown]
    assert dict(zip(rows, numbers, strict=True)) == rows


@pytest.mark.parametrize("language", NAMES_OF_TYPES)
def test_types_of_results(tmp_path: Path, language: int) -> None:
    names = NAMES_OF_TYPES[language]
    shown = _answers(tmp_path, language, *(f"whatis {expression}" for expression in names))
    assert dict(zip(names, shown, strict=True)) == {
        expression: f"type = {name}" for expression, name in names.items()
    }


@pytest.mark.parametrize(("language", "expression"), DOUBTS)
def test_results_that_the_type_does_not_hold(
    tmp_path: Path, language: int, expression: str
) -> None:
    [shown] = _answers(tmp_path, language, f"output {expression}")
    assert shown.splitlines()[0] == f"warning: {DOUBTS[language, expression]}"
    assert _answers(tmp_path, language, f"whatis {expression}")[0].startswith("type = ")


@pytest.mark.parametrize(("language", "expression"), ERRORS)
def test_what_a_language_does_not_compute(tmp_path: Path, language: int, expression: str) -> None:
    assert _answers(tmp_path, language, f"output {expression}") == [ERRORS[language, expression]]


def test_numbers_of_no_language(tmp_path: Path) -> None:
    """A register is computed with by the rules of C; a convenience variable keeps its type."""
    commands = ["set var $n = u1 + 1", "whatis $n", "whatis $n + u1", "whatis $rip - $rip",
                "whatis $rax + u1", "output $_ + 1"]  # fmt: skip
    for language, kind in ((dw.LANG_GO, "uint8"), (dw.LANG_RUST, "u8")):
        shown = _answers(tmp_path, language, *commands)
        assert shown[1:3] == [f"type = {kind}"] * 2
        assert shown[3:5] == ["type = long"] * 2


def test_assignments_wrap_as_in_the_language(tmp_path: Path) -> None:
    commands = ["print u1 = 255", "print u1 += 3", "print u1 <<= 7", "print ++few",
                "print c &^= 0x2a", "print i4 += 1.0 << few", "print d <<= 1.0"]  # fmt: skip
    shown = _answers(tmp_path, dw.LANG_GO, *commands)
    numbers = [answer.partition(" = ")[2].split()[0] for answer in shown]
    assert numbers == ["255", "2", "0", "4", "208", "-69984", "20"]
    shown = _answers(tmp_path, dw.LANG_D, "print few ^^= 4", "print f8 ^^= 2", "print few")
    assert [answer.rpartition(" = ")[2][:4] for answer in shown] == ["81", "0.01", "81"]
    shown = _answers(tmp_path, dw.LANG_RUST, "print w8 += 18446744073709551615 % 7")
    assert shown[-1].endswith(" = 6")


@pytest.mark.parametrize(
    ("language", "change", "doubt", "stored"),
    [
        (_ADA, "c := 256", "the type pk.byte does not hold 256", "0"),
        (_ADA, "m := 10", "the type pk.ten does not hold 10", "10"),
        (_ADA, "m := 9", None, "9"),
        (dw.LANG_D, "u1 = i4", "the type ubyte does not hold -70000", "144 '\\220'"),
        (dw.LANG_D, "u1 = 3", None, "3 '\\003'"),
        (_FORTRAN, "i1 = 200", "the type integer(kind=1) does not hold 200", "-56"),
        (_FORTRAN, "f4 = 1d39", "the type real(kind=4) does not hold", "inf"),
        (_FORTRAN, "i4 = 2.5", None, "2"),
        (dw.LANG_PASCAL83, "i4 := 1.5", "the type LongInt does not hold 1.5", "1"),
        (dw.LANG_PASCAL83, "f4 := 0.1", None, "0.100000001"),
        (0x0C, "u1 = 300", None, "44 ','"),
    ],
)
def test_another_number_is_not_stored_in_silence(
    tmp_path: Path, language: int, change: str, doubt: str | None, stored: str
) -> None:
    """C and C++ convert numbers in silence, as GDB does."""
    (shown,) = _answers(tmp_path, language, f"print {change}")
    assert shown.rpartition(" = ")[2] == stored
    assert (doubt is None) == ("warning: " not in shown) and (doubt or "") in shown


def test_the_operators_of_c_stay(tmp_path: Path) -> None:
    rows = {
        "u1 + 100": "300", "u4 + i4": "3999930000", "1 << 2 + 1": "8", "flags & 2 != 0": "0",
        "f4 == 0.1": "0", "w8 > -1": "0", "1 << 2 == 4": "1", "-1 > u4": "1",
    }  # fmt: skip
    shown = _answers(tmp_path, _C, *(f"output {expression}" for expression in rows))
    assert dict(zip(rows, shown, strict=True)) == rows


@pytest.mark.parametrize("language", [dw.LANG_D, dw.LANG_GO, _ADA])
def test_a_dotted_name_is_looked_up_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: int
) -> None:
    """However often it is in an expression."""
    asked: list[str] = []
    look_up = NameLookup.of

    def of(self: NameLookup, name: str, accepts: DieFilter = ordinary) -> tuple[Meaning, ...]:
        asked.append(name)
        return look_up(self, name, accepts)

    monkeypatch.setattr(NameLookup, "of", of)
    counts = []
    for times in (2, 50, 1000):
        asked.clear()
        _answers(tmp_path, language, "output " + "+".join(["u1.a"] * times))
        counts.append(len(asked))
    assert counts[1] == counts[0] and counts[2] <= counts[0]


def test_constants_have_no_size() -> None:
    long_product = ast.Binary("*", ast.Integer(1 << 8000), ast.Integer(1 << 8000))
    assert folded(long_product, "all") == 1 << 16000
    for operator in ("<<", "**"):
        large = ast.Binary(operator, ast.Integer(2), ast.Integer(1 << 30))
        with pytest.raises(UsageError, match="Numeric constant too large"):
            folded(large, "all")


def test_a_minus_before_an_operator_that_is_a_word_is_no_option(tmp_path: Path) -> None:
    shown = _answers(tmp_path, _ADA, "print -i4 mod 4096", "print -i4 rem 7", "print -x 3")
    assert [answer.partition(" = ")[2] for answer in shown[:2]] == ["-3728", "0"]
    assert shown[2] == '"print" has no option -x.'


_BEYOND = 1 << 128
_OPERATORS_OF_C = """
    i4: (u1 ? X : u4); (u1 ? u4 : X); (X ? u1 : i4); -(X); !X; ~X; (X + 1); (1 + X)
    i4: (X < 1); (X << 1); (X && u1); (u1 && X); (X || u1); (c - c || X); (X, u1); (u1, X)
    i4: (u1@((X) != 77777))[0]; (X@1)[0]; sizeof(X); (typeof(X)) u1; *&X; (long) X
    i4: (&i4)[X == 77777]
    i4: {X, 1}[0]; (u1@sizeof((char[1]) {X}))[0]; ((u1@(X ? 1 : 2))[0] ? 1 : 2)
    i4: sizeof(u1@sizeof(X))"""
OPERATORS = {
    _C: _OPERATORS_OF_C,
    _CPLUSPLUS: _OPERATORS_OF_C,
    _OPENCL: f"""{_OPERATORS_OF_C}
    (int4)(1, 2, 3, 4): (X && (int4) 1); ((int4) 1 || X); (X < 1); !X; (X ? (int4) 1 : (int4) 2)
    (int4)(1, 2, 3, 4): (X ? (int4) 2 : (int4) 3); (i4 ? (int4) 2 : X); (X << 1); X.s3210""",
    _ADA: """
    c = 250: (X and then c = 250); (c = 250 and then X); (X or else c = 250); (c = 1 or else X)
    c = 250: (X and c = 250); (c = 250 or X); (X xor c = 250); (not X)
    c = 250: boolean'val(boolean'pos(X))
    c: (X and 255); (X + 1); pk.byte(X)
    i4: boolean'pos(X < 1E50); boolean'pos(1E50 > X); (i4 ** boolean'pos(X /= 77777))
    i4: abs X; (-X); (X mod 7); (X ** 1); boolean'pos(X in 1 .. 5); boolean'pos(X in 5 | 1)
    i4: integer'max(1, X); integer(X); (1 + X); boolean'pos((X = 1) or else (i4 = 2))
    1: (X + 1); (1 + X); (-X); (i4 + X)""",
    dw.LANG_D: """
    i4: (u1 == 200 ? X : u4); (u1 == 200 ? u4 : X); (X ? u1 : i4); -(X); ~X; !X; (X >>> 1)
    i4: (X is 1 ? 1 : 2); (X & 1); (X ^^ 1); (X && true); (true && X); (X == 1 ? 1 : 2); (X, 1)
    i4: cast(int) X; (X).sizeof
    'a': (u1 == 200 ? X : 'b'); (u1 == 200 ? 'b' : X); (X == 'a' ? 'b' : 'c')
    "a": (X ~ "b"); X[0 .. 1]; "a"[0 .. X.length]""",
    dw.LANG_GO: f"""
    i4: (X < 1 << 300 ? i4 : n8); (X < {_BEYOND} ? i4 : i4); -(X); ^X; (X &^ 3); (X + 1); (1 + X)
    few: (1 << (X & 3)); int64(float64(1 << (X & 3))); (X << 1); (i4 < 1 << (X & 3) ? few : few)
    few: uint32(X); (f8 < float64(1 << (X & 3)) ? few : few)
    1: (X + 1); (1 + X); (i4 + X); (X + 1 << few); (1 << few + X); (X < 2 ? 1 : 2)
    u1 == 1: (X && u1 == 1); (u1 == 200 && X); !X""",
    dw.LANG_RUST: f"""
    i4: (X < {_BEYOND} ? i4 : i4); ({_BEYOND} > X ? i4 : i4); -(X); !X; (X + 1); (1 + X)
    i4: (X as i64)
    i4: [X, 1][0]; [1, X][1]; ([X as i32, 1] == [1, 2] ? i4 : i4); (X & 1)
    i4: ([1, X as i32] == [2, 3] ? i4 : i4); [X;2][0]; (X as u8 as i32); (X % 3)
    i4: (X == 300 ? i4 : i4)
    u1 == 1: (X && u1 == 1); (u1 == 200 && X); (X ^ true); (X & (u1 == 1)); !X
    1: [X, 1][0]; (X + 1); (1 + X); (i4 + X); [X][0]; -(X)""",
    dw.LANG_PASCAL83: """
    i4: (X div 1); (X div 2); (X = 5 ? i4 : n8); (5 > X ? i4 : i4); not X; (X and 3); (3 or X)
    i4: (X xor i4); -(X); (X + 1); (1 + X); (X shl 1); LongInt(X); (X + i4)
    f8: (X / 1); (1 / X)
    (u1 = 1): (X and (u1 = 200)); ((u1 = 200) and X); (X or (u1 = 1)); ((u1 = 1) or X); not X
    (u1 = 1): (X xor (u1 = 1)); ((u1 = 1) xor X); (X = (u1 = 1))
    1: (X + 1); (1 + X); (i4 + X); (X = 2 ? 1 : 2)""",
    _FORTRAN: """
    i4 == 1: (X .and. i4 == 1); (i4 /= 1 .and. X); (X .or. i4 == 1); (X .eqv. i4 == 1); (.not. X)
    i4: (X ** 1); mod(X, 3); abs(X); (-X); (X + 1); (1 + X); int(X); max(X, 1); kind(X)""",
}
"""What is nested, and operators around an operand X."""


@pytest.mark.parametrize("language", OPERATORS)
def test_each_operand_is_evaluated_once(tmp_path: Path, language: int) -> None:
    """Twice as many operators in one another take about twice the work."""
    shell = _shell(tmp_path, language)
    _work(shell, "1")  # which reads the program
    before, _ = _work(shell, "1")
    failed = []
    for line in OPERATORS[language].strip().split("\n"):
        operand, _, operators = line.strip().partition(": ")
        for operator, innermost in product(operators.split("; "), (operand, "missing")):
            nested = [innermost]
            for _ in range(8):
                nested.append(operator.replace("X", nested[-1]))
            four, shown = _work(shell, nested[4])
            eight, _ = _work(shell, nested[8])
            is_answered = " = " in shown or innermost != operand
            if not is_answered or eight - before > 2.25 * (four - before) + 1_000:
                failed.append((nested[1], before, four, eight, shown))
    assert not failed, "\n".join(map(str, failed))


def test_an_assignment_changes_types(tmp_path: Path) -> None:
    """Also those that were asked for before it."""
    (shown,) = _answers(tmp_path, _ADA, "print ($a := 2.5) > 0.0 and then sizeof($a) = 8")
    assert shown == "$1 = true"


def _shell(folder: Path, language: int) -> Shell:
    """Return the prompt of the program with the variables, stopped in its code."""
    path, memory = _program(folder, language)
    arch, program = architecture("x86_64"), CodeObject.open(path)
    target = StateTarget(arch)
    target.add_wave(0)
    target.set_memory(Memory(arch.address_space(0)), _DATA, memory)
    return made(Session(arch, (program,), target, pc=0x1004))


def _work(shell: Shell, expression: str) -> tuple[int, str]:
    """Return how many calls a value and a type take, and the value."""
    shown: list[str] = []

    def ask() -> None:
        shown.append(output_of(shell, f"print -- {expression}"))
        output_of(shell, f"whatis {expression}")

    return calls_of(ask), shown[0]
