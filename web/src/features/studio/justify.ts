export interface Sized {
  width: number;
  height: number;
}

export interface Row<T> {
  items: T[];
  height: number;
}

const SQUARE = 1;
const MIN_RATIO = 0.4;
const MAX_RATIO = 3;

/** Width over height, within limits, so that no picture takes a whole row; a picture of unknown size is square. */
export function ratioOf({ width, height }: Sized): number {
  return width && height ? Math.min(MAX_RATIO, Math.max(MIN_RATIO, width / height)) : SQUARE;
}

/** Rows of pictures that fill the width; the last one keeps the wanted height. */
export function justify<T extends Sized>(items: T[], width: number, wanted: number, gap: number): Row<T>[] {
  const rows: Row<T>[] = [];
  let row: T[] = [];
  let ratios = 0;
  for (const item of items) {
    row.push(item);
    ratios += ratioOf(item);
    const height = (width - gap * (row.length - 1)) / ratios;
    if (height <= wanted) {
      rows.push({ items: row, height });
      row = [];
      ratios = 0;
    }
  }
  if (row.length > 0) rows.push({ items: row, height: wanted });
  return rows;
}
