"""The YAML of V2 metadata: what compilers and CLRX write, and what is refused."""

from __future__ import annotations

import contextlib
import random
import tracemalloc

import pytest

from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported
from dwarfgpu.objfile.metadata_value import Metadata, ValueBudget
from dwarfgpu.objfile.metadata_yaml import parse_yaml
from tests.work import at_most

LLVM = """---
Version:         [ 1, 0 ]
Printf:
  - '1:1:4:%d\\n'
  - "2:0:tab\\there \\x41\\u00e9"
Kernels:
  - Name:            test
    SymbolName:      'test@kd'
    Language:        OpenCL C
    LanguageVersion: [ 2, 0 ]
    Attrs:
      ReqdWorkGroupSize: [ 1, 2,
                           4 ]
      VecTypeHint:     int
    Args:
      - TypeName:        'char*'
        Size:            8
        IsConst:         true
      - Size:            4
        ValueKind:       ByValue
    CodeProps:       { }
...
"""


def test_what_compilers_write() -> None:
    text = LLVM.replace("    CodeProps:       { }\n", "")
    assert parse_yaml(text + "\0") == {
        "Version": [1, 0],
        "Printf": ["1:1:4:%d\\n", "2:0:tab\there Aé"],
        "Kernels": [
            {
                "Name": "test",
                "SymbolName": "test@kd",
                "Language": "OpenCL C",
                "LanguageVersion": [2, 0],
                "Attrs": {"ReqdWorkGroupSize": [1, 2, 4], "VecTypeHint": "int"},
                "Args": [
                    {"TypeName": "char*", "Size": 8, "IsConst": True},
                    {"Size": 4, "ValueKind": "ByValue"},
                ],
            }
        ],
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("---\n# nothing\n...\nrest: 1\n", None),
        ("a", "a"),
        ("-1", -1),
        ("0x10", 16),
        ("'it''s'", "it's"),
        ('"a\\"b"', 'a"b'),
        ("a: ", {"a": None}),
        ("a:\nb: 1", {"a": None, "b": 1}),
        ("a:\n- 1\n- 2\nb: 3", {"a": [1, 2], "b": 3}),  # items as far left as their key
        ("- a: 1\n  b: 2\n-\n  c: 3\n-", [{"a": 1, "b": 2}, {"c": 3}, None]),
        ("- - 1\n  - 2\n- 3", [[1, 2], 3]),
        ("a: x # why", {"a": "x"}),
        ("a: 'x # y' # why", {"a": "x # y"}),
        ("a: x#y", {"a": "x#y"}),
        ("'k y': 1", {"k y": 1}),
        ("a: []", {"a": []}),
        ("a: [ 'x, y', z ]", {"a": ["x, y", "z"]}),
        ("a: b::c", {"a": "b::c"}),
        ("a: true\nb: false\nc: ~", {"a": True, "b": False, "c": None}),
        ("a: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
    ],
)
def test_values(text: str, value: Metadata) -> None:
    assert parse_yaml(text) == value


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("a: 1\n   b: 2", Malformed, "line 2 of the metadata is indented wrongly"),
        ("a: 1\nb", Malformed, "line 2 of the metadata has no key"),
        ("a: 1\na: 2", Malformed, "line 2 of the metadata repeats the key a"),
        ("a: [ 1, 2", Malformed, "the sequence in line 1 of the metadata has no end"),
        ("a: [ [ 1 ] ]", Malformed, r"unexpected \["),
        ("a: [ 1 ] 2", Malformed, "unexpected 2"),
        ("a: 'x", Malformed, "the string in line 1 of the metadata has no end"),
        ('a: "\\q"', Malformed, "escapes q"),
        ('a: "\\U00110000"', Malformed, "no character"),
        ("\ta: 1", Malformed, "indented by a tab"),
        ("a: { }", Unsupported, "uses { of YAML"),
        ("a: &x 1", Unsupported, "uses & of YAML"),
        ("a: |\n  text", Unsupported, r"uses \| of YAML"),
        ("- " * 40 + "1", LimitExceeded, "nested deeper"),
    ],
)
def test_what_is_refused(text: str, error: type[DwarfGpuError], message: str) -> None:
    with pytest.raises(error, match=message):
        parse_yaml(text)


@pytest.mark.parametrize(
    "text",
    [
        "a" + " " * 400_000 + "b",
        "'" * 400_000,
        '"' + "\\" * 400_000,
        "a: [" + "\n" * 200_000,
        "a: [ 1,\n" + "1,\n" * 100_000,
        "- " * 200_000,
        "a:\n" * 100_000,
        ("x" * 50 + ":") * 10_000,
    ],
    ids=range(8),
)
def test_hostile_texts_take_little_work(text: str) -> None:
    with at_most(10_000_000), contextlib.suppress(DwarfGpuError):
        parse_yaml(text)


@pytest.mark.parametrize("text", ["'{}'", '"{}"', "'{}': 1", "[ '{}' ]"])
def test_a_long_string_takes_little_memory(text: str) -> None:
    """A regular expression that may give back each character keeps a record of each."""
    long = text.format("a''" * 50_000 if "'" in text else "a" * 150_000)
    tracemalloc.start()
    try:
        parse_yaml(long)
        assert tracemalloc.get_traced_memory()[1] < 8 * len(long)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("text", ["a: 'b''", "a: ['b'']", "a: '", 'a: "b\\"'])
def test_a_string_without_an_end(text: str) -> None:
    with pytest.raises(Malformed, match="the string in line 1 of the metadata has no end"):
        parse_yaml(text)


@pytest.mark.parametrize("text", ["a:\n" * 5, "a: [" + "1," * 9 + "]", "\n" * 9, "- a: 1\n" * 3])
def test_more_values_than_the_bound(text: str) -> None:
    """A line counts as two of them, a key and a value, and an item as one more."""
    with pytest.raises(LimitExceeded, match=r"more than 8 values \(--max-metadata-values\)"):
        parse_yaml(text, ValueBudget(8))


def test_mutated_text() -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    for _ in range(1500):
        text = list(LLVM)
        for _ in range(source.randint(1, 8)):
            at = source.randrange(len(text))
            if source.random() < 0.3:
                del text[at : at + source.randrange(20)]
            else:
                text[at] = source.choice("[]{}:'\"-#&*\n\t ,xA\\%")
        with contextlib.suppress(DwarfGpuError):
            parse_yaml("".join(text))
