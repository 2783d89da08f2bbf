"""The surface of ZnDraw on a Workroom server, so that scripts need to change their import line alone."""

from __future__ import annotations

from workroom.packs.atoms.zndraw.client import ZnDraw
from workroom.packs.atoms.zndraw.extension import Category, Extension

__all__ = ["Category", "Extension", "ZnDraw"]
