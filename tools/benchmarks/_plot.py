"""Plots the cost of a chunk by the length of the text before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tools.benchmarks._timing import Row

COLOURS: Final = {
    "here": "#1b7837",
    "LangChain": "#c2571a",
    "LlamaIndex": "#5e4fa2",
    "CrewAI": "#b8860b",
}
TITLES: Final = {
    "ReAct": "A ReAct answer; the frameworks read it all again",
    "JSON": "A list of JSON objects",
}


def draw(rows: Sequence[Row], path: Path) -> None:
    """Write the plot of the rows that have a number of characters before them to *path*."""
    mpl.rcParams.update({"font.size": 10, "svg.hashsalt": "agent-parsers", "svg.fonttype": "none"})
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True, layout="constrained")
    for panel, (what, title) in zip(panels, TITLES.items(), strict=True):
        lines: dict[str, dict[int, float]] = {who: {} for who in COLOURS}
        for row in rows:
            if row.title.startswith(what):
                for who, seconds in zip(("here", row.beside), row.medians, strict=True):
                    lines[who][row.before] = seconds * 1e6
        for who, by_size in lines.items():
            if not by_size:
                continue
            panel.plot(by_size.keys(), by_size.values(), color=COLOURS[who], marker=".", lw=1.5)
            last = max(by_size)
            panel.annotate(
                who, (last, by_size[last]), (5, 0), textcoords="offset points",
                color=COLOURS[who], va="center",
            )  # fmt: skip
        panel.set(title=title, xscale="log", yscale="log", xlabel="characters that came before")
        panel.set_xticks([1e3, 1e4, 1e5], ["1,000", "10,000", "100,000"])
        panel.set_yticks([1, 10, 100, 1e3, 1e4], ["1", "10", "100", "1,000", "10,000"])
        panel.set_xlim(right=1.6e6)
        panel.minorticks_off()
        panel.grid(alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("µs for the next 4 characters")
    figure.savefig(path, metadata={"Date": None})
