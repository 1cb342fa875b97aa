"""Programs whose types have damaged or absurd attributes, in every language, made from a seed; and
what is asked of their variables."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.open_files import focused
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.error_text import out_of_memory
from dwarfgpu.session.session import Session
from tests.dwarf.builder import X86_64, Content, abbreviations, elf, unit
from tests.dwarf.builder import Shape as Abbreviation
from tests.language.made_units import HEADER_BYTES
from tests.repl.repl_shell import output_of
from tests.work import sometimes_at_most

CODE: Final = 0x1000
DATA: Final = 0x8000
DATA_BYTES: Final = 4096
_CODE_RANGE: Final = {dw.AT_LOW_PC: CODE, dw.AT_HIGH_PC: 16}
NAMES: Final = ("a", "b", "c", "d", "e", "f", "g", "h")


class Entry:
    """An entry, whose attributes have the forms that fit their values."""

    def __init__(
        self, tag: int, attributes: Mapping[int, int | str | bytes | Entry | None], *parts: Entry
    ) -> None:
        self.tag = tag
        self.attributes = {at: value for at, value in attributes.items() if value is not None}
        self.parts = list(parts)
        self.offset = 0


Attribute = int | str | bytes | Entry


def _form(name: int, value: Attribute) -> int:
    match value:
        case Entry():
            return dw.FORM_REF4
        case str():
            return dw.FORM_STRING
        case bytes():
            return dw.FORM_EXPRLOC
        case bool():
            return dw.FORM_FLAG
        case int():
            if name == dw.AT_LOW_PC:
                return dw.FORM_ADDR
            return dw.FORM_SDATA if value < 0 else dw.FORM_UDATA


def _encoded(form: int, value: Attribute) -> bytes:
    match value:
        case Entry():
            return value.offset.to_bytes(4, "little")
        case str():
            return value.encode() + b"\0"
        case bytes():
            return encode_uleb(len(value)) + value
        case bool():
            return bytes((value,))
        case int():
            if form == dw.FORM_ADDR:
                return value.to_bytes(8, "little")
            return encode_sleb(value) if form == dw.FORM_SDATA else encode_uleb(value)


def written(root: Entry) -> tuple[bytes, bytes]:
    """Return the sections `.debug_info` and `.debug_abbrev` with one unit."""
    codes: dict[Abbreviation, int] = {}

    def entry(die: Entry) -> bytes:
        forms = tuple((at, _form(at, value)) for at, value in die.attributes.items())
        code = codes.setdefault(Abbreviation(die.tag, forms, bool(die.parts)), len(codes) + 1)
        values = zip(forms, die.attributes.values(), strict=True)
        return encode_uleb(code) + b"".join(_encoded(form, value) for (_, form), value in values)

    def laid_out(die: Entry, offset: int) -> bytes:
        die.offset = offset
        data = entry(die)
        for part in die.parts:
            data += laid_out(part, offset + len(data))
        return data + (b"\0" if die.parts else b"")

    laid_out(root, HEADER_BYTES)  # which gives each entry its offset
    data = laid_out(root, HEADER_BYTES)
    return unit(data), abbreviations(*codes)


OUT_OF_MEMORY: Final = out_of_memory(MemoryError()).message
MORE_MEMORY_BYTES: Final = 1 << 28
"""What commands may use, beside the process as it is before the first of them."""

# Languages


@frozen
class Language:
    """A language, with what is asked of a variable `{0}`, often beside another one `{1}`."""

    code: int
    producer: str
    expressions: str
    """One a line."""

    def asked(self) -> list[str]:
        return [line.strip() for line in (COMMON + self.expressions).splitlines() if line.strip()]


COMMON: Final = """
    {0}+1
    {0}-{1}
    {0}*2
    {0}/3
    {0}+{1}
    -{0}
    {0}+1.5
    {0}<{1}
    {0}<=1
    ({0})
    {0}.a
    {0}.b
    $_as_string({0})
    $_isvoid({0})
"""
_C: Final = """
    {0}=={1}
    {0}==1
    {0}%3
    {0}<<1
    {0}>>{1}
    {0}&1
    {0}|{1}
    {0}^2
    ~{0}
    !{0}
    {0}&&1
    {0}||{1}
    {0}?1:2
    1?{0}:{1}
    *{0}
    &{0}
    {0}[0]
    {0}[1]
    {0}[-1]
    &{0}[1]
    {0}[0][1]
    {0}@2
    *{0}@2
    {0}[0]@3
    {0}->a
    (char){0}
    (int){0}
    (float){0}
    (char*){0}
    (long double){0}
    *(typeof({0})*)&{1}
    (typeof({0})){1}
    sizeof {0}
    sizeof(*{0})
    sizeof({0}[0])
    alignof({0})
    {0}=1
    {0}={1}
    {0}+=1
    {0}++
    --{0}
    {0}=1.5
    {0}=-1
    $_strlen({0})
    $_memeq({0}, {1}, 4)
    $_streq({0}, "a")
    $_regex({0}, "a")
    {0}, {1}
    {0}==0.5
    {{{0}, {1}}}
"""
_INTRINSICS: Final = """
abs aimag aint allocated associated bit_size ceiling char cmplx conjg digits epsilon exponent floor
fraction huge iachar ichar int kind lbound len len_trim loc logical maxexponent minexponent nint not
precision radix range rank real shape size tiny ubound dble sqrt is_contiguous sizeof achar sign
"""
_OF_ONE: Final = _INTRINSICS.split()
_INTRINSICS_OF_TWO: Final = """
mod modulo max min dim sign iand ior ieor ishft btest merge real int cmplx associated size lbound
ubound
"""
_OF_TWO: Final = _INTRINSICS_OF_TWO.split()
LANGUAGES: Final = {
    "C": Language(0x1D, "GNU C17 13.2.0", _C + "{0}*1i\n_Alignof({0})\n"),
    "C++": Language(
        0x21, "GNU C++17 13.2.0",
        _C + "static_cast<int>({0})\nreinterpret_cast<char*>({0})\ndynamic_cast<int*>({0})\n"
        "int({0})\nbool({0})\n{0}.*{1}\n{0}->*{1}\ntypeid({0})\n",
    ),
    "D": Language(
        dw.LANG_D, "LDC 1.30.0",
        _C + "cast(int){0}\n{0}.length\n{0}.ptr\n{0}.sizeof\n{0}.max\n{0}.init\n{0}[0..2]\n"
        "{0}~{1}\n{0} is {1}\n{0}^^2\n{0}[$-1]\n{0}>>>1\n{0}.im\n{0}[]=1\n{0}.nan\n{0}.dig\n",
    ),
    "Ada": Language(
        0x2F, "GNAT 13.2.0",
        """
        {0}={1}
        {0}/=1
        {0}=2.5
        abs {0}
        not {0}
        {0} and {1}
        {0} xor 1
        {0}**2
        {0} mod 3
        {0} rem {1}
        {0}&{1}
        {0}&"a"
        integer({0})
        float({0})
        long_long_float({0})
        boolean({0})
        character({0})
        {0}'first
        {0}'last
        {0}'length
        {0}'range
        {0}'min({0},{1})
        {0}'max(1,{0})
        {0}'pos({0})
        {0}'val(1)
        {0}'size
        {0}'address
        {0}'access
        {0}'tag
        {0}'modulus
        {0}(1)
        {0}(0)
        {0}(1..2)
        {0}(1,1)
        {0}.all
        {0}:=1
        {0}:={1}
        {0}:=2.5
        {0}:=-1
        {0}:='a'
        {0}:="ab"
        {0} in 1..2
        {0} in {1}
        {0}+2.5
        2.5-{0}
        2.5<{0}
        kind(1)
        kind({0})
        kind(2.5)
        kind'({0})
        other({0})
        other(2.5)
        kind'first
        kind'last
        kind'pos({0})
        kind'val(0)
        kind'min({0},{1})
        kind'size
        kind'range
        kind'modulus
        {0} in kind
        {{kind}} 16#8000#
        """,
    ),
    "Pascal": Language(
        dw.LANG_PASCAL83, "Free Pascal 3.2.2",
        """
        {0}={1}
        {0}<>1
        {0} div 2
        {0} mod 3
        {0} and 1
        {0} or {1}
        {0} xor 2
        {0} shl 1
        {0} shr 1
        not {0}
        {0} in {1}
        1 in {0}
        {0}^
        @{0}
        {0}[0]
        {0}[1]
        {0}[1,1]
        {0}:=1
        {0}:={1}
        {0}:=2.5
        {0}:='a'
        {0}:='ab'
        {0}:=true
        {0}+'a'
        integer({0})
        char({0})
        kind({0})
        kind(1)
        pchar({0})
        ord({0})
        chr({0})
        abs({0})
        length({0})
        high({0})
        low({0})
        succ({0})
        pred({0})
        odd({0})
        sqr({0})
        trunc({0})
        round({0})
        sizeof({0})
        assigned({0})
        pos('a',{0})
        copy({0},1,2)
        concat({0},{1})
        frac({0})
        int({0})
        currency({0})
        {0}*2.5
        {0}/{1}
        {0} is other
        {0} as other
        """,
    ),
    "Fortran": Language(
        0x22, "GNU Fortran2008 13.2.0",
        """
        {0}=={1}
        {0}/=1
        {0}.eq.{1}
        {0}.and.{1}
        .not.{0}
        {0}.eqv.{1}
        {0}//{1}
        {0}//'a'
        {0}**2
        {0}**{1}
        {0}**0.5
        {0}%a
        {0}(1)
        {0}(0)
        {0}(1:2)
        {0}(2:1:-1)
        {0}(:)
        {0}(1,1)
        {0}(:,1)
        {0}=1
        {0}={1}
        {0}=2.5
        {0}='ab'
        {0}=.true.
        {0}(1)=1
        {0}(:)=1
        {0}(1:2)=1
        ({0},{1})
        &{0}
        *{0}
        """
        + "\n".join(f"{name}({{0}})" for name in _OF_ONE)
        + "\n"
        + "\n".join(f"{name}({{0}},{{1}})" for name in _OF_TWO)
        + "\nlbound({0},1)\nubound({0},2)\nsize({0},1)\nint({0},8)\nreal({0},8)\nshape({0},8)\n"
        "merge({0},{1},.true.)\nmodulo({0},3)\nmin({0},1.5)\nlogical({0},8)\ncmplx({0},1.5)\n",
    ),
    "Go": Language(
        dw.LANG_GO, "Go cmd/compile go1.21",
        _C + "len({0})\ncap({0})\n{0}[0:1]\n{0}[:]\n{0}&^1\nint({0})\nfloat64({0})\nstring({0})\n"
        "complex128({0})\nreal({0})\nimag({0})\nbool({0})\nuint8({0})\n{0}+\"a\"\n",
    ),
    "Rust": Language(
        dw.LANG_RUST, "clang LLVM (rustc version 1.70.0)",
        _C + "{0} as u8\n{0} as f64\n{0} as i128\n{0} as bool\n{0} as char\n{0}[0..1]\n{0}.0\n"
        "{0}.__0\n&{0}[..]\n{0} as *const u8\n{0}.len()\n",
    ),
    "Modula-2": Language(
        0x0A, "GNU Modula-2 13.2.0",
        "{0}={1}\n{0}#1\n{0}:=1\n{0}:={1}\n{0}^\n{0}[1]\n{0} DIV 2\n{0} MOD 3\nORD({0})\nCHR({0})\n"
        "ABS({0})\nODD({0})\nMIN({0})\nMAX({0})\nHIGH({0})\nCAP({0})\nSIZE({0})\nNOT {0}\n"
        "{0} IN {1}\nVAL(kind,{0})\nFLOAT({0})\nTRUNC({0})\nADR({0})\nTSIZE({0})\n",
    ),
    "OpenCL": Language(
        0x15, "clang version 15.0.0",
        _C + "{0}.x\n{0}.s0\n{0}.lo\n{0}.hi\n{0}.xy\n{0}.even\nas_int({0})\nas_float4({0})\n"
        "convert_int({0})\nconvert_uchar4_sat({0})\nconvert_float4_rte({0})\n(int4){0}\n"
        "{0}.xy={1}\nvec_step({0})\n",
    ),
    "HIP": Language(0x30, "clang version 17.0.0", _C + "{0}.x\n{0}.w\nint({0})\n"),
    "asm": Language(dw.LANG_MIPS_ASSEMBLER, "GNU AS 2.40", _C),
}  # fmt: skip
FORMATS: Final = "xduotacfszir"

COMMANDS_ON_VARIABLES: Final = (
    "print {0}", "print &{0}", "print *{0}", "ptype {0}", "whatis {0}", "ptype/o {0}",
    "output {0}", "explain {0}", "location {0}", "info address {0}", "info symbol &{0}",
    "print sizeof({0})", "display {0}", "printf \"%d %s %c %f %lu\\n\", {0}, {0}, {0}, {0}, {0}",
    "set var {0}=1", "set var {0}:=1", "print -pretty -array -array-indexes -- {0}", "x {0}",
    "x &{0}", "whatis &{0}", "print -elements 2 -- {0}", "ptype kind", "whatis kind", "print $",
    "print {0}", "frame variable {0}", "info scope f", "info locals", "info args", "watch {0}",
    "print -raw-values -- {0}", "call {0}", "info line {0}", "list {0}", "echo", "undisplay",
    "ptype other", "dump value /dev/null {0}", "set output json", "find &{0}, +16, {1}",
    "target variable {0}", "info vtbl {0}", "print -object -- {0}", "print $_siginfo",
    "set var $x = {0}", "print $x = {0}", "print $x", "eval \"echo %d\", {0}", "break *{0}",
    "info frame", "backtrace", "finish", "info types", "info variables", "info functions",
)  # fmt: skip


# Types

SIZES: Final = (
    None, 0, 1, 2, 3, 4, 8, 10, 12, 16, 17, 32, 255, 4096, 65_536, 1 << 20, 1 << 31, (1 << 32) - 1,
    1 << 61, (1 << 61) - 1, 1 << 63, (1 << 64) - 1,
)  # fmt: skip
USUAL: Final = (1, 2, 4, 8, 16)
NUMBERS: Final = (
    -(1 << 63), -(1 << 31), -129, -1, 0, 0, 1, 1, 2, 3, 7, 100, 255, 65_536, 1 << 31, 1 << 32,
    (1 << 63) - 1, 1 << 63, (1 << 64) - 1,
)  # fmt: skip
STRIDES: Final = (None, None, -8, -4, -1, 0, 1, 2, 3, 7, 8, 33, 64, 1 << 31, 1 << 63)
TYPE_NAMES: Final = (
    *("kind",) * 4, *("other",) * 3, "int", "integer", "character", "char", "float", "double", "",
    "real(kind=8)", "BOOLEAN", "currency", "Currency", "AnsiString", "uint8", "u8", "i32", "f64",
    "integer(kind=4)", "logical(kind=4)", "complex(kind=8)", "character(kind=4)", "bool", "wchar_t",
    "char32_t", "dchar", "string", "__int128", "long double", "bf16", "WideChar", "ShortString",
    "long unsigned int", "unsigned char", "short", "str", "&str", "[]uint8", "half", "byte", "long",
    "a__T4b", "t___XR_b___XE", "kind___XVS", "t___XP7", "t___XA", "_ada_x", "Extended", "cfloat",
)  # fmt: skip
_ENCODINGS: Final = (None, *range(0x13), 0x0D, 0x0E, 0x04, 0x03, 0x02, 0x10, 0x80)


class Types:
    """Makes types, each perhaps of others that were made before it."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.made: list[Entry] = []
        self.constants: list[Entry] = []

    def entries(self) -> Iterator[Entry]:
        makers = (
            *(self._base,) * 6, *(self._array,) * 4, *(self._pointer,) * 2, self._enumeration,
            self._structure, self._structure, self._variants, self._subrange, self._subrange,
            self._string, self._other,
        )  # fmt: skip
        for _ in range(self.draw.randint(8, 20)):
            self.made.append(self.draw.choice(makers)())
        for die in self.made:
            if dw.AT_TYPE in die.attributes and not self.draw.randrange(25):
                die.attributes[dw.AT_TYPE] = self.draw.choice(self.made)  # perhaps itself
        yield from self.constants
        yield from self.made

    def any(self) -> Entry | None:
        return self.draw.choice([*self.made, None]) if self.made else None

    def _recent(self) -> Entry | None:
        return self.draw.choice(self.made[-4:]) if self.made else None

    def _sometimes(self, value: Attribute | None, one_in: int = 3) -> Attribute | None:
        return None if self.draw.randrange(one_in) else value

    def _name(self) -> str | None:
        return self.draw.choice(TYPE_NAMES) or None

    def _size(self) -> int | None:
        return self.draw.choice(SIZES if self.draw.randrange(2) else USUAL)

    def _number(self) -> Attribute | None:
        match self.draw.randrange(12):
            case 0:
                return None
            case 1:
                return bytes(self.draw.choices((0x30, 0x97, 0x1C, 0x22, 0x06, 0x31), k=2))
            case 2:
                return self.any()
            case _:
                return self.draw.choice(NUMBERS)

    def _scale(self) -> dict[int, Attribute | None]:
        match self.draw.randrange(6):
            case 0:
                return {dw.AT_BINARY_SCALE: self.draw.choice(NUMBERS)}
            case 1:
                return {dw.AT_DECIMAL_SCALE: self.draw.choice((*NUMBERS, -4, -4))}
            case 2:
                value = {dw.AT_CONST_VALUE: self.draw.choice((*NUMBERS, None))}
                ratio = {
                    dw.AT_GNU_NUMERATOR: self.draw.choice((*NUMBERS, None)),
                    dw.AT_GNU_DENOMINATOR: self.draw.choice((*NUMBERS, None)),
                }
                one = Entry(dw.TAG_CONSTANT, value if self.draw.randrange(2) else ratio)
                self.constants.append(one)
                return {dw.AT_SMALL: one}
            case 3:
                return {dw.AT_SMALL: self.draw.choice(NUMBERS)}
            case 4:
                return {dw.AT_BINARY_SCALE: -3}
            case _:
                return {}

    def _base(self) -> Entry:
        encoding = self.draw.choice(_ENCODINGS)
        scale = self._scale() if encoding in (0x0D, 0x0E) or not self.draw.randrange(8) else {}
        name = self._name()
        if not self.draw.randrange(4):
            encoding, name = self.draw.choice(((5, "int"), (4, "double"), (8, "char"), (2, "bool")))
        return Entry(dw.TAG_BASE_TYPE, {
            dw.AT_NAME: name, dw.AT_ENCODING: encoding, dw.AT_BYTE_SIZE: self._size(),
            dw.AT_BIT_SIZE: self._sometimes(self._number(), 6),
            dw.AT_DATA_BIT_OFFSET: self._sometimes(self._number(), 8),
            dw.AT_ENDIANITY: self._sometimes(self.draw.randint(0, 3), 8),
            dw.AT_LLVM_VECTOR_SIZE: self._sometimes(self._number(), 12),
            **scale,
        })  # fmt: skip

    def _bounds(self) -> dict[int, Attribute | None]:
        lower, upper, count = (self._number() for _ in range(3))
        if self.draw.randrange(2):
            lower, upper = self.draw.choice(((0, 3), (1, 2), (1, 4), (3, 1), (-1, 1)))
        has_count = not self.draw.randrange(3)
        bounds = {dw.AT_COUNT: count} if has_count else {dw.AT_UPPER_BOUND: upper}
        return {dw.AT_LOWER_BOUND: self._sometimes(lower, 2), **bounds}

    def _strides(self, one_in: int) -> dict[int, Attribute | None]:
        name = self.draw.choice((dw.AT_BYTE_STRIDE, dw.AT_BIT_STRIDE))
        return {name: self._sometimes(self.draw.choice(STRIDES), one_in)}

    def _array(self) -> Entry:
        dimensions = [
            Entry(dw.TAG_SUBRANGE_TYPE, {
                dw.AT_TYPE: self._sometimes(self.any()), **self._bounds(), **self._strides(4),
            })
            for _ in range(self.draw.choice((0, 1, 1, 1, 1, 2, 2, 3)))
        ]  # fmt: skip
        place = bytes(self.draw.choices((0x97, 0x06, 0x23, 0x08, 0x30, 0x31), k=3))
        return Entry(
            dw.TAG_ARRAY_TYPE,
            {
                dw.AT_NAME: self._sometimes(self._name()), dw.AT_TYPE: self._recent(),
                **self._strides(2), dw.AT_BYTE_SIZE: self._sometimes(self._size(), 8),
                dw.AT_BIT_SIZE: self._sometimes(self._size(), 12),
                dw.AT_GNU_VECTOR: self._sometimes(True, 6), dw.AT_ORDERING: self._sometimes(1, 12),
                dw.AT_DATA_LOCATION: self._sometimes(place, 12),
                dw.AT_ALLOCATED: self._sometimes(self._number(), 12),
                dw.AT_ASSOCIATED: self._sometimes(self._number(), 12),
                dw.AT_RANK: self._sometimes(self._number(), 20),
                dw.AT_STRING_LENGTH: self._sometimes(self._number(), 20),
            },
            *dimensions,
        )  # fmt: skip

    def _pointer(self) -> Entry:
        tag = self.draw.choice((
            *(dw.TAG_POINTER_TYPE,) * 5, dw.TAG_REFERENCE_TYPE, dw.TAG_RVALUE_REFERENCE_TYPE,
            dw.TAG_PTR_TO_MEMBER_TYPE,
        ))  # fmt: skip
        return Entry(tag, {
            dw.AT_NAME: self._sometimes(self._name(), 4), dw.AT_TYPE: self._recent(),
            dw.AT_BYTE_SIZE: 8 if self.draw.randrange(2) else self._size(),
            dw.AT_ADDRESS_CLASS: self._sometimes(self._number(), 8),
            dw.AT_LLVM_ADDRESS_SPACE: self._sometimes(self._number(), 12),
            dw.AT_CONTAINING_TYPE: self._sometimes(self.any()),
        })  # fmt: skip

    def _enumeration(self) -> Entry:
        values = [
            Entry(dw.TAG_ENUMERATOR, {dw.AT_NAME: name, dw.AT_CONST_VALUE: self._number()})
            for name in ("red", "green", "QU61", "blue")[: self.draw.randint(0, 4)]
        ]
        return Entry(
            dw.TAG_ENUMERATION_TYPE,
            {
                dw.AT_NAME: self._name(), dw.AT_BYTE_SIZE: self._size(),
                dw.AT_TYPE: self._sometimes(self.any(), 2),
                dw.AT_ENUM_CLASS: self._sometimes(True),
                dw.AT_BIT_SIZE: self._sometimes(self._number(), 10),
            },
            *values,
        )  # fmt: skip

    def _subrange(self) -> Entry:
        return Entry(dw.TAG_SUBRANGE_TYPE, {
            dw.AT_NAME: self._name(), dw.AT_TYPE: self._recent(), **self._bounds(),
            dw.AT_BYTE_SIZE: self._sometimes(self._size()),
            dw.AT_BIT_SIZE: self._sometimes(self._number(), 8),
            dw.AT_GNU_BIAS: self._sometimes(self._number(), 5),
        })  # fmt: skip

    def _member(self, name: str | None) -> Entry:
        offset = self.draw.choice((0, 4, 8)) if self.draw.randrange(2) else self._number()
        return Entry(dw.TAG_MEMBER, {
            dw.AT_NAME: name, dw.AT_TYPE: self._recent(), dw.AT_DATA_MEMBER_LOCATION: offset,
            dw.AT_BIT_SIZE: self._sometimes(self._number(), 5),
            dw.AT_DATA_BIT_OFFSET: self._sometimes(self._number(), 5),
            dw.AT_BIT_OFFSET: self._sometimes(self._number(), 12),
            dw.AT_BYTE_SIZE: self._sometimes(self._size(), 12),
            dw.AT_ARTIFICIAL: self._sometimes(True, 8),
        })  # fmt: skip

    def _structure(self) -> Entry:
        names = self.draw.choice((
            ("a", "b", "c"), ("a", "b"), ("a", None), ("length", "ptr"), ("str", "len"),
            ("array", "len", "cap"), ("data_ptr", "length"), ("P_ARRAY", "P_BOUNDS"),
            ("LB0", "UB0"), ("__0", "__1"), ("real", "imag"), ("_tag", "a"), ("_vptr.kind", "a"),
            ("length", "st"), ("__pfn", "__delta"), ("pointer", "vtable"), ("_data", "_vptr"), (),
        ))  # fmt: skip
        tag = self.draw.choice((
            dw.TAG_STRUCTURE_TYPE, dw.TAG_STRUCTURE_TYPE, dw.TAG_UNION_TYPE, dw.TAG_CLASS_TYPE,
        ))  # fmt: skip
        base = Entry(dw.TAG_INHERITANCE, {
            dw.AT_TYPE: self.any(), dw.AT_DATA_MEMBER_LOCATION: self._number(),
            dw.AT_VIRTUALITY: self._sometimes(1),
        })  # fmt: skip
        return Entry(
            tag,
            {dw.AT_NAME: self._name(), dw.AT_BYTE_SIZE: self._size()},
            *([] if self.draw.randrange(5) else [base]),
            *map(self._member, names),
        )

    def _variants(self) -> Entry:
        chosen = self._member("a")
        variants = [
            Entry(
                dw.TAG_VARIANT,
                {
                    dw.AT_DISCR_VALUE: self._sometimes(self._number(), 2),
                    dw.AT_DISCR_LIST: self._sometimes(bytes((1, 0, 3)), 4),
                },
                self._member(name),
            )
            for name in ("b", "c")
        ]
        part = Entry(dw.TAG_VARIANT_PART, {dw.AT_DISCR: chosen}, chosen, *variants)
        attributes = {dw.AT_NAME: self._name(), dw.AT_BYTE_SIZE: self._size()}
        return Entry(dw.TAG_STRUCTURE_TYPE, attributes, part)

    def _string(self) -> Entry:
        length = b"\x03" + DATA.to_bytes(8, "little")
        return Entry(dw.TAG_STRING_TYPE, {
            dw.AT_NAME: self._name(), dw.AT_BYTE_SIZE: self._size(),
            dw.AT_TYPE: self._sometimes(self.any(), 4),
            dw.AT_STRING_LENGTH: self._sometimes(length),
            dw.AT_STRING_LENGTH_BYTE_SIZE: self._sometimes(self._number(), 4),
        })  # fmt: skip

    def _other(self) -> Entry:
        tag = self.draw.choice((
            dw.TAG_TYPEDEF, dw.TAG_TYPEDEF, dw.TAG_CONST_TYPE, dw.TAG_VOLATILE_TYPE,
            dw.TAG_FILE_TYPE, dw.TAG_UNSPECIFIED_TYPE, dw.TAG_SUBROUTINE_TYPE, dw.TAG_ATOMIC_TYPE,
            dw.TAG_SET_TYPE, dw.TAG_SET_TYPE, dw.TAG_IMMUTABLE_TYPE,
            dw.TAG_PACKED_TYPE, dw.TAG_SHARED_TYPE,
        ))  # fmt: skip
        return Entry(tag, {
            dw.AT_NAME: self._name(), dw.AT_TYPE: self._recent(),
            dw.AT_BYTE_SIZE: self._sometimes(self._size()) if tag != dw.TAG_TYPEDEF else None,
        })  # fmt: skip


def _place(draw: Random) -> dict[int, Attribute | None]:
    """Return where a variable is."""
    address = b"\x03" + (DATA + draw.randrange(0, 256, 8)).to_bytes(8, "little")
    match draw.randrange(12):
        case 0:
            return {dw.AT_CONST_VALUE: draw.choice(NUMBERS)}
        case 1:
            return {dw.AT_LOCATION: bytes((0x9E, 4, 1, 2, 3, 4))}  # an implicit value
        case 2:
            return {dw.AT_LOCATION: bytes((0x35, 0x9F))}  # DW_OP_lit5; DW_OP_stack_value
        case 3:
            return {dw.AT_LOCATION: bytes((draw.choice((0x50, 0x53, 0x61)),))}
        case 4:
            return {dw.AT_LOCATION: address + b"\x93\x02\x50\x93\x02"}
        case 5:
            return {dw.AT_CONST_VALUE: "ab"}
        case 6:
            return {}
        case _:
            return {dw.AT_LOCATION: address}


def program(folder: Path, language: Language, draw: Random) -> Path:
    """Write a program with the variables `NAMES`, half of them of its function `f`."""
    types = Types(draw)
    made = list(types.entries())
    variables = [
        Entry(dw.TAG_VARIABLE, {
            dw.AT_NAME: name, dw.AT_TYPE: draw.choice(types.made), dw.AT_EXTERNAL: index % 2 == 1,
            **_place(draw),
        })
        for index, name in enumerate(NAMES)
    ]  # fmt: skip
    function = Entry(
        dw.TAG_SUBPROGRAM,
        {dw.AT_NAME: "f", dw.AT_TYPE: types.any(), dw.AT_FRAME_BASE: b"\x57", **_CODE_RANGE},
        *variables[::2],
    )
    return write_program(folder, language, [*made, *variables[1::2], function])


def write_program(folder: Path, language: Language, parts: Iterable[Entry]) -> Path:
    """Write a program whose unit has these parts."""
    described = {dw.AT_PRODUCER: language.producer, dw.AT_LANGUAGE: language.code, **_CODE_RANGE}
    root = Entry(dw.TAG_COMPILE_UNIT, {dw.AT_NAME: "a", **described}, *parts)
    info, abbreviated = written(root)
    path = folder / "a"
    sections = {
        ".debug_info": info, ".debug_abbrev": abbreviated,
        ".text": Content(bytes(16), flags=6, address=CODE),
    }  # fmt: skip
    path.write_bytes(elf(sections, X86_64, 0, type=2))
    return path


def shell_of(path: Path, draw: Random) -> Shell:
    """Return the prompt of a process that is stopped in the program."""
    arch = architecture("x86_64")
    state = StateTarget(arch)
    state.add_wave(0)
    for register in ("rax", "rbx", "rdx", "rsp", "rbp"):
        address = DATA + draw.randrange(0, 64, 8)
        state.set_register(0, arch.by_name[register], address.to_bytes(8, "little"))
    state.set_register(0, arch.by_name["rip"], (CODE + 4).to_bytes(8, "little"))
    data = bytearray(draw.randrange(128) for _ in range(DATA_BYTES))
    for at in range(0, 256, 16):
        data[at : at + 8] = (DATA + 8 * draw.randrange(32)).to_bytes(8, "little")
    state.set_memory(Memory(arch.address_space(0)), DATA, bytes(data))
    code_object = CodeObject.open(path)
    segments = tuple(code_object.loaded_segments())
    target = TargetWithCodeObjects(state, segments, has_started=True)
    session = Session(arch, (code_object,), target, wave=0, pc=CODE + 4)
    return Shell(focused(session), COMMANDS, Streams(io.StringIO(), io.StringIO()))


def ask(folder: Path, name: str, seed: int, count: int, max_calls: int) -> None:
    """Fail where a command is neither answered nor refused, needs many calls, or more memory than
    there is."""
    draw = Random(f"{name} {seed}")
    shell = shell_of(program(folder, LANGUAGES[name], draw), draw)
    for number, line in enumerate(questions(LANGUAGES[name], draw, count)):
        try:
            with sometimes_at_most(number, max_calls):
                said = output_of(shell, line)
        except Exception as error:
            raise AssertionError(f"{name} {seed}: {line}") from error
        assert OUT_OF_MEMORY not in said, f"{name} {seed}: {line}: {said}"
    shell.settings.set("output", "text")
    assert output_of(shell, "output 40 + 2") == "42"


def _limit_memory() -> None:
    """Allow the process a little more memory than it has, where the platform does so."""
    sizes = Path("/proc/self/statm")
    if sizes.exists():
        import resource

        most = int(sizes.read_text().split()[0]) * resource.getpagesize() + MORE_MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main() -> None:
    """Ask a language, with the seeds from the second argument up to the third, as many questions as
    the fourth of at most as many calls as the last."""
    name, first, end, count, max_calls = sys.argv[1], *map(int, sys.argv[2:])
    _limit_memory()
    with TemporaryDirectory() as folder:
        for seed in range(first, end):
            ask(Path(folder), name, seed, count, max_calls)


def questions(language: Language, draw: Random, count: int) -> Iterator[str]:
    """Yield commands."""
    asked = language.asked()
    for _ in range(count):
        one, other = draw.choice(NAMES), draw.choice(NAMES)
        match draw.randrange(8):
            case 0 | 1:
                yield draw.choice(COMMANDS_ON_VARIABLES).format(one, other)
            case 2:
                yield f"print/{draw.choice(FORMATS)} {one}"
            case 3:
                count_of, size = draw.choice(("", "3")), draw.choice(("", "b", "h", "w", "g"))
                place = draw.choice((one, "&" + one, f"{one}@2", hex(DATA)))
                yield f"x/{count_of}{draw.choice(FORMATS)}{size} {place}"
            case 4:
                command = draw.choice(
                    ("whatis", "ptype", "output", "explain", "output/x", "print/d")
                )
                yield f"{command} {draw.choice(asked).format(one, other)}"
            case _:
                yield f"print {draw.choice(asked).format(one, other)}"


if __name__ == "__main__":
    main()
