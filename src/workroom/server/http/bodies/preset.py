"""Presets of forms."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from workroom.server.http.bodies.fields import Body


class PresetBody(Body):
    data: dict[str, Any]
    replace: bool = Field(False, description="replace a preset of this name that has other values")
