import * as THREE from "three";
import type { OrbitCamera } from "./camera";

export interface Label {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

export interface OverlayColours {
  readonly text: string;
  readonly halo: string;
}

export interface Drawing {
  readonly labels: readonly Label[];
  /** Points that a dashed line connects; images of atoms have a ring. */
  readonly path: readonly { readonly x: number; readonly y: number; readonly isImage: boolean }[];
  readonly axes: OrbitCamera | null;
  /** Of the picture, in pixels. */
  readonly size: { readonly width: number; readonly height: number };
}

const AXES: [string, string, [number, number, number]][] = [
  ["x", "#e03131", [1, 0, 0]],
  ["y", "#2f9e44", [0, 1, 0]],
  ["z", "#1c7ed6", [0, 0, 1]],
];
const AXIS_PIXELS = 30;
const RING_PIXELS = 7;

/** Text and axes on a canvas above the picture. */
export class Overlay {
  readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d");
  private drawn = "";

  constructor(element: HTMLElement) {
    this.canvas.style.cssText = "position:absolute;inset:0;width:100%;height:100%;pointer-events:none";
    element.append(this.canvas);
  }

  draw({ labels, path, axes, size }: Drawing, colours: OverlayColours): void {
    const { width, height } = size;
    if (!this.context) return;
    const now = JSON.stringify([
      labels,
      path,
      axes?.rotation.toArray(),
      colours,
      width,
      height,
      devicePixelRatio,
    ]);
    if (now === this.drawn) return; // another frame, seen from where the last one was
    this.drawn = now;
    this.clear(width, height);
    this.context.textAlign = "center";
    this.context.textBaseline = "middle";
    this.context.font = "600 12px system-ui, sans-serif";
    if (path.length > 1) this.dash(path, colours.text);
    for (const { x, y, isImage } of path) if (isImage) this.ring(x, y, colours.text);
    for (const { x, y, text } of labels) this.write(text, x, y, colours.text, colours.halo);
    if (axes) this.drawAxes(axes, height, colours);
  }

  dispose(): void {
    this.canvas.remove();
  }

  /** A canvas of another size is a new one, which takes much longer than to clear it. */
  private clear(width: number, height: number): void {
    const ratio = Math.min(devicePixelRatio, 2);
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== wide) this.canvas.width = wide;
    if (this.canvas.height !== high) this.canvas.height = high;
    this.context?.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context?.clearRect(0, 0, width, height);
  }

  private write(text: string, x: number, y: number, colour: string, halo: string): void {
    if (!this.context) return;
    this.context.lineWidth = 3;
    this.context.strokeStyle = halo;
    this.context.strokeText(text, x, y);
    this.context.fillStyle = colour;
    this.context.fillText(text, x, y);
  }

  private drawAxes(camera: OrbitCamera, height: number, { halo }: OverlayColours): void {
    const toView = camera.rotation.clone().invert();
    const drawn = AXES.map(([name, colour, axis]) => ({
      name,
      colour,
      tip: new THREE.Vector3(...axis).applyQuaternion(toView),
    })).sort((a, b) => a.tip.z - b.tip.z);
    const [x0, y0] = [AXIS_PIXELS + 18, height - AXIS_PIXELS - 18];
    for (const { name, colour, tip } of drawn) {
      const [x, y] = [x0 + tip.x * AXIS_PIXELS, y0 - tip.y * AXIS_PIXELS];
      this.line(x0, y0, x, y, colour);
      this.write(name, x + tip.x * 9, y - tip.y * 9, colour, halo);
    }
  }

  private dash(path: Drawing["path"], colour: string): void {
    if (!this.context) return;
    this.context.strokeStyle = colour;
    this.context.lineWidth = 1.5;
    this.context.setLineDash([5, 4]);
    this.context.beginPath();
    for (const { x, y } of path) this.context.lineTo(x, y);
    this.context.stroke();
    this.context.setLineDash([]);
  }

  private ring(x: number, y: number, colour: string): void {
    if (!this.context) return;
    this.context.strokeStyle = colour;
    this.context.lineWidth = 1.5;
    this.context.beginPath();
    this.context.arc(x, y, RING_PIXELS, 0, 2 * Math.PI);
    this.context.stroke();
  }

  private line(x0: number, y0: number, x1: number, y1: number, colour: string): void {
    if (!this.context) return;
    this.context.strokeStyle = colour;
    this.context.lineWidth = 2.5;
    this.context.beginPath();
    this.context.moveTo(x0, y0);
    this.context.lineTo(x1, y1);
    this.context.stroke();
  }
}
