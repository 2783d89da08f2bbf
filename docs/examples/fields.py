"""The tools of docs/fields.md: every kind of field. `make fields` takes their pictures."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, SecretStr, model_validator

from workroom import Extension, File


class Returning:
    """Returns the values as they arrived."""

    def run(self) -> dict[str, Any]:
        return self.model_dump(mode="json")


class Numbers(Returning, Extension, category="fields"):
    """Numbers are text until they are valid: `1e-8`, `.5` and `1_000` are understood, `1,5` is refused."""

    tolerance: float = Field(1e-8, description="a float", examples=[1e-6, 1e-8, 1e-10])
    steps: int = Field(1000, description="a whole number")
    cutoff: float = Field(6.5, json_schema_extra={"unit": "Å"}, description="with a unit")
    mixing: float = Field(0.3, ge=0, le=1, description="limits on both sides make a slider")
    price: Decimal = Field(Decimal("19.99"), description="a decimal keeps every digit")
    seed: int | None = Field(None, description="an optional number may be left empty")


class Texts(Returning, Extension, category="fields"):
    """Text, secrets and files."""

    name: str = Field("Sodium chloride", description="one line", examples=["Quartz", "Ice Ih"])
    notes: str = Field("", max_length=5000, description="a long maximum makes a larger box")
    folder: Path = Field(Path("runs/7"), description="a path")
    colour: str = Field("#1c7ed6", json_schema_extra={"format": "color"}, description="a colour")
    key: SecretStr | None = Field(None, description="a secret is stored encrypted")
    sample: File | None = Field(None, description="a file of the room: chosen, uploaded or dropped")


class Ensemble(Enum):
    NVE = "microcanonical"
    NVT = "canonical"


class Level(IntEnum):
    low = 1
    high = 2


class Choices(Returning, Extension, category="fields"):
    """Selects and checkboxes."""

    method: Literal["fast", "exact"] = Field("fast", description="a Literal")
    ensemble: Ensemble = Field(Ensemble.NVT, description="an Enum, by name")
    level: Level = Field(Level.high, description="an IntEnum, by name")
    axes: set[Literal["x", "y", "z"]] = Field({"x", "z"}, description="a set of options")
    periodic: bool = Field(True, description="a checkbox")
    symmetric: bool | None = Field(None, description="yes, no or not set")


class Times(Returning, Extension, category="fields"):
    """Dates and times are typed or picked."""

    day: date = Field(date(2027, 5, 31), description="a date")
    start: datetime = Field(datetime(2027, 5, 31, 14, 30), description="a date and time")  # noqa: DTZ001
    alarm: time = Field(time(8, 0), description="a time")
    wall_time: timedelta = Field(timedelta(hours=2, minutes=30), description="a duration, typed as 2h 30m")


class Atom(BaseModel):
    symbol: str = "H"
    charge: int = 0
    fixed: bool = False


class Lists(Returning, Extension, category="fields"):
    """Lists take what you paste."""

    energies: list[float] = Field([-1.5, 2.25, 3e-4], description="paste a column, CSV or numbers with spaces")
    matrix: list[list[float]] = Field([[1, 0, 0], [0, 1, 0], [0, 0, 1]], description="paste a block of cells")
    atoms: list[Atom] = Field(default_factory=lambda: [Atom(), Atom(symbol="O", charge=-2)])
    tags: list[str] = Field(["draft", "water"], description="pasted lines become entries")
    box: tuple[float, float, float] = Field((10.0, 10.0, 12.5), description="a tuple")
    weights: dict[str, float] = Field({"H": 1.008, "O": 15.999}, description="keys and values")


class Point(BaseModel):
    """Where it begins."""

    x: float = 0.0
    y: float = 0.0


class Sphere(BaseModel):
    kind: Literal["sphere"] = "sphere"
    radius: float = 1.0


class Cuboid(BaseModel):
    kind: Literal["cuboid"] = "cuboid"
    width: float = 1.0
    height: float = 1.0


class Nested(Returning, Extension, category="fields"):
    """Models inside models, and one of several."""

    origin: Point = Field(default_factory=Point)
    target: Point | None = Field(None, description="an optional model")
    shape: Annotated[Sphere | Cuboid, Field(discriminator="kind")] = Field(default_factory=Sphere)
    start_from: Literal["scratch"] | int = Field("scratch", description="a word, or a number")
    options: Any = Field(None, description="what has no field of its own")


class Hints(Returning, Extension, category="fields"):
    """The docstring may use *Markdown*: **bold**, `code`, lists and [links](https://docs.pydantic.dev).

    - `unit`, `group` and `advanced` come from `json_schema_extra`
    - `examples` are one click away
    """

    low: float = Field(1.0, examples=[0.1, 1.0], json_schema_extra={"unit": "eV"})
    high: float = Field(2.0, json_schema_extra={"unit": "eV"})
    width: int = Field(640, json_schema_extra={"group": "Picture", "unit": "px"})
    height: int = Field(480, json_schema_extra={"group": "Picture", "unit": "px"})
    tolerance: float = Field(1e-6, json_schema_extra={"advanced": True})

    @model_validator(mode="after")
    def _in_order(self) -> Hints:
        if self.low >= self.high:
            raise ValueError("low must be below high")
        return self
