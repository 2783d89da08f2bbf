"""Serve an extension of one's own until Ctrl-C: `waiting_worker.py URL ROOM PUBLIC [PASSWORD]`."""

import os
import sys

from workroom.packs.atoms import Category, Extension, ZnDraw

url, room, public, *password = sys.argv[1:]


class Shift(Extension):
    """Move all atoms along x."""

    category = Category.MODIFIER
    x: float = 1.0

    def run(self, vis: ZnDraw, **kwargs: object) -> int:
        atoms = vis.atoms
        atoms.positions[:, 0] += self.x
        vis.atoms = atoms
        return os.getpid()


user, secret = ("admin", password[0]) if password else ("bob", None)
vis = ZnDraw(url=url, room=room, user=user, password=secret)
vis.register_extension(Shift, public=public == "yes")
vis.socket.wait()
print("the end")
