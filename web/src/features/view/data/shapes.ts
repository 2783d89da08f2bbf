/** Geometries of a room: what documents under `geometries` must look like to be drawn. */
import type { Vector } from "../engine/frame";
import type { Shape } from "../engine/shapes";

export const MAX_SHAPES = 1000;
export const MAX_POINTS = 10_000;
const MAX_CURVE = 2000;
const FARTHEST = 100_000; // Å
const DEFAULT_COLOUR = "#e8590c";

/** Says what is wrong with a geometry. */
export class ShapeError extends Error {}

type Fields = Readonly<Record<string, unknown>>;

const READERS: Readonly<Record<Shape["kind"], (fields: Reader) => Shape>> = {
  arrow: (fields) => ({
    kind: "arrow",
    start: fields.vector("start"),
    end: fields.vector("end"),
    radius: fields.length("radius", 0.1),
    ...fields.look(1),
  }),
  curve: (fields) => ({
    kind: "curve",
    points: fields.points("points"),
    radius: fields.length("radius", 0.1),
    isClosed: fields.flag("closed"),
    ...fields.look(1),
  }),
  box: (fields) => ({
    kind: "box",
    center: fields.vector("center"),
    size: fields.size("size"),
    degrees: fields.vector("rotation", [0, 0, 0]),
    ...fields.look(0.25),
  }),
  plane: (fields) => ({
    kind: "plane",
    center: fields.vector("center"),
    normal: fields.direction("normal"),
    size: fields.length("size", 10),
    ...fields.look(0.4),
  }),
  sphere: (fields) => ({
    kind: "sphere",
    center: fields.vector("center"),
    radius: fields.length("radius", 1),
    ...fields.look(1),
  }),
};
const KINDS = Object.keys(READERS).join(", ");

/** The shapes of a document: one geometry, or a list of them. Raises a ShapeError. */
export function toShapes(value: unknown): Shape[] {
  if (!Array.isArray(value)) return [toShape(value)];
  if (value.length > MAX_SHAPES) throw new ShapeError(`it has more than ${MAX_SHAPES} geometries`);
  return value.map((each, number) => {
    try {
      return toShape(each);
    } catch (error) {
      if (error instanceof ShapeError) throw new ShapeError(`item ${number}: ${error.message}`);
      throw error;
    }
  });
}

export interface NamedShapes {
  readonly shapes: readonly Shape[];
  /** A sentence for each document that is not drawn. */
  readonly problems: readonly string[];
}

/** The shapes of all documents, by name, as far as there is room for them. */
export function toAllShapes(documents: Iterable<readonly [string, unknown]>): NamedShapes {
  const shapes: Shape[] = [];
  const problems: string[] = [];
  let points = 0;
  for (const [name, value] of documents) {
    try {
      const found = toShapes(value);
      const more = found.reduce((sum, each) => sum + (each.kind === "curve" ? each.points.length : 0), 0);
      if (shapes.length + found.length > MAX_SHAPES)
        throw new ShapeError(`a room shows at most ${MAX_SHAPES} geometries`);
      if (points + more > MAX_POINTS) throw new ShapeError(`all curves have at most ${MAX_POINTS} points`);
      points += more;
      shapes.push(...found);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      problems.push(`Geometry “${name}” is not drawn: ${error.message}.`);
    }
  }
  return { shapes, problems };
}

function toShape(value: unknown): Shape {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ShapeError("a geometry is an object with a type");
  const { type } = value as { type?: unknown };
  const kind = String(type) as Shape["kind"];
  if (!Object.hasOwn(READERS, kind)) throw new ShapeError(`its type is none of ${KINDS}`);
  const reader = new Reader(kind, value as Fields);
  const shape = READERS[kind](reader);
  reader.refuseOthers();
  return shape;
}

/** Reads the fields of one geometry, and knows which there are. */
class Reader {
  private readonly known = new Set(["type"]);

  constructor(
    private readonly kind: string,
    private readonly fields: Fields,
  ) {}

  vector(name: string, fallback?: Vector): Vector {
    const value = this.take(name) ?? fallback;
    if (!isVector(value)) throw new ShapeError(`${name} must be three numbers, each up to ${FARTHEST}`);
    return value;
  }

  direction(name: string): Vector {
    const value = this.vector(name);
    if (Math.hypot(...value) < 1e-9) throw new ShapeError(`${name} must not be zero`);
    return value;
  }

  size(name: string): Vector {
    const value = this.vector(name);
    if (value.some((each) => each <= 0)) throw new ShapeError(`${name} must be three positive numbers`);
    return value;
  }

  points(name: string): Vector[] {
    const value = this.take(name);
    const isList = Array.isArray(value) && value.length >= 2 && value.length <= MAX_CURVE;
    if (!isList || !value.every(isVector))
      throw new ShapeError(`${name} must be 2 to ${MAX_CURVE} points of three numbers`);
    return value;
  }

  length(name: string, fallback: number): number {
    const value = this.take(name) ?? fallback;
    if (typeof value !== "number" || !(value > 0 && value <= FARTHEST))
      throw new ShapeError(`${name} must be a positive number up to ${FARTHEST}`);
    return value;
  }

  flag(name: string): boolean {
    const value = this.take(name) ?? false;
    if (typeof value !== "boolean") throw new ShapeError(`${name} must be true or false`);
    return value;
  }

  look(opacity: number): { colour: string; opacity: number } {
    const colour = this.take("color") ?? DEFAULT_COLOUR;
    if (typeof colour !== "string" || !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(colour))
      throw new ShapeError('color must be like "#1c7ed6"');
    const own = this.take("opacity") ?? opacity;
    if (typeof own !== "number" || !(own > 0 && own <= 1))
      throw new ShapeError("opacity must be above 0 and at most 1");
    return { colour, opacity: own };
  }

  refuseOthers(): void {
    const other = Object.keys(this.fields).find((name) => !this.known.has(name));
    if (other !== undefined)
      throw new ShapeError(`a geometry of type ${this.kind} has no ${other.slice(0, 40)}`);
  }

  private take(name: string): unknown {
    this.known.add(name);
    return this.fields[name] ?? undefined;
  }
}

function isVector(value: unknown): value is Vector {
  return Array.isArray(value) && value.length === 3 && value.every(isCoordinate);
}

const isCoordinate = (value: unknown) => typeof value === "number" && Math.abs(value) <= FARTHEST;
