import type { Display } from "./display";
import { symbolOf } from "./engine/elements";
import type { MoleculeView } from "./engine/moleculeView";
import type { Drawing, Label } from "./engine/overlay";
import { describe, measure } from "./measure";
import type { Shown } from "./stage";

const MAX_LABELS = 400;

interface Subject {
  readonly shown: Shown | null;
  readonly selection: readonly number[];
  readonly display: Display;
}

/** What is written and drawn above the picture: labels, what the selection measures, and axes. */
export function overlayOf(view: MoleculeView, subject: Subject): Drawing {
  const { shown, selection, display } = subject;
  const measured = shown && measure(shown.molecule, selection);
  const path = (measured?.path ?? []).map(({ point, isImage }) => ({
    ...view.projectPoint(point),
    isImage,
  }));
  const labels = [...labelsOf(view, subject), ...middle(path, measured && describe(measured))];
  return { labels, path, axes: display.hasAxes ? view.camera : null, size: view.size };
}

/** Of a large molecule, only the selected atoms have labels. */
function labelsOf(view: MoleculeView, { shown, selection, display: { labels } }: Subject): Label[] {
  if (labels === "none" || !shown) return [];
  const { numbers } = shown.molecule;
  const atoms =
    numbers.length <= MAX_LABELS
      ? Array.from({ length: numbers.length }, (_, atom) => atom)
      : selection.slice(0, MAX_LABELS);
  return atoms.map((atom) => ({
    ...view.project(atom),
    text: labels === "index" ? String(atom) : symbolOf(numbers[atom] ?? 0),
  }));
}

function middle(path: readonly { x: number; y: number }[], text: string | null): Label[] {
  if (!text || !path.length) return [];
  const x = path.reduce((sum, point) => sum + point.x, 0) / path.length;
  const y = path.reduce((sum, point) => sum + point.y, 0) / path.length;
  return [{ x, y: y - 14, text }];
}
