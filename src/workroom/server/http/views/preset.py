"""Presets of forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from workroom.domain import preset as domain
from workroom.domain.preset import Whose
from workroom.server.http.views.values import Object, Time, embed, format_time


class Preset(TypedDict):
    """Named values of a form: the caller's own, or those of everybody in the room."""

    name: str
    whose: Whose
    user: Annotated[str, Field(description="who saved it first")]
    updated_at: Time


class PresetWithData(Preset):
    """A preset with its values, as they were given; secret ones are not kept."""

    data: Object


class Presets(TypedDict):
    items: list[Preset]


def render_preset(preset: domain.Preset) -> Preset:
    return {
        "name": preset.key.name,
        "whose": preset.key.whose,
        "user": preset.user,
        "updated_at": format_time(preset.updated_at_us),
    }


def render_preset_with_data(preset: domain.Preset) -> PresetWithData:
    return {**render_preset(preset), "data": embed(preset.data)}


def render_presets(presets: Sequence[domain.Preset]) -> Presets:
    return {"items": [render_preset(each) for each in presets]}
