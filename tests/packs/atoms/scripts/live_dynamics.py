"""A molecular dynamics run whose frames appear while it runs."""

import sys

from ase.build import bulk
from ase.calculators.emt import EMT
from ase.md.verlet import VelocityVerlet
from ase.units import fs

from workroom.packs.atoms import ZnDraw

vis = ZnDraw(url=sys.argv[1], room=sys.argv[2], user="ada")
atoms = bulk("Cu", cubic=True) * 2
atoms.rattle(0.1, seed=1)
atoms.calc = EMT()
dynamics = VelocityVerlet(atoms, 2 * fs)
while len(vis):
    del vis[0]
for _ in range(6):
    dynamics.run(5)
    atoms.info["energy_now"] = float(atoms.get_potential_energy())
    vis.append(atoms)
vis.extend([vis[0], vis[-1]])
vis.insert(1, vis[2])
del vis[3]
vis.step = len(vis) - 1

print(len(vis), vis.step)
for frame in vis:
    print(
        frame.get_chemical_formula(),
        f"{frame.info['energy_now']:.10f}",
        f"{frame.get_potential_energy():.10f}",
    )
    print(" ".join(f"{value:.12f}" for value in frame.positions[:3].ravel()))
print(" ".join(f"{value:.12f}" for value in vis.atoms.get_forces()[0]))
