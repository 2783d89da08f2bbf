"""Frames of NumPy arrays and plain values, as messages and back."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from workroom.runtime.frames.decoder import decode_columns, decode_frames
from workroom.runtime.frames.encoder import MessageBuilder, encode_frames
from workroom.runtime.frames.known_arrays import KnownArrays
from workroom.runtime.frames.message import Column, ColumnKind, decode

DTYPES = ["?", "i1", "u1", "<i2", ">i4", "<i8", "u8", "<f2", ">f4", "<f8", "<c8", ">c16", "<U3", ">U2", "S4"]
_ANY_ARRAY = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays.arrays(np.dtype(dtype), arrays.array_shapes(min_dims=0, max_dims=4, min_side=0))
)
_NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
_PLAIN = st.none() | st.booleans() | _NUMBERS | st.text(max_size=5)
_JSON = st.recursive(_PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5)
_KEYS = st.sampled_from(["positions", "info.energy", "größe", "a b"])
_FRAMES = st.lists(st.dictionaries(_KEYS, _ANY_ARRAY | _JSON), max_size=6)


def _columns(frames: list[Any], known: KnownArrays | None = None) -> list[dict[str, Column]]:
    builder = MessageBuilder()
    for frame in frames:
        builder.add(frame)
    message = builder.message(known or KnownArrays())
    blocks = decode(b"".join(message.parts)).blocks
    return [{column.key: column for column in block.columns} for block in blocks]


def _assert_equal(found: Any, given: Any) -> None:
    if not isinstance(given, np.ndarray):
        assert (found, type(found)) == (given, type(given))
        return
    little = given.astype(given.dtype.newbyteorder("<"))
    assert (found.dtype, found.shape, found.tobytes()) == (little.dtype, little.shape, little.tobytes())
    assert not found.flags.writeable


@given(_FRAMES)
def test_frames_are_the_same_to_the_last_bit(frames: list[dict[str, Any]]) -> None:
    found = list(decode_frames(encode_frames(frames)))

    assert [set(frame) for frame in found] == [set(frame) for frame in frames]
    for one, other in zip(found, frames, strict=True):
        for key, value in other.items():
            _assert_equal(one[key], value)


def test_nan_payloads_and_negative_zeros_are_kept() -> None:
    bits = np.array([0x7FF8000000000123, 0xFFF0000000000001, 0x8000000000000000], "<u8")
    frames = [{"a": bits.view("<f8"), "b": -0.0}, {"a": bits[::-1].view("<f8"), "b": 0.0}]

    one, other = decode_frames(encode_frames(frames))

    assert one["a"].tobytes() == bits.tobytes()
    assert other["a"].tobytes() == bits[::-1].tobytes()
    assert (str(one["b"]), str(other["b"])) == ("-0.0", "0.0")


def test_arrays_are_views_into_the_message() -> None:
    message = encode_frames([{"a": np.full(100, number), "b": np.arange(50)} for number in range(3)])

    frames = list(decode_frames(message))

    whole = np.frombuffer(message, "u1")
    assert all(np.shares_memory(frame[key], whole) for frame in frames for key in "ab")
    assert frames[0]["a"].ctypes.data % 8 == 0
    with pytest.raises(ValueError, match="read-only"):
        frames[0]["a"][0] = 5


def test_a_reused_array_is_copied_as_it_was() -> None:
    builder, array = MessageBuilder(), np.zeros(3)
    for number in range(20):
        array[:] = number
        builder.add({"a": array})

    frames = decode_frames(b"".join(builder.message(KnownArrays()).parts))

    assert [frame["a"].tolist() for frame in frames] == [[float(number)] * 3 for number in range(20)]


def test_consecutive_frames_of_equal_shape_make_one_block() -> None:
    frames = [{"a": np.arange(3) + number, "e": float(number)} for number in range(5)]
    frames += [{"e": 1.0, "a": np.arange(3)}, {"a": np.arange(4), "e": 1.0}, {"a": np.arange(4, dtype="f4")}]

    assert [len(block) for block in _columns(frames)] == [2, 2, 1]


def test_what_repeats_is_sent_once() -> None:
    numbers = np.arange(100)
    frames = [{"numbers": numbers.copy(), "a": np.arange(number, number + 3)} for number in range(4)]

    (block,) = _columns([{**frame, "name": "water", "e": index} for index, frame in enumerate(frames)])

    kinds = {key: column.kind for key, column in block.items()}
    assert kinds == {
        "numbers": ColumnKind.SAME,
        "a": ColumnKind.STACK,
        "name": ColumnKind.VALUE,
        "e": ColumnKind.VALUES,
    }


def test_equal_values_of_different_types_are_kept_apart() -> None:
    frames = [{"v": value} for value in (1, 1.0, True, "1", 0.0, -0.0)]

    found = [frame["v"] for frame in decode_frames(encode_frames(frames))]

    assert [repr(value) for value in found] == ["1", "1.0", "True", "'1'", "0.0", "-0.0"]


def test_a_long_block_ends_where_a_large_array_changes() -> None:
    frames: list[Any] = [{"a": np.zeros(10_000), "b": np.full(3, index)} for index in range(100)]
    frames.append({"a": np.ones(10_000), "b": np.zeros(3, int)})

    assert [block["a"].kind for block in _columns(frames)] == [ColumnKind.SAME, ColumnKind.STACK]


def test_arrays_that_the_server_has_are_referred_to() -> None:
    known, builder = KnownArrays(), MessageBuilder()
    frames = [{"numbers": np.arange(100), "a": np.full(2, index)} for index in range(2)]
    for frame in frames:
        builder.add(frame)
    known.add(builder.message(known).shared)

    (block,) = _columns(frames, known)
    assert block["numbers"].kind is ColumnKind.REF
    known.discard([block["numbers"].digest])
    (block,) = _columns(frames, known)
    assert block["numbers"].kind is ColumnKind.SAME


def test_an_array_that_single_frames_repeat_becomes_a_reference() -> None:
    known, kinds = KnownArrays(), []
    for index in range(4):
        builder = MessageBuilder()
        builder.add({"numbers": np.arange(100), "a": np.full(2, index)})
        message = builder.message(known)
        known.add(message.shared)
        (block,) = decode(b"".join(message.parts)).blocks
        kinds.append(block.columns[0].kind.value)

    assert kinds == ["stack", "same", "ref", "ref"]


def test_known_arrays_are_bounded() -> None:
    known = KnownArrays()
    known.add(str(number) for number in range(5000))

    assert "0" not in known
    assert "4999" in known


def test_numpy_scalars_are_plain_where_python_has_the_type() -> None:
    plain = {"a": np.int64(3), "b": np.float64(0.5), "c": np.bool_(True), "d": np.str_("x")}
    others = {"e": np.float32(0.5), "f": np.uint64(2**64 - 1), "g": np.complex128(1j), "h": np.bytes_(b"xy")}

    (found,) = decode_frames(encode_frames([{**plain, **others}]))

    assert {key: found[key] for key in plain} == {"a": 3, "b": 0.5, "c": True, "d": "x"}
    assert [type(found[key]) for key in plain] == [int, float, bool, str]
    assert [found[key].dtype.str for key in others] == ["<f4", "<u8", "<c16", "|S2"]
    assert all(found[key].shape == () for key in others)


def test_shared_lists_are_not_shared_by_the_frames() -> None:
    one, other = decode_frames(encode_frames([{"v": [1, {"a": 2}]}] * 2))

    one["v"][1]["a"] = 3

    assert other["v"] == [1, {"a": 2}]


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        ([1], TypeError, "a frame is a mapping from keys to values, not list"),
        ({1: 2}, TypeError, "the keys of a frame are strings, not int: '1'"),
        ({"": 2}, ValueError, "the key '' is not allowed"),
        ({"a\n": 2}, ValueError, "is not allowed"),
        ({"k" * 129: 2}, ValueError, "is not allowed"),
        ({"a": np.array([{}, 1])}, TypeError, "'a' is an array of dtype object"),
        ({"a": np.array(["2020-01-01"], "M8[D]")}, TypeError, "'a' is an array of dtype datetime64"),
        ({"a": np.zeros(2, "f8,i4")}, TypeError, "'a' is an array of dtype"),
        ({"a": np.longdouble(1)}, TypeError, "'a' is an array of dtype"),
        ({"a": np.zeros((1,) * 9)}, ValueError, "'a' has 9 dimensions: an array may have 8"),
        ({"a": np.ma.masked_array([1, 2], [True, False])}, TypeError, "'a' is a masked array"),
        ({"a": list(range(60_000))}, ValueError, "'a' is too large: lists and dicts may have 64,000"),
        ({"a": "x" * 64_001}, ValueError, "'a' is too large: a string may have 64,000 characters"),
        ({"a": b"x"}, TypeError, "'a' holds a bytes"),
        ({"a": {1}}, TypeError, "'a' holds a set"),
        ({"a": [object()]}, TypeError, "'a' holds a object"),
        ({"a": {1: 2}}, TypeError, "'a' has a dict whose keys are not strings: '1'"),
        ({"a": 2**63}, ValueError, "'a' has an integer of more than 64 bits"),
        ({"a": "\ud800"}, ValueError, "'a' has text that UTF-8 cannot hold"),
    ],
)
def test_what_a_frame_cannot_hold_is_refused_by_key(frame: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        encode_frames([frame])


def test_too_deep_values_are_refused() -> None:
    value: Any = 1
    for _ in range(40):
        value = [value]

    with pytest.raises(ValueError, match="'a' is too deep"):
        encode_frames([{"a": value}])


def test_array_likes_and_empty_text_are_arrays() -> None:
    class Tensor:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.arange(3)

    (found,) = decode_frames(encode_frames([{"a": Tensor(), "b": np.empty(2, "U0"), "c": (1, np.int32(2))}]))

    assert found["a"].tolist() == [0, 1, 2]
    assert found["b"].tolist() == ["", ""]
    assert found["c"] == [1, 2]


def test_messages_end_at_about_4_mb() -> None:
    builder = MessageBuilder()
    while not (builder.count and builder.is_full):
        builder.add({"a": np.random.default_rng(builder.count).random(3000), "numbers": np.arange(1000)})

    message = builder.message(KnownArrays())

    assert 4_000_000 < message.size < 4_500_000
    assert message.size == sum(map(len, message.parts))
    assert message.count > 170  # the numbers are sent once


def test_small_frames_end_a_message_by_their_number() -> None:
    builder = MessageBuilder()
    while not (builder.count and builder.is_full):
        builder.add({"e": 1})

    assert builder.count == 4096


def test_columns_are_arrays_or_lists() -> None:
    found = decode_columns(encode_frames([{"e": np.float32(1), "v": None}, {"e": np.float32(2), "v": "x"}]))

    assert found["e"].tolist() == [1.0, 2.0]
    assert found["v"] == [None, "x"]


def test_the_client_is_imported_without_numpy_and_names_what_is_missing() -> None:
    script = """
import sys
sys.modules["numpy"] = None
import workroom
from workroom.runtime.frames.encoder import encode_frames
print(len(encode_frames([{"e": 1}])) > 0)
try:
    encode_frames([{"a": object()}])
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "True\nframes need NumPy: pip install 'workroom[frames]'\n"
