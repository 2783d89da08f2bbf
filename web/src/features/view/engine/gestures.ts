import type { OrbitCamera } from "./camera";

export interface GestureEvents {
  /** The camera moved. */
  readonly moved: () => void;
  /** A click without a movement; `count` is 2 for a double click. */
  readonly clicked: (x: number, y: number, keys: Keys, count: number) => void;
  readonly hovered: (x: number, y: number) => void;
  /** A box that is being drawn; null when it is given up. `isDone` when the pointer is released. */
  readonly boxed: (box: Box | null, isDone: boolean, keys: Keys) => void;
  /** Whether a drag that begins here moves something other than the camera. */
  readonly grabs: (x: number, y: number) => boolean;
  /** Such a drag, in pixels since it began. */
  readonly dragged: (x: number, y: number, isDone: boolean, keys: Keys) => void;
}

export interface Keys {
  readonly shift: boolean;
  readonly ctrl: boolean;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const CLICK_PIXELS = 4;
const DOUBLE_MS = 350; // of taps; of a mouse, the system says what is a double click

/**
 * Mouse, pen and touch on the view. Dragging turns, with the right button or Ctrl it moves, with Shift it draws a box;
 * the wheel and two fingers zoom. Returns a function that removes all listeners.
 */
export function listen(element: HTMLElement, camera: OrbitCamera, events: GestureEvents): () => void {
  const pointers = new Map<number, { x: number; y: number }>();
  let start = { x: 0, y: 0 };
  let isDragging = false;
  let isBoxing = false;
  let isGrabbing = false;
  let lastClick = { time: 0, x: 0, y: 0 };
  const keysOf = (event: MouseEvent): Keys => ({
    shift: event.shiftKey,
    ctrl: event.ctrlKey || event.metaKey,
  });
  const at = (event: MouseEvent) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const boxTo = (x: number, y: number): Box => ({
    left: Math.min(start.x, x),
    top: Math.min(start.y, y),
    right: Math.max(start.x, x),
    bottom: Math.max(start.y, y),
  });

  const down = (event: PointerEvent) => {
    element.setPointerCapture(event.pointerId);
    element.focus({ preventScroll: true });
    pointers.set(event.pointerId, at(event));
    if (pointers.size > 1) return;
    start = at(event);
    isDragging = false;
    isGrabbing = event.button === 0 && events.grabs(start.x, start.y);
    isBoxing = !isGrabbing && event.shiftKey && event.button === 0;
  };
  const move = (event: PointerEvent) => {
    const before = pointers.get(event.pointerId);
    const now = at(event);
    if (!before) return events.hovered(now.x, now.y);
    pointers.set(event.pointerId, now);
    if (pointers.size === 2) return pinch(event.pointerId, before, now);
    if (!isDragging && Math.hypot(now.x - start.x, now.y - start.y) < CLICK_PIXELS) return;
    isDragging = true;
    if (isGrabbing) return events.dragged(now.x - start.x, now.y - start.y, false, keysOf(event));
    if (isBoxing) return events.boxed(boxTo(now.x, now.y), false, keysOf(event));
    const [x, y] = [(now.x - before.x) / element.clientHeight, (now.y - before.y) / element.clientHeight];
    if (event.buttons & 2 || event.ctrlKey || event.metaKey) camera.pan(x, y);
    else camera.turn(x, y);
    events.moved();
  };
  const pinch = (id: number, before: { x: number; y: number }, now: { x: number; y: number }) => {
    isDragging = true;
    const other = [...pointers].find(([each]) => each !== id)?.[1];
    if (!other) return;
    const [far, near] = [
      Math.hypot(before.x - other.x, before.y - other.y),
      Math.hypot(now.x - other.x, now.y - other.y),
    ];
    camera.zoom(far / Math.max(near, 1));
    camera.pan((now.x - before.x) / 2 / element.clientHeight, (now.y - before.y) / 2 / element.clientHeight);
    events.moved();
  };
  const up = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId) || pointers.size) return;
    const now = at(event);
    if (isGrabbing && isDragging)
      return events.dragged(now.x - start.x, now.y - start.y, true, keysOf(event));
    if (isBoxing && isDragging) return events.boxed(boxTo(now.x, now.y), true, keysOf(event));
  };
  const click = (event: MouseEvent) => {
    if (isDragging) return;
    const now = at(event);
    const isNear = Math.hypot(now.x - lastClick.x, now.y - lastClick.y) < 2 * CLICK_PIXELS;
    const isDouble = isNear && (event.detail === 2 || event.timeStamp - lastClick.time < DOUBLE_MS);
    lastClick = { ...now, time: isDouble ? 0 : event.timeStamp };
    events.clicked(now.x, now.y, keysOf(event), isDouble ? 2 : 1);
  };
  const cancel = (event: PointerEvent) => {
    pointers.delete(event.pointerId);
    events.boxed(null, true, keysOf(event));
  };
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    camera.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.0015))));
    events.moved();
  };
  const menu = (event: Event) => event.preventDefault();

  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", cancel);
  element.addEventListener("click", click);
  element.addEventListener("wheel", wheel, { passive: false });
  element.addEventListener("contextmenu", menu);
  return () => {
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", up);
    element.removeEventListener("pointercancel", cancel);
    element.removeEventListener("click", click);
    element.removeEventListener("wheel", wheel);
    element.removeEventListener("contextmenu", menu);
  };
}
