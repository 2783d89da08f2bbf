"""What job.preview() takes and how often it sends."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from support.atoms_room import ListFiles, a_job
from workroom.runtime.positions import encode_positions

ROWS = [[0.0, 0.5, -1.0], [2.0, 3.0, 4.5]]
ENCODED = struct.pack("<6f", *ROWS[0], *ROWS[1])


@pytest.mark.parametrize(
    "positions", [np.array(ROWS), np.array(ROWS, ">f4"), np.array(ROWS).T.copy().T, ROWS, iter(ROWS)]
)
def test_positions_become_little_endian_floats(positions: Any) -> None:
    assert encode_positions(positions) == ENCODED


@pytest.mark.parametrize("positions", [np.zeros(3), np.zeros((2, 2)), [[1, 2]], [["a", "b", "c"]]])
def test_what_has_no_three_numbers_per_atom_is_refused(positions: Any) -> None:
    with pytest.raises(ValueError, match=r".+"):
        encode_positions(positions)


def test_a_job_may_preview_in_its_innermost_loop() -> None:
    files = ListFiles()
    job = a_job(files)

    for _ in range(1000):
        job.preview(7, np.array(ROWS))

    assert files.previews[0] == (7, ENCODED)
    assert len(files.previews) < 1000
