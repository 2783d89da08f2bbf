"""A modifier of one's own: registered by this process, run by anybody in the room."""

import sys

from ase.build import molecule
from pydantic import Field

from workroom.packs.atoms import Category, Extension, ZnDraw


class Stretch(Extension):
    """Scale the positions of the current frame."""

    category = Category.MODIFIER
    factor: float = Field(1.5, ge=0, le=10)

    def run(self, vis: ZnDraw, **kwargs: object) -> None:
        atoms = vis.atoms
        atoms.positions *= self.factor
        vis.append(atoms)
        vis.step = len(vis) - 1


vis = ZnDraw(url=sys.argv[1], room=sys.argv[2], user="ada", auto_pickup_jobs=True)
while len(vis):
    del vis[0]
vis.append(molecule("H2O"))
vis.register_extension(Stretch, public=False)
for factor in (2.0, 0.5, 3.0):
    job = vis.run(Stretch(factor=factor))
    job.wait(timeout=60)
    print(job.is_completed())

print(len(vis), vis.step)
for frame in vis[:]:
    print(frame.get_chemical_formula(), " ".join(f"{value:.12f}" for value in frame.positions.ravel()))
