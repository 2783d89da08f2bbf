/** Colours for numbers. */

const MAPS = {
  viridis: "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
  magma: "000004 180f3d 440f76 721f81 9e2f7f cd4071 f1605d fd9668 feca8d fcfdbf",
  "blue to red": "3b4cc0 688aef 99baff c9d8ef edd1c2 f7a889 e26952 b40426",
} as const;

export type ColourMap = keyof typeof MAPS;
export const COLOUR_MAPS = Object.keys(MAPS) as ColourMap[];
export type Range = readonly [number, number];

const MISSING = 0x80;
const STEPS = 256;
const tables = new Map<ColourMap, Uint8Array>();

/** Three bytes for each number; what is no number is grey. */
export function toColours(values: ArrayLike<number>, [low, high]: Range, map: ColourMap): Uint8Array {
  const table = tableOf(map);
  const colours = new Uint8Array(values.length * 3);
  const factor = (STEPS - 1) / (high - low || 1);
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    const at = Math.max(0, Math.min(STEPS - 1, Math.round((value - low) * factor))) * 3;
    for (let part = 0; part < 3; part++)
      colours[index * 3 + part] = Number.isNaN(value) ? MISSING : (table[at + part] as number);
  }
  return colours;
}

export function rangeOf(values: ArrayLike<number>): Range {
  let [low, high] = [Infinity, -Infinity];
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return Number.isFinite(low) && Number.isFinite(high) ? [low, high] : [0, 1];
}

/** For the colour bar. */
export function gradient(map: ColourMap): string {
  const stops = MAPS[map].split(" ").map((stop) => `#${stop}`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

function tableOf(map: ColourMap): Uint8Array {
  const known = tables.get(map);
  if (known) return known;
  const stops = MAPS[map].split(" ").map((stop) => Number.parseInt(stop, 16));
  const table = new Uint8Array(STEPS * 3);
  for (let step = 0; step < STEPS; step++) {
    const place = (step / (STEPS - 1)) * (stops.length - 1);
    const [from, to] = [stops[Math.floor(place)] as number, stops[Math.ceil(place)] as number];
    for (let part = 0; part < 3; part++) {
      const shift = 16 - part * 8;
      const [a, b] = [(from >> shift) & 255, (to >> shift) & 255];
      table[step * 3 + part] = Math.round(a + (b - a) * (place % 1));
    }
  }
  tables.set(map, table);
  return table;
}
