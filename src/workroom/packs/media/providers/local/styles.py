"""The styles of the local provider: each yields pictures that grow more finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from PIL import Image, ImageDraw

from workroom.packs.media.providers.local.palette import Field, Pixels, colour, gradient, noise

Style = Callable[[np.random.Generator, int, int], Iterator[Pixels]]
_STEPS = 12


def flow(generator: np.random.Generator, width: int, height: int) -> Iterator[Pixels]:
    """Lines of particles that drift through a field of noise."""
    colours = gradient(generator)
    angles = noise(generator, height, width, 4) * generator.uniform(3, 8) * np.pi
    shade = noise(generator, height, width, 3)
    picture = colour(shade * 0.25, colours).astype(np.float64)
    count = width * height // 60
    points = generator.random((count, 2)) * (height - 1, width - 1)
    tint = colours[
        (np.clip(shade[points[:, 0].astype(int), points[:, 1].astype(int)], 0, 1) * 255).astype(int)
    ]
    for _ in range(_STEPS):
        for _ in range(10):
            y, x = points[:, 0].astype(int), points[:, 1].astype(int)
            picture[y, x] = picture[y, x] * 0.6 + tint * 255 * 0.4
            turn = angles[y, x]
            points = (points + np.stack([np.sin(turn), np.cos(turn)], axis=1)) % (height - 1, width - 1)
        yield picture.astype(np.uint8)


def voronoi(generator: np.random.Generator, width: int, height: int) -> Iterator[Pixels]:
    """Cells around random points, which move towards the middle of their cells."""
    colours = gradient(generator)
    count = int(generator.integers(30, 90))
    points = generator.random((count, 2)) * (height, width)
    shades = generator.random(count)
    y, x = np.mgrid[0:height, 0:width]
    for step in range(_STEPS):
        nearest, distance, second = _nearest(points, y, x)
        edge = np.clip((second - distance) / 6, 0, 1)
        value = (shades[nearest] * 0.7 + 0.3 * np.exp(-distance / 60)) * edge
        yield colour(value, colours)
        if step % 3 == 2:
            points = _centres(nearest, count, y, x, points)


def _nearest(points: Field, y: Field, x: Field) -> tuple[np.ndarray, Field, Field]:
    best = np.full(y.shape, np.inf)
    second = np.full(y.shape, np.inf)
    index = np.zeros(y.shape, dtype=int)
    for number, (row, column) in enumerate(points):
        distance = np.hypot(y - row, x - column)
        second = np.minimum(second, np.maximum(distance, best))
        closer = distance < best
        index[closer] = number
        best = np.minimum(best, distance)
    return index, best, second


def _centres(nearest: np.ndarray, count: int, y: Field, x: Field, points: Field) -> Field:
    sizes = np.bincount(nearest.ravel(), minlength=count)
    rows = np.bincount(nearest.ravel(), y.ravel(), count) / np.maximum(sizes, 1)
    columns = np.bincount(nearest.ravel(), x.ravel(), count) / np.maximum(sizes, 1)
    return np.where(sizes[:, None] > 0, np.stack([rows, columns], axis=1), points)


def branches(generator: np.random.Generator, width: int, height: int) -> Iterator[Pixels]:
    """A plant that grows by rewriting (an L-system)."""
    colours = gradient(generator)
    sky = np.linspace(0.95, 0.55, height)[:, None] * np.ones((1, width))
    picture = Image.fromarray(colour(sky, colours))
    rules = ("F[+F]F[-F]F", "FF-[-F+F+F]+[+F-F-F]", "F[+F][-F]F", "FF+[+F-F-F]-[-F+F+F]")
    rule = rules[int(generator.integers(len(rules)))]
    text = "F"
    while len(text) < 4000:
        text = text.replace("F", rule)
    lines = _turtle(text, float(generator.uniform(16, 32)))
    placed = _fitted(lines, width, height)
    draw = ImageDraw.Draw(picture)
    for part in np.array_split(np.arange(len(placed)), _STEPS):
        for number in part:
            depth = min(1.0, lines[number, 4] / 8)
            shade = tuple(int(each * 255) for each in colours[int(20 + 120 * depth)])
            draw.line(
                [tuple(placed[number, :2]), tuple(placed[number, 2:])],
                fill=shade,
                width=max(1, int(4 - 4 * depth)),
            )
        yield np.asarray(picture)


def _turtle(text: str, degrees: float) -> Field:
    """The lines that a turtle draws: x, y, x, y, depth."""
    turn, x, y, angle = np.radians(degrees), 0.0, 0.0, -np.pi / 2
    stack: list[tuple[float, float, float]] = []
    lines: list[tuple[float, float, float, float, int]] = []
    for letter in text:
        if letter == "F":
            to_x, to_y = x + np.cos(angle), y + np.sin(angle)
            lines.append((x, y, to_x, to_y, len(stack)))
            x, y = to_x, to_y
        elif letter in "+-":
            angle += turn if letter == "+" else -turn
        elif letter == "[":
            stack.append((x, y, angle))
        else:
            x, y, angle = stack.pop()
    return np.array(lines)


def _fitted(lines: Field, width: int, height: int) -> Field:
    xs, ys = lines[:, [0, 2]], lines[:, [1, 3]]
    span = max(float(np.ptp(xs)) / width, float(np.ptp(ys)) / height, 1e-9) * 1.15
    left, top = xs.min() + np.ptp(xs) / 2, ys.max()
    x, y = (xs - left) / span + width / 2, (ys - top) / span + height * 0.96
    return np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], axis=1)


def reaction(generator: np.random.Generator, width: int, height: int) -> Iterator[Pixels]:
    """Two substances that react and diffuse (Gray-Scott), on a coarse grid."""
    colours = gradient(generator)
    small = (max(height // 4, 16), max(width // 4, 16))
    feed, kill = [(0.055, 0.062), (0.0367, 0.0649), (0.029, 0.057), (0.039, 0.058)][
        int(generator.integers(4))
    ]
    a, b = np.ones(small), np.zeros(small)
    for _ in range(24):
        row, column = (int(generator.integers(0, size)) for size in small)
        b[max(row - 2, 0) : row + 3, max(column - 2, 0) : column + 3] = 1.0
    for _ in range(_STEPS):
        for _ in range(150):
            reacting = a * b * b
            a = np.clip(a + 0.8 * _laplace(a) - reacting + feed * (1 - a), 0, 1)
            b = np.clip(b + 0.4 * _laplace(b) + reacting - (kill + feed) * b, 0, 1)
        values = np.clip(b * 2.6, 0, 1)
        image = Image.fromarray(colour(values, colours)).resize((width, height), Image.Resampling.BICUBIC)
        yield np.asarray(image)


def _laplace(values: Field) -> Field:
    around = sum(np.roll(values, shift, axis) for shift in (1, -1) for axis in (0, 1))
    return np.asarray(0.25 * around - values)


STYLES: dict[str, Style] = {"flow": flow, "voronoi": voronoi, "branches": branches, "reaction": reaction}
