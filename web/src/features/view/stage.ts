/** Everything between the data of a room and the picture; React only shows its state and calls its methods. */

import type { Frame } from "@/api/frameMessage";
import type { FrameRange, ReadFrames } from "@/api/frameRequests";
import { atomValues } from "./colour/atomValues";
import { ExpressionError } from "./colour/expression";
import { type Range, rangeOf, toColours } from "./colour/scale";
import { fixedAtoms, toMolecule } from "./data/molecule";
import { type Preview, Previews } from "./data/previews";
import { vectors } from "./data/properties";
import { Trajectory } from "./data/trajectory";
import { DEFAULT_DISPLAY, type Display } from "./display";
import { dragged } from "./edit/dragging";
import { BondFinder } from "./engine/bondFinder";
import { type Bonds, isSameBonds, NO_BONDS } from "./engine/bondSearch";
import type { CameraState } from "./engine/camera";
import { isSameElements, type MoleculeFrame } from "./engine/frame";
import type { Box, Keys } from "./engine/gestures";
import { moleculeOf } from "./engine/molecules";
import { type Highlight, MoleculeView } from "./engine/moleculeView";
import { Overlay } from "./engine/overlay";
import { overlayOf } from "./overlayOf";
import { PassedEnds } from "./passedEnds";
import { Store } from "./store";

export interface Shown {
  readonly index: number;
  readonly frame: Frame;
  readonly molecule: MoleculeFrame;
  /** The job that has moved the atoms of the molecule; null if they are where the frame says. */
  readonly previewOf: string | null;
}

export interface StageState {
  /** The frame that is wanted; `shown` follows when it is loaded. */
  readonly step: number;
  readonly length: number;
  readonly shown: Shown | null;
  readonly selection: readonly number[];
  readonly hovered: number;
  readonly box: Box | null;
  readonly range: Range | null;
  /** Why the atoms have no colours, or why there is no picture. */
  readonly problem: string | null;
  readonly isLost: boolean;
  readonly isPlaying: boolean;
}

export interface StageEvents {
  readonly selected: (atoms: number[]) => void;
  readonly moved: (camera: CameraState) => void;
  readonly edited: (change: Edit, summary: string) => void;
  /** Frames were appended, and the new last one is shown. */
  readonly followed: () => void;
}

export type Edit = (frame: Frame) => Frame;

export interface Theme {
  readonly background: string;
  readonly line: string;
  readonly text: string;
}

const EMPTY: ReadonlySet<number> = new Set();

export class Stage {
  readonly state = new Store<StageState>({
    step: 0,
    length: 0,
    shown: null,
    selection: [],
    hovered: -1,
    box: null,
    range: null,
    problem: null,
    isLost: false,
    isPlaying: false,
  });
  readonly view: MoleculeView;
  readonly trajectory: Trajectory;
  readonly passed = new PassedEnds();
  isEditing = false;
  private readonly overlay: Overlay | null = null;
  private readonly finder: BondFinder;
  private readonly previews = new Previews();
  private display = DEFAULT_DISPLAY;
  private theme: Theme = { background: "#ffffff", line: "#868e96", text: "#212529" };
  private bonds: Bonds = NO_BONDS;
  private direction: 1 | -1 = 1;
  private waiting: (() => void)[] = [];
  private drawing: (() => void)[] = [];
  private hover = 0;
  private readonly noted = new Map<string, string>();

  constructor(
    element: HTMLElement,
    read: (range: FrameRange) => Promise<ReadFrames>,
    keys: readonly string[],
    private readonly events: StageEvents,
  ) {
    this.view = new MoleculeView(element, {
      moved: () => events.moved(this.view.camera.state),
      clicked: (x, y, pressed, count) => this.click(x, y, pressed, count),
      hovered: (x, y) => this.hoverAt(x, y),
      boxed: (box, isDone, pressed) => this.drawBox(box, isDone, pressed),
      grabs: (x, y) => this.isEditing && this.state.get().selection.includes(this.view.pick(x, y)),
      dragged: (x, y, isDone, pressed) => this.drag(x, y, isDone, pressed),
      lost: (isLost) => this.state.set({ isLost }),
      drawn: () => this.afterDrawing(),
    });
    this.overlay = new Overlay(element);
    this.finder = new BondFinder((bonds, frame) => this.setBonds(bonds, frame));
    this.trajectory = new Trajectory(read, keys, {
      loaded: () => this.showLoaded(),
      failed: (error) => this.state.set({ problem: error.message }),
    });
  }

  /** Go to a frame. Resolves when it was drawn. */
  show(step: number): Promise<void> {
    const { step: before, length } = this.state.get();
    const next = Math.max(0, Math.min(step, length - 1));
    if (next !== before) this.direction = next > before ? 1 : -1;
    this.state.set({ step: next });
    const drawn = new Promise<void>((resolve) => this.waiting.push(resolve));
    this.showLoaded();
    return drawn;
  }

  /** There are more frames. Who looked at the last one, sees the new last one. */
  append(length: number, version: number): void {
    const { step, length: before } = this.state.get();
    const isAtEnd = before > 0 && step === before - 1;
    this.trajectory.append(length, version);
    this.state.set({ length });
    if (isAtEnd) this.follow(step, length - 1);
    else this.showLoaded();
  }

  /** Frames from `start` on are others now. */
  change(start: number, length: number, version: number): void {
    this.trajectory.change(start, length, version);
    this.previews.change(start);
    this.state.set({ length });
    void this.show(this.state.get().step);
  }

  /** A running job shows where it has moved the atoms of a frame. */
  preview(preview: Preview): void {
    this.previews.show(preview);
    this.reapply();
  }

  endPreview(jobId: string): void {
    this.previews.end(jobId);
    this.reapply();
  }

  setKeys(keys: readonly string[]): void {
    if (this.trajectory.setKeys(keys)) this.showLoaded();
  }

  setDisplay(display: Display): void {
    const before = this.display;
    this.display = display;
    if (before.style !== display.style) this.view.setStyle(display.style);
    if (before.isPerspective !== display.isPerspective) this.view.setPerspective(display.isPerspective);
    this.view.setCellVisible(display.hasCell);
    this.decorate();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.view.setBackground(theme.background, theme.line);
  }

  /** What is selected, and in which colours it is drawn. */
  setSelection(selection: readonly number[], highlights: readonly Highlight[]): void {
    this.state.set({ selection });
    this.view.setHighlights(highlights);
  }

  /** A PNG with the labels. */
  async toPNG(): Promise<Blob | null> {
    const picture = document.createElement("canvas");
    const { canvas } = this.view;
    picture.width = canvas.width;
    picture.height = canvas.height;
    const context = picture.getContext("2d");
    this.view.drawNow(); // what WebGL drew is gone after this task
    context?.drawImage(canvas, 0, 0);
    if (this.overlay) context?.drawImage(this.overlay.canvas, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => picture.toBlob(resolve, "image/png"));
  }

  dispose(): void {
    cancelAnimationFrame(this.hover);
    this.finder.dispose();
    this.overlay?.dispose();
    this.view.dispose();
  }

  private follow(before: number, step: number): void {
    this.passed.note(before, step, performance.now());
    void this.show(step);
    this.events.followed();
  }

  private showLoaded(): void {
    const { step, shown } = this.state.get();
    const frame = this.trajectory.get(step);
    this.trajectory.want(step, this.direction);
    if (!frame) return;
    if (shown?.index !== step || shown.frame !== frame) this.apply(step, frame);
    // Who waits for another step was overtaken.
    this.drawing.push(...this.waiting);
    this.waiting = [];
    this.view.draw();
  }

  /** Show the frame again, if a preview of it came or went. */
  private reapply(): void {
    const { shown } = this.state.get();
    if (!shown || this.trajectory.get(shown.index) !== shown.frame) return; // a newer one is being loaded
    const preview = this.previews.of(shown.index, shown.molecule.numbers.length);
    if ((preview?.positions ?? null) !== (shown.previewOf && shown.molecule.positions))
      this.apply(shown.index, shown.frame);
  }

  private apply(index: number, frame: Frame): void {
    const stored = toMolecule(frame);
    if (!stored) {
      this.state.set({ problem: `Frame ${index} has no atoms`, shown: null });
      return;
    }
    const preview = this.previews.of(index, stored.numbers.length);
    const molecule = preview ? { ...stored, positions: preview.positions } : stored;
    const before = this.state.get().shown?.molecule;
    if (!before || !isSameElements(before.numbers, molecule.numbers)) this.bonds = NO_BONDS;
    this.view.setFrame(molecule);
    this.finder.search(molecule);
    const previewOf = preview?.jobId ?? null;
    this.state.set({ shown: { index, frame, molecule, previewOf }, problem: null });
    this.decorate();
  }

  /** Colours, arrows and marks of the shown frame. */
  private decorate(): void {
    const { shown } = this.state.get();
    if (!shown) return;
    const { frame, molecule } = shown;
    this.colour(shown);
    this.view.setFixed(this.display.hasConstraints ? fixedAtoms(frame) : EMPTY);
    const { vectors: key, vectorScale } = this.display;
    this.view.setVectors(key ? vectors(frame, key, molecule.numbers.length) : null, vectorScale);
  }

  private colour({ frame, molecule }: Shown): void {
    try {
      const values = atomValues(frame, molecule, this.display);
      const range = values && (this.display.range ?? this.sameOr(rangeOf(values)));
      this.view.setColours(values && range && toColours(values, range, this.display.colourMap));
      this.state.set({ range, problem: null });
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.view.setColours(null);
      this.state.set({ range: null, problem: error.message });
    }
  }

  /** The range of the frame before, if it is the same: then nothing is rendered for it. */
  private sameOr(range: Range): Range {
    const before = this.state.get().range;
    return before?.[0] === range[0] && before[1] === range[1] ? before : range;
  }

  private setBonds(bonds: Bonds, searched: MoleculeFrame): void {
    const { shown } = this.state.get();
    if (shown?.molecule.numbers.length !== searched.numbers.length) return;
    if (isSameBonds(bonds, this.bonds) && this.bonds !== NO_BONDS) return;
    this.bonds = bonds;
    this.view.setBonds(bonds);
  }

  private click(x: number, y: number, { shift, ctrl }: Keys, count: number): void {
    const atom = this.view.pick(x, y);
    const { selection, shown } = this.state.get();
    if (!shown || (atom < 0 && (shift || ctrl))) return;
    if (atom < 0) this.select([]);
    else if (count === 2) this.select(moleculeOf(atom, this.bonds, shown.molecule.numbers.length));
    else if (shift || ctrl) this.select(toggled(selection, atom));
    else this.select(selection.length === 1 && selection[0] === atom ? [] : [atom]);
  }

  private drawBox(box: Box | null, isDone: boolean, { ctrl }: Keys): void {
    this.state.set({ box: isDone ? null : box });
    if (!box || !isDone) return;
    const found = this.view.pickBox(box);
    const { selection } = this.state.get();
    this.select(ctrl ? [...new Set([...selection, ...found])] : found);
  }

  /** Its colours follow with `setSelection`. */
  private select(atoms: number[]): void {
    this.state.set({ selection: atoms });
    this.events.selected(atoms);
  }

  private hoverAt(x: number, y: number): void {
    cancelAnimationFrame(this.hover);
    this.hover = requestAnimationFrame(() => {
      const hovered = this.view.pick(x, y);
      if (hovered !== this.state.get().hovered) this.state.set({ hovered });
    });
  }

  /** Drag the selection: it moves with the pointer, or turns with Shift. */
  private drag(x: number, y: number, isDone: boolean, { shift }: Keys): void {
    const { shown, selection } = this.state.get();
    if (!shown) return;
    const change = dragged(this.view, selection, { x, y, isTurn: shift });
    const moved = toMolecule(change(shown.frame));
    if (moved) this.view.setFrame(moved);
    if (isDone) this.events.edited(change, `${shift ? "Rotate" : "Move"} ${atomsInWords(selection.length)}`);
  }

  private afterDrawing(): void {
    if (!this.overlay) return; // the view draws while it is being made
    this.drawOverlay();
    this.describe();
    const drawn = this.drawing;
    this.drawing = [];
    for (const resolve of drawn) resolve();
  }

  /** What the picture shows, for scripts that look at the page. */
  private describe(): void {
    const { shown } = this.state.get();
    const { rotation, height } = this.view.camera.state;
    this.note("atoms", String(shown?.molecule.numbers.length ?? 0));
    this.note("bonds", String(this.bonds.pairs.length / 2));
    this.note("arrows", String(this.view.arrowCount));
    this.note("geometries", String(this.view.shapeCount));
    this.note("camera", [...rotation, height].map((each) => each.toFixed(3)).join(" "));
    this.note("frame", String(shown?.index ?? ""));
  }

  /** An attribute that is written is a change for the browser, even if it is the same. */
  private note(name: string, value: string): void {
    if (this.noted.get(name) === value) return;
    this.noted.set(name, value);
    this.view.element.dataset[name] = value;
  }

  private drawOverlay(): void {
    const { shown, selection } = this.state.get();
    const drawing = overlayOf(this.view, { shown, selection, display: this.display });
    this.overlay?.draw(drawing, { text: this.theme.text, halo: this.theme.background });
  }
}

function toggled(selection: readonly number[], atom: number): number[] {
  return selection.includes(atom) ? selection.filter((each) => each !== atom) : [...selection, atom];
}

export function atomsInWords(count: number): string {
  return count === 1 ? "1 atom" : `${count.toLocaleString("en")} atoms`;
}
