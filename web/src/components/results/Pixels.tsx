import { Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import classes from "./Results.module.css";

const MAX_SIDE = 4096;

/** An array of height × width × 3 or 4 samples, from 0 to 255 or from 0 to 1, as the image that it is. */
export function Pixels({ rows, name }: { rows: number[][][]; name: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [height, width, samples] = [rows.length, rows[0]?.length ?? 0, rows[0]?.[0]?.length ?? 0];
  useEffect(() => {
    if (canvas.current) draw(canvas.current, rows);
  }, [rows]);
  return (
    <div className={classes.figure}>
      <canvas
        ref={canvas}
        className={classes.canvas}
        style={{ aspectRatio: `${width / height}`, maxWidth: `min(100%, ${Math.max(width, 256)}px)` }}
        role="img"
        aria-label={`Image of ${name}, ${height} × ${width}`}
      />
      <Text size="xs" c="dimmed" mt={4}>{`${height} × ${width} × ${samples}`}</Text>
    </div>
  );
}

function draw(canvas: HTMLCanvasElement, rows: number[][][]): void {
  canvas.height = Math.min(rows.length, MAX_SIDE);
  canvas.width = Math.min(rows[0]?.length ?? 0, MAX_SIDE);
  const context = canvas.getContext("2d");
  if (!context) return;
  const scale = rows.every((row) => row.every((pixel) => pixel.every((each) => each <= 1))) ? 255 : 1;
  const image = context.createImageData(canvas.width, canvas.height);
  for (let y = 0; y < canvas.height; y++)
    for (let x = 0; x < canvas.width; x++) {
      const [red = 0, green = 0, blue = 0, alpha = 255 / scale] = rows[y]?.[x] ?? [];
      image.data.set([red * scale, green * scale, blue * scale, alpha * scale], (y * canvas.width + x) * 4);
    }
  context.putImageData(image, 0, 0);
}
