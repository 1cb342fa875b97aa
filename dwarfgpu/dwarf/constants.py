"""DWARF 2 to 5 encodings that the reader interprets (DWARF 5 chapter 7; AMD text A.7.5.4, A.7.12,
A.7.22; GNU extensions).

DW_TAG_array_type is `TAG_ARRAY_TYPE` here, DW_AT_language `AT_LANGUAGE`, and so on for DW_FORM_,
DW_ATE_, DW_LANG_, DW_LNCT_ and others: `grep -i at_language` finds all uses.

Numbers that appear here under `AT_LLVM_*` moved over the years: see `dwarfgpu.dwarf.producer`.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

TAG_ARRAY_TYPE: Final = 0x01
TAG_CLASS_TYPE: Final = 0x02
TAG_ENTRY_POINT: Final = 0x03
TAG_ENUMERATION_TYPE: Final = 0x04
TAG_FORMAL_PARAMETER: Final = 0x05
TAG_IMPORTED_DECLARATION: Final = 0x08
TAG_LABEL: Final = 0x0A
TAG_LEXICAL_BLOCK: Final = 0x0B
TAG_MEMBER: Final = 0x0D
TAG_POINTER_TYPE: Final = 0x0F
TAG_REFERENCE_TYPE: Final = 0x10
TAG_COMPILE_UNIT: Final = 0x11
TAG_STRING_TYPE: Final = 0x12
TAG_STRUCTURE_TYPE: Final = 0x13
TAG_SUBROUTINE_TYPE: Final = 0x15
TAG_TYPEDEF: Final = 0x16
TAG_UNION_TYPE: Final = 0x17
TAG_UNSPECIFIED_PARAMETERS: Final = 0x18
TAG_VARIANT: Final = 0x19
TAG_COMMON_BLOCK: Final = 0x1A
TAG_INHERITANCE: Final = 0x1C
TAG_INLINED_SUBROUTINE: Final = 0x1D
TAG_MODULE: Final = 0x1E
TAG_PTR_TO_MEMBER_TYPE: Final = 0x1F
TAG_SET_TYPE: Final = 0x20
TAG_SUBRANGE_TYPE: Final = 0x21
TAG_WITH_STMT: Final = 0x22
TAG_BASE_TYPE: Final = 0x24
TAG_CATCH_BLOCK: Final = 0x25
TAG_CONST_TYPE: Final = 0x26
TAG_CONSTANT: Final = 0x27
TAG_ENUMERATOR: Final = 0x28
TAG_FILE_TYPE: Final = 0x29
TAG_NAMELIST: Final = 0x2B
TAG_NAMELIST_ITEM: Final = 0x2C
TAG_PACKED_TYPE: Final = 0x2D
TAG_SUBPROGRAM: Final = 0x2E
TAG_TEMPLATE_TYPE_PARAMETER: Final = 0x2F
TAG_TEMPLATE_VALUE_PARAMETER: Final = 0x30
TAG_TRY_BLOCK: Final = 0x32
TAG_VARIANT_PART: Final = 0x33
TAG_VARIABLE: Final = 0x34
TAG_VOLATILE_TYPE: Final = 0x35
TAG_RESTRICT_TYPE: Final = 0x37
TAG_NAMESPACE: Final = 0x39
TAG_IMPORTED_MODULE: Final = 0x3A
TAG_INTERFACE_TYPE: Final = 0x38
TAG_UNSPECIFIED_TYPE: Final = 0x3B
TAG_PARTIAL_UNIT: Final = 0x3C
TAG_IMPORTED_UNIT: Final = 0x3D
TAG_SHARED_TYPE: Final = 0x40
TAG_TYPE_UNIT: Final = 0x41
TAG_RVALUE_REFERENCE_TYPE: Final = 0x42
TAG_TEMPLATE_ALIAS: Final = 0x43
TAG_COARRAY_TYPE: Final = 0x44
TAG_GENERIC_SUBRANGE: Final = 0x45
TAG_DYNAMIC_TYPE: Final = 0x46
TAG_ATOMIC_TYPE: Final = 0x47
TAG_CALL_SITE: Final = 0x48
TAG_CALL_SITE_PARAMETER: Final = 0x49
TAG_SKELETON_UNIT: Final = 0x4A
TAG_IMMUTABLE_TYPE: Final = 0x4B
TAG_GNU_TEMPLATE_TEMPLATE_PARAM: Final = 0x4106
TAG_GNU_TEMPLATE_PARAMETER_PACK: Final = 0x4107
TAG_GNU_FORMAL_PARAMETER_PACK: Final = 0x4108
NO_TYPES: Final = frozenset(
    {
        0x03, 0x05, 0x08, 0x0A, 0x0B, 0x0D, 0x11, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x22,
        0x23, 0x25, 0x27, 0x28, 0x2A, 0x2B, 0x2C, 0x2E, 0x30, 0x32, 0x33, 0x34, 0x36, 0x39, 0x3A,
        0x3C, 0x3D, 0x3F, 0x41, 0x48, 0x49, 0x4A,
    }
)  # fmt: skip
"""Tags of entries of DWARF 5 that describe no type (2.7): data objects, scopes, units, parts.

A template parameter may be a type (2.23), and so may what a vendor adds."""
TYPEDEFS: Final = frozenset({TAG_TEMPLATE_ALIAS, TAG_TYPEDEF})
"""Tags of further names of types (5.3): `using Pointer = T *` of a template is one (5.21)."""
FUNCTIONS: Final = frozenset({TAG_ENTRY_POINT, TAG_INLINED_SUBROUTINE, TAG_SUBPROGRAM})
"""Tags of functions and of their instances (3.3)."""
TEMPLATE_INSTANCES: Final = frozenset(
    {TAG_CLASS_TYPE, TAG_STRUCTURE_TYPE, TAG_SUBPROGRAM, TAG_TEMPLATE_ALIAS, TAG_UNION_TYPE}
)
"""Tags of what may be an instance of a template (2.23)."""
TEMPLATE_PARAMETERS: Final = frozenset(
    {
        TAG_GNU_TEMPLATE_PARAMETER_PACK,
        TAG_GNU_TEMPLATE_TEMPLATE_PARAM,
        TAG_TEMPLATE_TYPE_PARAMETER,
        TAG_TEMPLATE_VALUE_PARAMETER,
    }
)
"""Tags of the parameters of templates, which in their instances have arguments."""

AT_LOCATION: Final = 0x02
AT_NAME: Final = 0x03
AT_ORDERING: Final = 0x09
AT_BYTE_SIZE: Final = 0x0B
AT_BIT_OFFSET: Final = 0x0C
AT_BIT_SIZE: Final = 0x0D
AT_STMT_LIST: Final = 0x10
AT_LOW_PC: Final = 0x11
AT_HIGH_PC: Final = 0x12
AT_LANGUAGE: Final = 0x13
AT_IMPORT: Final = 0x18
AT_DISCR: Final = 0x15
AT_DISCR_VALUE: Final = 0x16
AT_STRING_LENGTH: Final = 0x19
AT_COMP_DIR: Final = 0x1B
AT_CONST_VALUE: Final = 0x1C
AT_INLINE: Final = 0x20
AT_CONTAINING_TYPE: Final = 0x1D
AT_LOWER_BOUND: Final = 0x22
AT_PRODUCER: Final = 0x25
AT_PROTOTYPED: Final = 0x27
AT_RETURN_ADDR: Final = 0x2A
AT_UPPER_BOUND: Final = 0x2F
AT_ABSTRACT_ORIGIN: Final = 0x31
AT_ADDRESS_CLASS: Final = 0x33
AT_ARTIFICIAL: Final = 0x34
AT_COUNT: Final = 0x37
AT_ACCESSIBILITY: Final = 0x32
AT_DATA_MEMBER_LOCATION: Final = 0x38
AT_DECL_COLUMN: Final = 0x39
AT_DECL_FILE: Final = 0x3A
AT_DECL_LINE: Final = 0x3B
AT_DECLARATION: Final = 0x3C
AT_DISCR_LIST: Final = 0x3D
AT_ENCODING: Final = 0x3E
AT_EXTERNAL: Final = 0x3F
AT_FRAME_BASE: Final = 0x40
AT_NAMELIST_ITEM: Final = 0x44
AT_SPECIFICATION: Final = 0x47
AT_STATIC_LINK: Final = 0x48
AT_TYPE: Final = 0x49
AT_USE_LOCATION: Final = 0x4A
AT_VARIABLE_PARAMETER: Final = 0x4B
AT_VIRTUALITY: Final = 0x4C
AT_VTABLE_ELEM_LOCATION: Final = 0x4D
AT_ALLOCATED: Final = 0x4E
AT_ASSOCIATED: Final = 0x4F
AT_DATA_LOCATION: Final = 0x50
AT_BYTE_STRIDE: Final = 0x51
AT_BIT_STRIDE: Final = 0x2E
AT_ENTRY_PC: Final = 0x52
AT_RANGES: Final = 0x55
AT_CALL_COLUMN: Final = 0x57
AT_CALLING_CONVENTION: Final = 0x36
AT_CALL_FILE: Final = 0x58
AT_CALL_LINE: Final = 0x59
AT_SIGNATURE: Final = 0x69
AT_MAIN_SUBPROGRAM: Final = 0x6A
AT_DATA_BIT_OFFSET: Final = 0x6B
AT_BINARY_SCALE: Final = 0x5B
AT_DECIMAL_SCALE: Final = 0x5C
AT_SMALL: Final = 0x5D
AT_OBJECT_POINTER: Final = 0x64
AT_ENDIANITY: Final = 0x65
AT_ENUM_CLASS: Final = 0x6D
AT_LINKAGE_NAME: Final = 0x6E
AT_STRING_LENGTH_BIT_SIZE: Final = 0x6F
AT_STRING_LENGTH_BYTE_SIZE: Final = 0x70
AT_RANK: Final = 0x71
AT_STR_OFFSETS_BASE: Final = 0x72
AT_ADDR_BASE: Final = 0x73
AT_RNGLISTS_BASE: Final = 0x74
AT_DWO_NAME: Final = 0x76
AT_REFERENCE: Final = 0x77
AT_RVALUE_REFERENCE: Final = 0x78
AT_ALIGNMENT: Final = 0x88
AT_EXPORT_SYMBOLS: Final = 0x89
AT_LOCLISTS_BASE: Final = 0x8C
AT_GNAT_DESCRIPTIVE_TYPE: Final = 0x2302
AT_GNU_NUMERATOR: Final = 0x2303
AT_GNU_DENOMINATOR: Final = 0x2304
AT_GNU_BIAS: Final = 0x2305
AT_MIPS_LINKAGE_NAME: Final = 0x2007
LINKAGE_NAMES: Final = (AT_LINKAGE_NAME, AT_MIPS_LINKAGE_NAME)
"""Attributes of the name that linkers know; before DWARF 4 it is that of a vendor."""
AT_GNU_VECTOR: Final = 0x2107
AT_GO_KIND: Final = 0x2900
AT_GO_EMBEDDED_FIELD: Final = 0x2903
AT_GNU_TEMPLATE_NAME: Final = 0x2110
AT_GNU_DWO_NAME: Final = 0x2130
AT_GNU_DWO_ID: Final = 0x2131
AT_GNU_RANGES_BASE: Final = 0x2132
AT_GNU_ADDR_BASE: Final = 0x2133
AT_GNU_LOCVIEWS: Final = 0x2137
AT_LLVM_AUGMENTATION: Final = 0x3E09
"""A string of a unit's own entry (AMD text A.3.1.1); LLVM 17 gave the number away."""
AT_LLVM_MEMORY_SPACE: Final = 0x3E0F
AT_LLVM_ADDRESS_SPACE: Final = 0x3E10
AT_LLVM_LANES: Final = 0x3E11
AT_LLVM_LANE_PC: Final = 0x3E12
AT_LLVM_VECTOR_SIZE: Final = 0x3E13
AT_LLVM_ACTIVE_LANE: Final = 0x3F7E
"""Provisional, as the next one: they have no number today (`docs/dialects.md`)."""
AT_LLVM_ITERATIONS: Final = 0x3F7F

FORM_ADDR: Final = 0x01
FORM_BLOCK2: Final = 0x03
FORM_BLOCK4: Final = 0x04
FORM_DATA2: Final = 0x05
FORM_DATA4: Final = 0x06
FORM_DATA8: Final = 0x07
FORM_STRING: Final = 0x08
FORM_BLOCK: Final = 0x09
FORM_BLOCK1: Final = 0x0A
FORM_DATA1: Final = 0x0B
FORM_FLAG: Final = 0x0C
FORM_SDATA: Final = 0x0D
FORM_STRP: Final = 0x0E
FORM_UDATA: Final = 0x0F
FORM_REF_ADDR: Final = 0x10
FORM_REF1: Final = 0x11
FORM_REF2: Final = 0x12
FORM_REF4: Final = 0x13
FORM_REF8: Final = 0x14
FORM_REF_UDATA: Final = 0x15
FORM_INDIRECT: Final = 0x16
FORM_SEC_OFFSET: Final = 0x17
FORM_EXPRLOC: Final = 0x18
FORM_FLAG_PRESENT: Final = 0x19
FORM_STRX: Final = 0x1A
FORM_ADDRX: Final = 0x1B
FORM_REF_SUP4: Final = 0x1C
FORM_STRP_SUP: Final = 0x1D
FORM_DATA16: Final = 0x1E
FORM_LINE_STRP: Final = 0x1F
FORM_REF_SIG8: Final = 0x20
FORM_IMPLICIT_CONST: Final = 0x21
FORM_LOCLISTX: Final = 0x22
FORM_RNGLISTX: Final = 0x23
FORM_REF_SUP8: Final = 0x24
FORM_STRX1: Final = 0x25
FORM_STRX2: Final = 0x26
FORM_STRX3: Final = 0x27
FORM_STRX4: Final = 0x28
FORM_ADDRX1: Final = 0x29
FORM_ADDRX2: Final = 0x2A
FORM_ADDRX3: Final = 0x2B
FORM_ADDRX4: Final = 0x2C
FORM_GNU_ADDR_INDEX: Final = 0x1F01
FORM_GNU_STR_INDEX: Final = 0x1F02
FORM_GNU_REF_ALT: Final = 0x1F20
FORM_GNU_STRP_ALT: Final = 0x1F21
FORM_LLVM_ADDRX_OFFSET: Final = 0x2001

UT_COMPILE: Final = 0x01
UT_TYPE: Final = 0x02
UT_PARTIAL: Final = 0x03
UT_SKELETON: Final = 0x04
UT_SPLIT_COMPILE: Final = 0x05
UT_SPLIT_TYPE: Final = 0x06

ORD_COL_MAJOR: Final = 1

DWO_SUFFIX: Final = ".dwo"
"""The suffix of the names of split files and of their sections."""
CU_INDEX: Final = ".debug_cu_index"
TU_INDEX: Final = ".debug_tu_index"
"""Sections of packages."""
SPLIT_NAMES: Final = (AT_DWO_NAME, AT_GNU_DWO_NAME)
"""Attributes by which a skeleton names its split file."""

Style = Literal["c", "fortran", "ada", "pascal"]
"""How the types and values of a language are written."""
WITH_TYPES_OF_C: Final[frozenset[Style]] = frozenset({"c", "pascal"})
"""Styles in which types are written as in C. GDB has other words for those of Pascal."""
AsInCplusplus: TypeAlias = bool | Literal["names"]
"""Whether types are written as in C++; `names`: those of structures, without their tag, and nothing
more, as GDB does in assembler code."""
Spelling: TypeAlias = tuple[AsInCplusplus, Style]
"""How the types and values of a selected language are written."""
C: Final = frozenset({0x01, 0x02, 0x0C, 0x1D, 0x2C, 0x3E})
"""DW_LANG codes of C 89 to 23."""
LANG_C: Final = 0x02
LANG_C_PLUS_PLUS: Final = 0x04
FORTRAN: Final = frozenset({0x07, 0x08, 0x0E, 0x22, 0x23, 0x2D, 0x3F})
"""DW_LANG codes of Fortran 77 to 2023, whose arrays are column major by default."""
ADA: Final = frozenset({0x03, 0x0D, 0x2E, 0x2F})
"""DW_LANG codes of Ada 83 to 2012."""
LANG_PASCAL83: Final = 0x09
LANG_D: Final = 0x13
LANG_GO: Final = 0x16
LANG_RUST: Final = 0x1C
D_GO_RUST: Final = frozenset({LANG_D, LANG_GO, LANG_RUST})
"""Languages whose values are written as in C."""
OWN_ARITHMETIC: Final = ADA | FORTRAN | D_GO_RUST | {LANG_PASCAL83}
"""Languages that do not compute as C does."""
WITH_WHOLE_ARRAYS: Final = D_GO_RUST | {LANG_PASCAL83}
"""Languages besides Fortran and Ada in which arrays have bounds and `==` compares their elements:
there they do not become pointers."""
VALUE_ARRAYS: Final = frozenset({LANG_PASCAL83, LANG_RUST})
"""Languages in which GDB shows that an array has no elements; in C it is a pointer to the first."""
LANG_MIPS_ASSEMBLER: Final = 0x8001
"""DW_LANG_Mips_Assembler, which assemblers of all machines give."""
LANG_LLVM_HIP: Final = 0x8100
"""DW_LANG_LLVM_HIP of the AMD text (A.7.12); compilers write DW_LANG_HIP, 0x30."""
HIP: Final = frozenset({0x30, LANG_LLVM_HIP})
CPLUSPLUS: Final = frozenset({0x04, 0x19, 0x1A, 0x21, 0x2A, 0x2B, 0x37, 0x3A}) | HIP
"""The languages of C++ 98 to 23, HIP with both numbers, and C++ for OpenCL."""
LANG_CPP_FOR_OPENCL: Final = 0x37
OPENCL: Final = frozenset({0x15, LANG_CPP_FOR_OPENCL})
"""DW_LANG codes of OpenCL C and C++ for OpenCL."""
LANG_OBJC: Final = 0x10
MAY_LACK_PROTOTYPES: Final = (C | OPENCL | {LANG_OBJC}) - {LANG_CPP_FOR_OPENCL}
"""Languages whose functions have DW_AT_prototyped, unless their parameters are unknown."""
QUALIFIED: Final = CPLUSPLUS | {LANG_D, LANG_RUST}
"""Languages in which the names of types have their namespaces or modules."""
WITHOUT_NAMESPACES: Final = (C | OPENCL | FORTRAN | ADA) - {LANG_CPP_FOR_OPENCL}
"""Languages whose functions are in no DW_TAG_namespace."""
LOWER_BOUND_ONE: Final = FORTRAN | frozenset(
    # Ada, Cobol, Pascal, Modula, PL/I, Julia (DWARF 5 table 7.17, and as published later)
    {0x03, 0x05, 0x06, 0x09, 0x0A, 0x0D, 0x0F, 0x17, 0x1F, 0x2E, 0x2F}
)
"""DW_LANG codes of languages whose arrays begin at 1 by default."""
LOWER_BOUND_ZERO: Final = (frozenset(range(0x01, 0x40)) - LOWER_BOUND_ONE) | frozenset(
    # RenderScript of Google is 0x8E57
    {LANG_MIPS_ASSEMBLER, LANG_LLVM_HIP, 0x8E57}
)
"""DW_LANG codes of languages whose arrays begin at 0 by default."""
