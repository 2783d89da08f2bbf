import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { documentQuery, useDocument } from "@/api/documents";
import type { CameraState } from "./engine/camera";
import type { Stage } from "./stage";

const NOTHING: readonly number[] = [];

/** The selection of the room. Who may not change the room selects for themselves. */
export function useSelection(room: string, stage: Stage | null, mayEdit: boolean) {
  const [shared, write] = useDocument<readonly number[]>(room, "selection", NOTHING);
  const [own, setOwn] = useState<readonly number[] | null>(null);
  const selection = mayEdit ? shared : (own ?? shared);
  useEffect(() => stage?.setSelection(wholeNumbers(selection)), [stage, selection]);
  const select = useCallback((atoms: number[]) => (mayEdit ? write(atoms) : setOwn(atoms)), [mayEdit, write]);
  return { selection, select };
}

function wholeNumbers(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((each) => Number.isInteger(each) && each >= 0) : [];
}

/** The step of the room: others see where I go, and I go where they go, as long as I follow. */
export function useStep(room: string, stage: Stage | null, isFollowing: boolean, mayEdit: boolean) {
  const client = useQueryClient();
  const [shared, write] = useDocument<number>(room, "step", 0);
  useEffect(() => {
    if (!stage || !isFollowing || !Number.isInteger(shared)) return;
    const { step, length, isPlaying } = stage.state.get();
    // Whoever plays leads. What I wrote since the page was rendered is newer than `shared`.
    const { value = shared } = client.getQueryData(documentQuery(room, "step").queryKey) ?? {};
    if (length > 0 && !isPlaying && value !== step) void stage.show(value as number);
  }, [stage, shared, isFollowing, client, room]);
  return useCallback(
    (step: number) => {
      if (isFollowing && mayEdit) write(step);
    },
    [isFollowing, mayEdit, write],
  );
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
  const [shared, write] = useDocument<CameraState | null>(room, "camera", null);
  useEffect(() => {
    if (!stage || isPresenting || !isFollowing || !isCamera(shared)) return;
    stage.view.setCamera(shared);
    onPerspective(shared.isPerspective);
  }, [stage, shared, isPresenting, isFollowing, onPerspective]);
  useEffect(() => {
    if (stage && isPresenting) write(stage.view.camera.state);
  }, [stage, isPresenting, write]);
  return useCallback(
    (camera: CameraState) => {
      if (isPresenting) write(camera);
    },
    [isPresenting, write],
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
