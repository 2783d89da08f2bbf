import * as THREE from "three";
import { Arrows } from "./arrows";
import { AtomTexture } from "./atomTexture";
import { BondMesh } from "./bondMesh";
import { type Bonds, NO_BONDS } from "./bondSearch";
import { type CameraState, OrbitCamera, type Sphere, type StandardView } from "./camera";
import { CellLines } from "./cellLines";
import { covalentRadii, elementColours, vanDerWaalsRadii } from "./elements";
import { atomCount, bounds, isSameElements, type MoleculeFrame, type Vector } from "./frame";
import { type Box, type GestureEvents, listen } from "./gestures";
import { pick, pickBox, project } from "./picking";
import { FIXED, HIGHLIGHT, MAX_HIGHLIGHTS, rawColour } from "./shading";
import { type Shape, Shapes } from "./shapes";
import { Spheres } from "./spheres";

export type Style = "ball-and-stick" | "space-filling" | "points";

export interface ViewEvents extends Omit<GestureEvents, "moved"> {
  readonly moved: () => void;
  /** The graphics card took the context away; the view comes back by itself if the card gives it back. */
  readonly lost: (isLost: boolean) => void;
  /** A picture was drawn. */
  readonly drawn: () => void;
}

/** Atoms that are marked with a colour. */
export interface Highlight {
  readonly atoms: readonly number[];
  readonly colour: string;
}

const BALL = 0.5;
const POINT = 0.12;
const STICK = 0.13;

/** Whether this browser can draw. */
export function hasWebGL(): boolean {
  try {
    return document.createElement("canvas").getContext("webgl2") !== null;
  } catch {
    return false;
  }
}

/**
 * A picture of one frame. It draws when something has changed, and knows nothing of React, rooms or servers.
 */
export class MoleculeView {
  readonly camera = new OrbitCamera();
  readonly scene = new THREE.Scene();
  private readonly renderer: THREE.WebGLRenderer;
  private readonly atoms = new AtomTexture();
  private readonly uniforms = {
    atoms: { value: this.atoms.texture as THREE.Texture },
    cell: { value: new THREE.Matrix3() },
    background: { value: new THREE.Color(0xffffff) },
    fog: { value: new THREE.Vector2(1e6, 1e7) },
    isOrthographic: { value: false },
    highlights: { value: Array.from({ length: MAX_HIGHLIGHTS }, () => new THREE.Color()) },
  };
  private readonly spheres = new Spheres(this.uniforms);
  private readonly bonds = new BondMesh(this.uniforms);
  private readonly arrows = new Arrows(this.uniforms);
  private readonly shapes = new Shapes(this.uniforms);
  private readonly cellLines = new CellLines();
  private frame: MoleculeFrame | null = null;
  private style: Style = "ball-and-stick";
  private looks = new Uint8Array(0);
  private radii = new Float32Array(0);
  private colours: Uint8Array | null = null;
  private highlighted: ReadonlyMap<number, number> = new Map();
  private fixed: ReadonlySet<number> = new Set();
  private hasCell = true;
  /** Whether somebody gave the camera its place: the first frame does not take it away. */
  private isPlaced = false;
  private drawing = 0;
  /** Of the element, in pixels. To ask the element while a frame is drawn would lay out the page. */
  private extent = { width: 0, height: 0 };
  private readonly stop: () => void;
  private readonly observer: ResizeObserver;

  constructor(
    readonly element: HTMLElement,
    private readonly events: ViewEvents,
  ) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: false });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    const canvas = this.renderer.domElement;
    canvas.style.cssText = "display:block;width:100%;height:100%;touch-action:none;outline:none";
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "Atoms");
    canvas.addEventListener("webglcontextlost", this.onLost);
    canvas.addEventListener("webglcontextrestored", this.onRestored);
    element.append(canvas);
    this.scene.add(this.spheres.mesh, this.bonds.mesh, this.arrows.mesh, this.cellLines.lines);
    this.scene.add(this.shapes.group);
    const moved = () => {
      this.draw();
      events.moved();
    };
    this.stop = listen(canvas, this.camera, { ...events, moved });
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(element);
    this.resize();
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  get size(): { readonly width: number; readonly height: number } {
    return this.extent;
  }

  /** Show another frame. With the same elements, only positions are uploaded. */
  setFrame(frame: MoleculeFrame): void {
    const before = this.frame;
    this.frame = frame;
    this.atoms.set(frame.positions);
    this.uniforms.atoms.value = this.atoms.texture;
    this.setCell(frame.cell);
    if (!before || !isSameElements(before.numbers, frame.numbers)) {
      this.colours = null;
      this.bonds.setBonds(NO_BONDS);
      this.updateLooks();
    }
    if (!before && !this.isPlaced) this.fit();
    else this.contain();
    if (!before) this.camera.reach = this.contents(frame).radius;
    this.draw();
  }

  setBonds(bonds: Bonds): void {
    this.bonds.setBonds(bonds);
    this.bonds.setLooks(this.looks);
    this.draw();
  }

  setStyle(style: Style): void {
    this.style = style;
    this.bonds.setVisible(style === "ball-and-stick");
    this.bonds.setWidth(STICK);
    if (style === "points") this.spheres.setScale(0, POINT);
    else this.spheres.setScale(style === "space-filling" ? 1 : BALL);
    this.updateLooks();
    this.draw();
  }

  /** Colours of the atoms, three bytes each; null for those of the elements. */
  setColours(colours: Uint8Array | null): void {
    if (!colours && !this.colours) return;
    this.colours = colours;
    this.updateLooks();
    this.draw();
  }

  /** Selected atoms, each in the colour of whoever selected it. */
  setHighlights(highlights: readonly Highlight[]): void {
    const colours = [...new Set(highlights.map(({ colour }) => colour))].slice(0, MAX_HIGHLIGHTS);
    for (const [place, colour] of colours.entries())
      this.uniforms.highlights.value[place]?.copy(rawColour(colour));
    const numberOf = (colour: string) => Math.max(colours.indexOf(colour), 0) + 1;
    this.highlighted = new Map(
      highlights.flatMap(({ atoms, colour }) => atoms.map((atom) => [atom, numberOf(colour)] as const)),
    );
    this.updateLooks();
    this.draw();
  }

  /** Atoms that constraints keep in place. */
  setFixed(fixed: ReadonlySet<number>): void {
    if (isSameSet(fixed, this.fixed)) return;
    this.fixed = fixed;
    this.updateLooks();
    this.draw();
  }

  setCellVisible(isVisible: boolean): void {
    this.hasCell = isVisible;
    this.cellLines.lines.visible = isVisible;
    this.draw();
  }

  setVectors(vectors: Float32Array | null, scale = 1): void {
    this.arrows.set(vectors, scale);
    this.draw();
  }

  /** What is drawn beside the atoms. The camera stays where it is. */
  setShapes(shapes: readonly Shape[]): void {
    this.shapes.set(shapes);
    this.camera.reach = Math.max(this.camera.reach, this.shapes.reachFrom(this.camera.target.toArray()));
    this.contain();
    this.draw();
  }

  get shapeCount(): number {
    return this.shapes.count;
  }

  get arrowCount(): number {
    return this.arrows.count;
  }

  setBackground(background: string, line: string): void {
    this.uniforms.background.value.copy(rawColour(background));
    this.scene.background = new THREE.Color(background);
    this.cellLines.setColour(new THREE.Color(line));
    this.draw();
  }

  setPerspective(isPerspective: boolean): void {
    this.camera.isPerspective = isPerspective;
    this.draw();
    this.events.moved();
  }

  setCamera(state: CameraState): void {
    this.camera.state = state;
    this.isPlaced = true;
    this.draw();
  }

  look(view: StandardView): void {
    this.camera.look(view);
    this.draw();
    this.events.moved();
  }

  fit(): void {
    if (!this.frame) return;
    const { centre, radius } = this.contents(this.frame);
    this.camera.fit(centre, radius);
    this.draw();
    this.events.moved();
  }

  /** The atom at a point of the view, in pixels; -1 if there is none. */
  pick(x: number, y: number): number {
    if (!this.frame) return -1;
    const { width, height } = this.extent;
    const [u, v] = [(x / width) * 2 - 1, 1 - (y / height) * 2];
    return pick({ positions: this.frame.positions, radii: this.drawnRadii() }, this.camera.active, u, v);
  }

  pickBox(box: Box): number[] {
    if (!this.frame) return [];
    const { width, height } = this.extent;
    return pickBox(this.frame.positions, this.camera.active, box, width, height);
  }

  /** Where an atom is in the view, in pixels. */
  project(atom: number): { x: number; y: number } {
    const p = this.frame?.positions ?? new Float32Array(3);
    return this.projectPoint([p[atom * 3], p[atom * 3 + 1], p[atom * 3 + 2]] as [number, number, number]);
  }

  projectPoint(point: Vector): { x: number; y: number } {
    return project(point, this.camera.active, this.extent.width, this.extent.height);
  }

  /** Draw with the next picture of the browser. */
  draw(): void {
    this.drawing ||= requestAnimationFrame(() => this.drawNow());
  }

  drawNow(): void {
    cancelAnimationFrame(this.drawing);
    this.drawing = 0;
    const { distance, reach, isPerspective } = this.camera;
    this.uniforms.isOrthographic.value = !isPerspective;
    this.uniforms.fog.value.set(distance, distance + reach * 1.6);
    this.renderer.render(this.scene, this.camera.active);
    this.events.drawn();
  }

  /** The picture as a PNG. */
  async toPNG(): Promise<Blob | null> {
    this.drawNow();
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }

  dispose(): void {
    cancelAnimationFrame(this.drawing);
    this.observer.disconnect();
    this.stop();
    this.canvas.removeEventListener("webglcontextlost", this.onLost);
    this.canvas.removeEventListener("webglcontextrestored", this.onRestored);
    for (const part of [this.atoms, this.spheres, this.bonds, this.arrows, this.shapes, this.cellLines])
      part.dispose();
    this.renderer.dispose();
    this.canvas.remove();
  }

  private readonly onLost = (event: Event) => {
    event.preventDefault();
    this.events.lost(true);
  };

  private readonly onRestored = () => {
    this.events.lost(false);
    this.draw();
  };

  private contain(): void {
    if (this.frame) this.camera.contain(this.contents(this.frame));
  }

  private contents(frame: MoleculeFrame): Sphere {
    const { centre, radius } = bounds(frame);
    return { centre, radius: Math.max(radius, this.shapes.reachFrom(centre)) };
  }

  private drawnRadii(): Float32Array {
    const scale = this.style === "space-filling" ? 1 : this.style === "points" ? 0 : BALL;
    const minimum = this.style === "points" ? POINT : 0;
    return this.radii.map((radius) => radius * scale + minimum);
  }

  private setCell(cell: Float64Array | null): void {
    this.cellLines.set(cell);
    this.cellLines.lines.visible = this.hasCell && cell !== null;
    if (cell) this.uniforms.cell.value.fromArray([...cell]);
    else this.uniforms.cell.value.identity();
  }

  private updateLooks(): void {
    if (!this.frame) return;
    const count = atomCount(this.frame);
    const table = this.style === "space-filling" ? vanDerWaalsRadii : covalentRadii;
    const { numbers } = this.frame;
    this.radii = new Float32Array(count);
    this.looks = new Uint8Array(count * 4);
    for (let atom = 0; atom < count; atom++) {
      this.radii[atom] = table[numbers[atom] ?? 0] ?? 1;
      this.paint(atom, numbers[atom] ?? 0);
    }
    this.spheres.setLooks(this.radii, this.looks);
    this.bonds.setLooks(this.looks);
  }

  private paint(atom: number, number: number): void {
    const { looks, colours } = this;
    const element = elementColours[number] ?? 0xff1493;
    for (let part = 0; part < 3; part++)
      looks[atom * 4 + part] = colours ? (colours[atom * 3 + part] ?? 0) : element >> (16 - part * 8);
    const highlight = this.highlighted.get(atom) ?? 0;
    looks[atom * 4 + 3] = highlight * HIGHLIGHT + (this.fixed.has(atom) ? FIXED : 0);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    this.extent = { width, height };
    this.renderer.setSize(width, height, false);
    this.camera.resize(width, height);
    this.drawNow();
  }
}

function isSameSet(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const each of a) if (!b.has(each)) return false;
  return true;
}
