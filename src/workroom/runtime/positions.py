"""Encodes what `job.preview()` takes. Imports no NumPy: arrays convert themselves."""

from __future__ import annotations

import struct
from typing import Any


def encode_positions(positions: Any) -> bytes:
    """x, y and z of each atom as little-endian 32-bit floats: of an array of N x 3, or of a sequence."""
    if hasattr(positions, "astype"):
        if positions.ndim != 2 or positions.shape[1] != 3:
            raise ValueError(f"job.preview() takes positions of the shape (N, 3), not {positions.shape}")
        return bytes(positions.astype("<f4").tobytes())
    rows = [(float(x), float(y), float(z)) for x, y, z in positions]
    return b"".join(struct.pack("<3f", *row) for row in rows)
