"""Colours and numbers that follow from a prompt."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Field = NDArray[np.float64]


def seed_of(prompt: str, params: Mapping[str, Any]) -> int:
    """The same prompt and parameters give the same picture."""
    text = json.dumps([prompt, dict(params)], sort_keys=True, default=str)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def gradient(generator: np.random.Generator, stops: int = 5) -> Field:
    """256 colours, from dark to light through related hues."""
    hue = generator.random()
    spread = generator.uniform(0.08, 0.45)
    hues = (hue + np.linspace(0, spread, stops)) % 1.0
    lightness = np.linspace(0.08, 0.95, stops)
    saturation = generator.uniform(0.45, 0.95, stops)
    colours = np.stack([_rgb(*each) for each in zip(hues, saturation, lightness, strict=True)])
    at = np.linspace(0, stops - 1, 256)
    channels = [np.interp(at, np.arange(stops), colours[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=1)


def _rgb(hue: float, saturation: float, lightness: float) -> Field:
    shade = np.array([(hue * 12 + offset) % 12 for offset in (0.0, 8.0, 4.0)])
    swing = saturation * min(lightness, 1 - lightness)
    rgb: Field = lightness - swing * np.clip(np.minimum(shade - 3, 9 - shade), -1, 1)
    return rgb


def colour(values: Field, colours: Field) -> Pixels:
    """Pixels for values between 0 and 1."""
    index = np.clip(values * 255, 0, 255).astype(np.uint8)
    return (colours[index] * 255).astype(np.uint8)


def noise(generator: np.random.Generator, height: int, width: int, octaves: int = 5) -> Field:
    """Smooth noise between 0 and 1: random lattices of growing detail, added up."""
    total = np.zeros((height, width))
    for octave in range(octaves):
        cells = 2 ** (octave + 1)
        total += _smooth(generator.random((cells + 2, cells + 2)), height, width) / 2**octave
    low, high = total.min(), total.max()
    scaled: Field = (total - low) / max(high - low, 1e-9)
    return scaled


def _smooth(lattice: Field, height: int, width: int) -> Field:
    """A lattice, interpolated to a size."""
    rows = np.linspace(0, lattice.shape[0] - 1.001, height)
    columns = np.linspace(0, lattice.shape[1] - 1.001, width)
    y, x = rows.astype(int), columns.astype(int)
    v, u = (rows - y)[:, None], (columns - x)[None, :]
    v, u = v * v * (3 - 2 * v), u * u * (3 - 2 * u)
    top = lattice[np.ix_(y, x)] * (1 - u) + lattice[np.ix_(y, x + 1)] * u
    bottom = lattice[np.ix_(y + 1, x)] * (1 - u) + lattice[np.ix_(y + 1, x + 1)] * u
    return np.asarray(top * (1 - v) + bottom * v)
