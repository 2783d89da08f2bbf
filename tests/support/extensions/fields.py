"""One extension for each kind of field. Each returns what Pydantic made of the submitted value."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

from pydantic import BaseModel, Field, Json, SecretStr, create_model, model_validator
from typing_extensions import TypedDict

from workroom import Extension, File

CATEGORY = "fields"


class Level(IntEnum):
    low = 1
    high = 2


class Ink(Enum):
    RED = "#f00"
    BLUE = "#00f"


class Phase(StrEnum):
    SOLID = "solid"
    LIQUID = "liquid"


class Point(BaseModel):
    """A point of the plane."""

    x: float = 0.0
    y: float = 0.0


class Atom(BaseModel):
    symbol: str = "H"
    charge: int = 0
    fixed: bool = False


class Sphere(BaseModel):
    kind: Literal["sphere"] = "sphere"
    radius: float = 1.0


class Box(BaseModel):
    kind: Literal["box"] = "box"
    width: float = 1.0
    height: float = 1.0


class Cell(BaseModel):
    title: str = "unnamed"
    origin: Point = Field(default_factory=Point)


class Branch(BaseModel):
    name: str = "root"
    branches: list[Branch] = Field(default_factory=list)


class Pair(NamedTuple):
    first: int
    second: str


class Size(TypedDict):
    width: int
    height: int


Shape = Annotated[Sphere | Box, Field(discriminator="kind")]


class _Field(Extension, category=CATEGORY):
    def run(self) -> str:
        return shown(self.value)  # type: ignore[attr-defined]


def shown(value: Any) -> str:
    """Secrets are reversed: results mask them. Pydantic's time zones have a type of their own."""
    if isinstance(value, SecretStr):
        return repr(value.get_secret_value()[::-1])
    return value.isoformat() if isinstance(value, datetime) else repr(value)


def _field(name: str, annotation: Any, default: Any = ..., **options: Any) -> type[Extension]:
    made: type[Extension] = create_model(
        name,
        __base__=_Field,
        __module__=__name__,
        __cls_kwargs__={"category": CATEGORY, "name": name},
        value=(annotation, Field(default, **options)),
    )
    return made


def _made(name: str, annotation: Any, factory: Callable[[], Any], **options: Any) -> type[Extension]:
    made: type[Extension] = create_model(
        name,
        __base__=_Field,
        __module__=__name__,
        __cls_kwargs__={"category": CATEGORY, "name": name},
        value=(annotation, Field(default_factory=factory, **options)),
    )
    return made


Text = _field("Text", str, "plain", description="one line", examples=["first", "second"])
LongText = _field("LongText", str, "", max_length=5000, description="as long as you like")
Number = _field("Number", float, 1.5, json_schema_extra={"unit": "Å"})
Whole = _field("Whole", int, 5)
AtMostFive = _field("AtMostFive", int, 3, le=5)
Slider = _field("Slider", float, 0.5, ge=0, le=1)
Steps = _field("Steps", int, 10, ge=0, le=100, multiple_of=5)
Exact = _field("Exact", Decimal, Decimal("1.5"))
Flag = _field("Flag", bool, False, description="yes or no")
MaybeFlag = _field("MaybeFlag", bool | None, None)
MaybeNumber = _field("MaybeNumber", float | None, None)
MaybeText = _field("MaybeText", str | None, "something")
Words = _field("Words", Literal["slow", "fast"], "slow")
Mixed = _field("Mixed", Literal[1, "one", None], 1)
Levels = _field("Levels", Level, Level.low)
Inks = _field("Inks", Ink, Ink.RED)
Phases = _field("Phases", set[Phase], set())
Day = _field("Day", date, date(2027, 5, 31))
Moment = _field("Moment", datetime, datetime(2027, 5, 31, 14, 30, tzinfo=UTC))
Clock = _field("Clock", time, time(8, 0))
Span = _field("Span", timedelta, timedelta(hours=2, minutes=30), description="typed as 2h 30m")
Secret = _field("Secret", SecretStr)
Sample = _field("Sample", File)
Ident = _field("Ident", UUID)
Folder = _field("Folder", Path, Path("data"))
Colour = _field("Colour", str, "#1c7ed6", json_schema_extra={"format": "color"})
Floats = _field("Floats", list[float], [1.0, 2.5], description="paste a column")
Wholes = _field("Wholes", list[int], [1])
MaybeFloats = _field("MaybeFloats", list[float] | None, None)
Matrix = _field("Matrix", list[list[float]], [[1.0, 0.0], [0.0, 1.0]])
Tags = _field("Tags", list[str], ["new"])
Atoms = _made("Atoms", list[Atom], lambda: [Atom(), Atom(symbol="O", charge=-2)])
Cells = _made("Cells", list[Cell], lambda: [Cell()])
Tuple = _field("Tuple", tuple[int, str, float], (1, "a", 0.5))
Named = _field("Named", Pair, Pair(1, "a"))
Weights = _field("Weights", dict[str, float], {"a": 1.0})
Places = _field("Places", dict[str, Point], {})
Anything = _field("Anything", Any, None)
Free = _field("Free", dict[str, Any], {"key": 1})
Raw = _field("Raw", Json, None)
Nested = _made("Nested", Cell, Cell)
MaybePoint = _field("MaybePoint", Point | None, None)
Figure = _made("Figure", Shape, Sphere)
Either = _field("Either", int | str, 3)
Auto = _field("Auto", Literal["auto"] | float, "auto")
Typed = _field("Typed", Size, {"width": 1, "height": 2})
Tree = _made("Tree", Branch, Branch)


class Hints(Extension, category=CATEGORY):
    """Everything that a field can say about itself.

    It has **bold** words, `code` and [a link](https://example.org).
    """

    low: float = Field(1.0, description="the lower end", examples=[0.1, 1e-8])
    high: float = Field(2.0, description="the upper end", json_schema_extra={"unit": "K"})
    width: int = Field(640, json_schema_extra={"group": "Picture"})
    height: int = Field(480, json_schema_extra={"group": "Picture"})
    tolerance: float = Field(1e-6, json_schema_extra={"advanced": True})
    started: datetime = Field(default_factory=datetime.now)

    @model_validator(mode="after")
    def _in_order(self) -> Hints:
        if self.low >= self.high:
            raise ValueError("low must be below high")
        return self

    def run(self) -> str:
        return repr((self.low, self.high, self.width, self.height, self.tolerance))
