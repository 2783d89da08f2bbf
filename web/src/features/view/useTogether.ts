import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { newKey } from "@/api/client";
import { useDocument, useLiveDocument, type WriteOptions } from "@/api/documents";
import { usePersonColours } from "@/components/usePersonColours";
import type { CameraState } from "./engine/camera";
import { attribute, type Selectors, type Share, sharesOf } from "./selectors";
import type { Stage } from "./stage";

const NOTHING: readonly number[] = [];

interface Selecting {
  me: string;
  mayEdit: boolean;
}

/**
 * The selection of the room, and who selected what. Who may not change the room selects for themselves. All that a page
 * selects in a row is one version: a hundred clicks push no edit out of the history.
 */
export function useSelection(room: string, stage: Stage | null, { me, mayEdit }: Selecting) {
  const [shared, write, author] = useDocument<readonly number[]>(room, "selection", NOTHING);
  const [own, setOwn] = useState<readonly number[] | null>(null);
  const isOwn = !mayEdit && own !== null;
  const selection = isOwn ? own : shared;
  const shares = useShares(selection, isOwn ? me : (author ?? me));
  const colourOf = usePersonColours(room, shares.map(({ user }) => user).join(" "));
  useEffect(() => {
    const highlights = shares.map(({ user, atoms }) => ({ atoms, colour: colourOf(user) }));
    stage?.setSelection(wholeNumbers(selection), highlights);
  }, [stage, selection, shares, colourOf]);
  const [clicks] = useState(() => ({ group: newKey() }));
  const select = useCallback(
    (atoms: number[], edit: WriteOptions = clicks) => (mayEdit ? write(atoms, edit) : setOwn(atoms)),
    [mayEdit, write, clicks],
  );
  return { selection, select, shares, colourOf };
}

function useShares(selection: readonly number[], user: string): Share[] {
  const [last, setLast] = useState<{ of: unknown; selectors: Selectors }>({ of: null, selectors: new Map() });
  const selectors =
    last.of === selection ? last.selectors : attribute(last.selectors, wholeNumbers(selection), user);
  if (last.of !== selection) setLast({ of: selection, selectors });
  return useMemo(() => sharesOf(selectors), [selectors]);
}

function wholeNumbers(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((each) => Number.isInteger(each) && each >= 0) : [];
}

const SHARE_END_MS = 400;
const SHARE_STEP_MS = 150; // of a slider that is dragged, a key that is held, and a trajectory that plays

/** The step of the room: others see where I go, and I go where they go, as long as I follow. */
export function useStep(room: string, stage: Stage | null, isFollowing: boolean, mayEdit: boolean) {
  const shared = useLiveDocument(room, "step");
  useEffect(() => {
    if (!stage || !isFollowing) return;
    return shared.follow((value) => {
      const { step, length, isPlaying } = stage.state.get();
      // Whoever plays leads.
      if (!isStep(value) || length === 0 || isPlaying || value === step) return;
      if (!stage.passed.has(value, step, performance.now())) void stage.show(value);
    });
  }, [stage, shared, isFollowing]);
  const shareStep = useCallback(
    (step: number) => {
      if (isFollowing && mayEdit) shared.write(step, { paceMs: SHARE_STEP_MS });
    },
    [isFollowing, mayEdit, shared],
  );
  const share = () => {
    const { step, length } = stage?.state.get() ?? { step: 0, length: 0 };
    if (length > 0 && step === length - 1 && shared.value() !== step) shareStep(step);
  };
  return { shareStep, shareEnd: useOnceInAWhile(share) };
}

function isStep(value: unknown): value is number {
  return Number.isInteger(value);
}

/**
 * Calls a function some time after it was wanted, however often that was. The time differs between pages: of many
 * that want to write the same, the first one writes.
 */
function useOnceInAWhile(act: () => void): () => void {
  const latest = useRef(act);
  latest.current = act;
  const timer = useRef(0);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = 0;
    },
    [],
  );
  return useCallback(() => {
    timer.current ||= window.setTimeout(
      () => {
        timer.current = 0;
        latest.current();
      },
      SHARE_END_MS * (1 + Math.random()),
    );
  }, []);
}

interface CameraOptions {
  isPresenting: boolean;
  isFollowing: boolean;
  onPerspective: (isPerspective: boolean) => void;
}

/** The camera of whoever presents. */
export function useCamera(
  room: string,
  stage: Stage | null,
  { isPresenting, isFollowing, onPerspective }: CameraOptions,
) {
  const shared = useLiveDocument(room, "camera");
  useEffect(() => {
    if (!stage || isPresenting || !isFollowing) return;
    return shared.follow((value) => {
      if (!isCamera(value)) return;
      stage.view.setCamera(value);
      onPerspective(value.isPerspective);
    });
  }, [stage, shared, isPresenting, isFollowing, onPerspective]);
  useEffect(() => {
    if (stage && isPresenting) shared.write(stage.view.camera.state);
  }, [stage, isPresenting, shared]);
  return useCallback(
    (camera: CameraState) => {
      if (isPresenting) shared.write(camera);
    },
    [isPresenting, shared],
  );
}

export function isCamera(value: unknown): value is CameraState {
  const camera = value as Partial<CameraState> | null;
  const isNumbers = (list: unknown, length: number) =>
    Array.isArray(list) && list.length === length && list.every((each) => Number.isFinite(each));
  return (
    isNumbers(camera?.target, 3) &&
    isNumbers(camera?.rotation, 4) &&
    Number.isFinite(camera?.height) &&
    typeof camera?.isPerspective === "boolean"
  );
}
