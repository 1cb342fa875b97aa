"""References and strings of supplementary files (DWARF 5 7.3.6, 7.5.5), of both kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.check.file import Verdict, verify
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from tests.check.made import BASE_TYPE, COMPILE_UNIT, DATA1, STRING, VARIABLE, findings, words
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tests.dwarf.test_supplementary import BUILD_ID, ID

LINKS = {".gnu_debugaltlink": b"sup\0" + ID, ".debug_sup": b"\5\0\0sup\0\x02ab"}
OWN = {".gnu_debugaltlink": {}, ".debug_sup": {".debug_sup": b"\5\0\1\0\x02ab"}}
REF_ALT, STRP_ALT = 0x1F20, 0x1F21
REF_SUP4, STRP_SUP, REF_SUP8 = 0x1C, 0x1D, 0x24
INT_AT, MEMBER_AT = 13, 20


def supplementary(link: str) -> bytes:
    """A partial unit with `int` and a variable, and one string."""
    shapes = [
        Shape(dw.TAG_PARTIAL_UNIT, (), True),
        Shape(BASE_TYPE, ((dw.AT_NAME, STRING), (dw.AT_BYTE_SIZE, DATA1), (dw.AT_ENCODING, DATA1))),
        Shape(VARIABLE, ((dw.AT_NAME, STRING),)),
    ]
    sections: dict[str, bytes | Content] = {
        ".note": BUILD_ID,
        ".debug_info": unit(b"\1\2int\0\4\5\3x\0\0"),
        ".debug_abbrev": abbreviations(*shapes),
        ".debug_str": b"\0name\0",
        **OWN[link],
    }
    return elf(sections, X86_64)


def check(
    folder: Path, attribute: int, form: int, target: int, link: str | None, *, has_it: bool = True
) -> Verdict:
    size_bytes = 8 if form == REF_SUP8 else 4
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(VARIABLE, ((attribute, form),))]
    value = words(target, size_bytes=size_bytes)
    sections: dict[str, bytes | Content] = {
        ".debug_info": unit(b"\1" + 3 * (b"\2" + value) + b"\0"),
        ".debug_abbrev": abbreviations(*shapes),
    }
    if link is not None:
        sections[link] = LINKS[link]
        if has_it:
            (folder / "sup").write_bytes(supplementary(link))
    path = folder / "main"
    path.write_bytes(elf(sections, X86_64))
    return verify(CodeObject.open(path))


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize(
    ("attribute", "forms", "target", "rule", "message"),
    [
        (dw.AT_TYPE, (REF_ALT, REF_SUP4, REF_SUP8), INT_AT, None, ""),
        (dw.AT_TYPE, (REF_ALT, REF_SUP4, REF_SUP8), INT_AT + 1, "dangling-reference",
         "DW_AT_type: in the supplementary file no entry starts at offset 0xe"),
        (dw.AT_TYPE, (REF_ALT, REF_SUP4, REF_SUP8), MEMBER_AT, "dangling-reference",
         "DW_AT_type: in the supplementary file the entry at offset 0x14 is a DW_TAG_variable"),
        (dw.AT_TYPE, (REF_ALT, REF_SUP4, REF_SUP8), 0x1000, "dangling-reference",
         "DW_AT_type: in the supplementary file offset 0x1000 is not in any unit"),
        (dw.AT_NAME, (STRP_ALT, STRP_SUP), 1, None, ""),
        (dw.AT_NAME, (STRP_ALT, STRP_SUP), 5, None, ""),  # the end of a string
        (dw.AT_NAME, (STRP_ALT, STRP_SUP), 6, "outside-table",
         "DW_AT_name: no string starts at .debug_str+0x6 of the supplementary file"),
    ],
)  # fmt: skip
def test_what_leads_there(
    tmp_path: Path,
    link: str,
    attribute: int,
    forms: tuple[int, ...],
    target: int,
    rule: str | None,
    message: str,
) -> None:
    for form in forms:
        verdict = check(tmp_path, attribute, form, target, link)
        assert verdict.findings.skipped == []
        found = {(one.severity, one.rule, one.message) for one in findings(verdict)}
        assert found == (set() if rule is None else {("error", rule, message)})


@pytest.mark.parametrize(
    ("attribute", "form", "rule", "name"),
    [
        (dw.AT_TYPE, REF_ALT, "dangling-reference", "DW_AT_type"),
        (dw.AT_NAME, STRP_ALT, "outside-table", "DW_AT_name"),
    ],
)
def test_a_file_that_names_none(
    tmp_path: Path, attribute: int, form: int, rule: str, name: str
) -> None:
    (found,) = findings(check(tmp_path, attribute, form, INT_AT, None))
    message = f"{name}: the file names no supplementary file"
    assert (found.rule, found.message) == (rule, message)


@pytest.mark.parametrize(
    ("attribute", "form", "needed"),
    [(dw.AT_TYPE, REF_ALT, "references into it"), (dw.AT_NAME, STRP_ALT, "strings of it")],
)
def test_one_that_is_not_found_is_reported_once(
    tmp_path: Path, attribute: int, form: int, needed: str
) -> None:
    verdict = check(tmp_path, attribute, form, 0x1000, ".gnu_debugaltlink", has_it=False)
    assert findings(verdict) == []
    (skipped,) = verdict.findings.skipped
    assert skipped.startswith(f"{needed}: ") and "supplementary file sup" in skipped
    assert verdict.findings.times[skipped] == 1
