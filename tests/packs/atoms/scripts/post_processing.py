"""Selections, bookmarks and a figure of what is in the room."""

import sys

import plotly.graph_objects as go
from ase.build import molecule

from workroom.packs.atoms import ZnDraw

vis = ZnDraw(url=sys.argv[1], room=sys.argv[2], user="ada")
while len(vis):
    del vis[0]
for number in range(5):
    ethanol = molecule("CH3CH2OH")
    ethanol.positions *= 1 + number / 10
    ethanol.info["number"] = number
    vis.append(ethanol)

vis.step = 2
vis.selection = [atom.index for atom in vis.atoms if atom.symbol == "H"]
vis.selection_groups["heavy"] = {"particles": [0, 1, 2]}
vis.bookmarks[1] = "before"
distances = [frame.get_distance(0, 1) for frame in vis]
vis.figures["distance"] = go.Figure(go.Scatter(x=list(range(5)), y=distances))
vis.log("done")

print(vis.selection, vis.selection_groups["heavy"], vis.bookmarks[1])
print(list(vis.figures), [f"{value:.10f}" for value in vis.figures["distance"].data[0].y])
print([frame["info.number"] for frame in vis.get(slice(1, 4), keys=["info.number"])])
print([len(frame) for frame in vis[[0, -1]]], f"{vis.get(3)['arrays.positions'][0, 1]:.12f}")
