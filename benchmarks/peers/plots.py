"""Draws the results.

python -m peers.plots RECORD.json FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes

from peers.lineup import EMPTY, FASTAPI_CELERY, FASTAPI_TASKIQ, PEERS, SQLITE, WORKROOMS

OURS, THEIRS, INK, FAINT = "#2f6fde", "#b9bfc9", "#20242b", "#6b7280"
QUEUES = (*WORKROOMS, *PEERS)
FRONTS = (*WORKROOMS, EMPTY, FASTAPI_CELERY, FASTAPI_TASKIQ)

Rounds = list[dict[str, dict[str, float]]]


def bars(axes: Axes, rounds: Rounds, systems: tuple[str, ...], metric: str, title: str, unit: str) -> None:
    """The best on top; a thin line shows the range over the rounds."""
    found = {
        system: [each[system][metric] for each in rounds if metric in each.get(system, {})]
        for system in systems
    }
    is_latency = unit == "ms"
    shown = sorted((name for name in found if found[name]), key=lambda name: median(found[name]))
    shown = shown[::-1] if is_latency else shown
    widest = max(max(found[name]) for name in shown)
    for place, name in enumerate(shown):
        middle = median(found[name])
        axes.barh(place, middle, height=0.62, color=OURS if name in WORKROOMS else THEIRS)
        axes.plot([min(found[name]), max(found[name])], [place, place], color=INK, linewidth=1, alpha=0.5)
        said = f"{middle:.1f} {unit}" if is_latency else f"{middle:,.0f}{unit}"
        end = max(found[name]) + widest * 0.012
        axes.text(end, place, said, va="center", color=INK, fontweight="bold" if name == SQLITE else "normal")
    axes.set_yticks(range(len(shown)), shown, color=INK)
    axes.set_xlim(0, widest * 1.18)
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(title, loc="left", color=INK, fontweight="bold", fontsize=11, x=0)


def figure(path: Path, note: str, panels: list[tuple[Rounds, tuple[str, ...], str, str, str]]) -> None:
    heights = [
        len([name for name in systems if metric in rounds[0].get(name, {})])
        for rounds, systems, metric, *_ in panels
    ]
    drawn, axes = pyplot.subplots(
        len(panels),
        squeeze=False,
        figsize=(8.4, 0.34 * sum(heights) + 0.62 * len(panels) + 0.3),
        height_ratios=heights,
        layout="constrained",
    )
    for place, panel in zip(axes.flat, panels, strict=True):
        bars(place, *panel)
    drawn.supxlabel(note, x=0.01, ha="left", color=FAINT, fontsize=8.5)
    drawn.savefig(path, dpi=140, facecolor="white", bbox_inches="tight", pad_inches=0.2)
    pyplot.close(drawn)


def draw(rounds: Rounds, folder: Path) -> None:
    pyplot.rcParams["font.size"] = 9.5
    spread = (
        f"Medians of {len(rounds)}; thin lines span them all. Workroom (blue) is durable, the others are not."
    )
    figure(
        folder / "throughput.png",
        spread,
        [
            (rounds, QUEUES, "bulk", "Jobs per second, end to end", "/s"),
            (rounds, QUEUES, "results", "Jobs per second, end to end, results kept", "/s"),
        ],
    )
    figure(
        folder / "http.png",
        spread,
        [(rounds, FRONTS, "http", "HTTP submits per second, 32 connections, drained meanwhile", "/s")],
    )
    figure(
        folder / "latency.png",
        spread,
        [
            (rounds, QUEUES, "start_p50", "Idle: from submit to the first line of the job (p50)", "ms"),
            (rounds, QUEUES, "result_p50", "Idle: from submit to the result at the caller (p50)", "ms"),
        ],
    )


if __name__ == "__main__":
    record, folder = map(Path, sys.argv[1:])
    draw(json.loads(record.read_text())["rounds"], folder)
