"""The call frame cases of the conformance format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.cfi.declaration import CfiFormat
from dwarfgpu.cfi.decode import CfaProgram, decode_cfa
from dwarfgpu.cfi.rows import rows
from dwarfgpu.cfi.text import instruction_json, row_json
from dwarfgpu.errors import EvaluationError, IllFormed, LimitExceeded, Malformed, Unsupported

CASES = [
    case
    for path in sorted((Path(__file__).resolve().parents[2] / "fixtures/cases").glob("cfi_*.json"))
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]
]
ARCHITECTURES = {"EM_X86_64": "x86_64", "EM_386": "i386", "EM_AMDGPU": "gfx90a"}
FAILURES = (Malformed, IllFormed, EvaluationError, LimitExceeded, Unsupported)

Case = dict[str, Any]


def programs(case: Case) -> tuple[CfaProgram, CfaProgram]:
    name = ARCHITECTURES.get(case.get("machine", ""))
    form = CfiFormat(
        address_size=case["address_size"],
        endian=case["endian"],
        code_alignment=case.get("code_alignment", 1),
        data_alignment=case.get("data_alignment", 1),
        architecture=architecture(name) if name else None,
    )
    cie, fde = (bytes.fromhex(case.get(key, "")) for key in ("cie_bytes_hex", "bytes_hex"))
    return decode_cfa(cie, form), decode_cfa(fde, form)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: Case) -> None:
    expected = case["expected"]
    cie, fde = programs(case)
    if expected["kind"] == "cfi_decode":
        if expected.get("error"):
            assert isinstance(fde.error, FAILURES) and not fde.instructions
        else:
            result = instruction_json(fde.instructions[0])
            assert result == {key: value for key, value in expected.items() if key != "kind"}
        return
    where = case["initial_location"], case["address_range"]
    if expected["kind"] == "error":
        with pytest.raises(FAILURES):
            rows(cie, fde, *where)
        return
    assert expected["kind"] == "cfi_rows"
    listed = [row_json(row) for row in rows(cie, fde, *where) if not row.is_empty]
    assert len(listed) == len(expected["rows"])
    for ours, theirs in zip(listed, expected["rows"], strict=True):
        assert {key: ours[key] for key in theirs} == theirs
