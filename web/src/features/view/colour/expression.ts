/**
 * Expressions over atoms, such as `norm(forces) > 0.5` or `z - min(z)`. They are parsed and evaluated here, because the
 * page may not run code from text.
 */

/** A number for each atom, or one for all. */
export type Value = number | Float64Array;

export interface Variables {
  readonly count: number;
  /** The array of a name: its numbers, and how many of them each atom has. */
  readonly find: (name: string) => { numbers: ArrayLike<number>; width: number } | null;
}

type Vector = [Value, Value, Value];
type Operand = Value | Vector;
type Evaluate = (variables: Variables) => Operand;

export class ExpressionError extends Error {}

const TOKEN =
  /\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*(?:\.\w+)*)|(\*\*|<=|>=|==|!=|&&|\|\||[-+*/%^()<>,!]))/y;
const MAX_LENGTH = 500;
const MAX_DEPTH = 60;
const AXES = ["x", "y", "z"];

export function parseExpression(text: string): (variables: Variables) => Float64Array {
  const evaluate = new Parser(text).parse();
  return (variables) => {
    const value = evaluate(variables);
    if (Array.isArray(value)) throw new ExpressionError("This is a vector: use norm(…), or .x, .y, .z");
    return typeof value === "number" ? new Float64Array(variables.count).fill(value) : value;
  };
}

/** Names that an expression uses. */
export function namesIn(text: string): string[] {
  try {
    return tokens(text).flatMap(({ kind, text: name }) => (kind === "name" ? [name] : []));
  } catch {
    return [];
  }
}

interface Token {
  readonly kind: "number" | "name" | "sign" | "end";
  readonly text: string;
}

function tokens(text: string): Token[] {
  if (text.length > MAX_LENGTH) throw new ExpressionError("This expression is too long");
  const found: Token[] = [];
  const end = text.trimEnd().length;
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) throw new ExpressionError(`This is not understood: ${text.slice(at).trim().slice(0, 20)}`);
    const [, number, name, sign] = match;
    if (number !== undefined) found.push({ kind: "number", text: number });
    else if (name !== undefined) found.push({ kind: "name", text: name });
    else found.push({ kind: "sign", text: sign as string });
  }
  return [...found, { kind: "end", text: "the end" }];
}

const LEVELS: string[][] = [["||"], ["&&"], ["<", ">", "<=", ">=", "==", "!="], ["+", "-"], ["*", "/", "%"]];

const OPERATORS: Record<string, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "^": (a, b) => a ** b,
  "**": (a, b) => a ** b,
  "<": (a, b) => Number(a < b),
  ">": (a, b) => Number(a > b),
  "<=": (a, b) => Number(a <= b),
  ">=": (a, b) => Number(a >= b),
  "==": (a, b) => Number(a === b),
  "!=": (a, b) => Number(a !== b),
  "&&": (a, b) => Number(a !== 0 && b !== 0),
  "||": (a, b) => Number(a !== 0 || b !== 0),
};

const FUNCTIONS: Record<string, (value: number) => number> = {
  abs: Math.abs,
  sqrt: Math.sqrt,
  exp: Math.exp,
  log: Math.log,
  log10: Math.log10,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  floor: Math.floor,
  round: Math.round,
  sign: Math.sign,
};

/** Over all atoms: one number for all. */
const SUMMARIES: Record<string, (values: Float64Array) => number> = {
  min: (values) => values.reduce((a, b) => Math.min(a, b), Infinity),
  max: (values) => values.reduce((a, b) => Math.max(a, b), -Infinity),
  sum: (values) => values.reduce((a, b) => a + b, 0),
  mean: (values) => values.reduce((a, b) => a + b, 0) / values.length,
};

class Parser {
  private readonly tokens: Token[];
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.tokens = tokens(text);
  }

  parse(): Evaluate {
    const found = this.level(0);
    if (this.token.kind !== "end") throw this.unexpected();
    return found;
  }

  private get token(): Token {
    return this.tokens[this.at] as Token;
  }

  private unexpected(): ExpressionError {
    return new ExpressionError(`${this.token.text} is not expected here`);
  }

  private isSign(...signs: string[]): boolean {
    return this.token.kind === "sign" && signs.includes(this.token.text);
  }

  private expect(sign: string): void {
    if (!this.isSign(sign)) throw new ExpressionError(`${sign} is missing before ${this.token.text}`);
    this.at += 1;
  }

  private level(level: number): Evaluate {
    const signs = LEVELS[level];
    if (!signs) return this.unary();
    let left = this.level(level + 1);
    while (this.isSign(...signs)) {
      const operator = OPERATORS[this.token.text] as (a: number, b: number) => number;
      this.at += 1;
      left = combined(operator, left, this.level(level + 1));
    }
    return left;
  }

  private unary(): Evaluate {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new ExpressionError("This expression is too deep");
    const found = this.signed();
    this.depth -= 1;
    return found;
  }

  private signed(): Evaluate {
    const sign = this.isSign("-", "+", "!") ? this.token.text : "";
    if (!sign) return this.power();
    this.at += 1;
    const value = this.unary();
    return mapped(sign === "-" ? (x) => -x : sign === "!" ? (x) => Number(x === 0) : (x) => x, value);
  }

  private power(): Evaluate {
    const base = this.atom();
    if (!this.isSign("^", "**")) return base;
    this.at += 1;
    return combined((a, b) => a ** b, base, this.unary());
  }

  private atom(): Evaluate {
    const { kind, text } = this.token;
    this.at += 1;
    if (kind === "number") return () => Number(text);
    if (kind === "name") return this.isSign("(") ? this.call(text) : variable(text);
    this.at -= 1;
    if (!this.isSign("(")) throw this.unexpected();
    this.at += 1;
    const inner = this.level(0);
    this.expect(")");
    return inner;
  }

  private call(name: string): Evaluate {
    this.expect("(");
    const argument = this.level(0);
    this.expect(")");
    if (name === "norm") return (variables) => norm(argument(variables));
    if (Object.hasOwn(FUNCTIONS, name)) return mapped(FUNCTIONS[name] as (x: number) => number, argument);
    if (!Object.hasOwn(SUMMARIES, name)) throw new ExpressionError(`There is no function ${name}`);
    const summary = SUMMARIES[name] as (values: Float64Array) => number;
    return (variables) => {
      const value = argument(variables);
      if (Array.isArray(value))
        throw new ExpressionError(`${name} needs numbers: use norm(…), or .x, .y, .z`);
      return typeof value === "number" ? value : summary(value);
    };
  }
}

function variable(name: string): Evaluate {
  return (variables) => {
    const whole = variables.find(name);
    if (whole) return whole.width === 3 ? split(whole.numbers) : Float64Array.from(whole.numbers);
    const dot = name.lastIndexOf(".");
    const axis = AXES.indexOf(name.slice(dot + 1));
    const owner = dot > 0 && axis >= 0 ? variables.find(name.slice(0, dot)) : null;
    if (owner?.width === 3) return split(owner.numbers)[axis] as Value;
    throw new ExpressionError(`There is no ${name}`);
  };
}

function split(numbers: ArrayLike<number>): Vector {
  return AXES.map((_, axis) =>
    Float64Array.from({ length: numbers.length / 3 }, (_, atom) => numbers[atom * 3 + axis] as number),
  ) as Vector;
}

function norm(value: Operand): Value {
  if (!Array.isArray(value)) return map(Math.abs, value);
  const [x, y, z] = value.map((part) => map((each) => each * each, part)) as [Value, Value, Value];
  return map(Math.sqrt, zip(OPERATORS["+"] as Binary, zip(OPERATORS["+"] as Binary, x, y), z));
}

type Binary = (a: number, b: number) => number;

const mapped =
  (change: (value: number) => number, of: Evaluate): Evaluate =>
  (variables) => {
    const value = of(variables);
    return Array.isArray(value) ? (value.map((part) => map(change, part)) as Vector) : map(change, value);
  };

const combined =
  (operator: Binary, left: Evaluate, right: Evaluate): Evaluate =>
  (variables) => {
    const [a, b] = [left(variables), right(variables)];
    if (!Array.isArray(a) && !Array.isArray(b)) return zip(operator, a, b);
    return AXES.map((_, axis) => zip(operator, part(a, axis), part(b, axis))) as Vector;
  };

const part = (value: Operand, axis: number) => (Array.isArray(value) ? (value[axis] as Value) : value);

function map(change: (value: number) => number, value: Value): Value {
  return typeof value === "number" ? change(value) : value.map(change);
}

function zip(operator: Binary, a: Value, b: Value): Value {
  if (typeof a === "number") return map((each) => operator(a, each), b);
  if (typeof b === "number") return a.map((each) => operator(each, b));
  return a.map((each, index) => operator(each, b[index] as number));
}
