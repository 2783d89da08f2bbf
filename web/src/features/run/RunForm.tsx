import { Alert, Skeleton, Stack } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { queries } from "@/api/queries";
import type { Extension, Group, Job } from "@/api/schema";
import { deleteDraft, saveDraft, type Values } from "@/components/draft";
import { withoutSecrets } from "@/components/secrets";
import { useIsViewer } from "@/components/ViewOnly";
import { byPlace, rejections, serverErrors } from "./fieldErrors";
import { fitted, goneSentence } from "./presets/fit";
import { Presets } from "./presets/Presets";
import { SubmitBar } from "./SubmitBar";
import { withDefaults } from "./schema/defaults";
import { idOf, pointerOf } from "./schema/pointer";
import { isObject } from "./schema/resolve";
import type { FieldError } from "./schema/unparsed";
import { SweepContext } from "./sweep/context";
import { firstOf, MAX_JOBS, samplesOf } from "./sweep/sweep";
import { useRunSweep, useSweep } from "./sweep/useSweep";
import { errorsIn, useChecked } from "./useChecked";
import { useRun } from "./useRun";

const ToolForm = lazy(() => import("./ToolForm"));
const FORM = "tool-form";
const TOUCH_MS = 300; // a message must not move a button away while it is pressed

interface Props {
  room: string;
  tool: Extension;
  initial: Values;
  onJob: (job: Job) => void;
  /** Without it, no field takes several values. */
  onGroup?: (group: Group) => void;
}

/** The form of a tool and its Run button. */
export function RunForm({ room, tool, initial, onJob, onGroup }: Props) {
  const { schema } = tool;
  const isViewer = useIsViewer(room);
  const defaults = useMemo(() => withDefaults({}, schema, schema) as Values, [schema]);
  const [values, setValues] = useState(() => withDefaults(initial, schema, schema) as Values);
  const [isChanged, setChanged] = useState(false);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [isSubmitted, setSubmitted] = useState(false);
  const [unfocused, setUnfocused] = useState<FieldError[] | null>(null);
  const [isChecking, setChecking] = useState(false);
  const [job, setJob] = useState<Job | null>(null);
  const [preset, setPreset] = useState<ReturnType<typeof fitted> | null>(null);
  const {
    run,
    isPending,
    error: jobError,
    isSuccess,
    reset,
  } = useRun(room, tool, (submitted) => {
    deleteDraft(room, tool);
    setChanged(false);
    setJob(submitted);
    if (submitted) onJob(submitted);
  });
  const group = useRunSweep(room, tool, (submitted) => {
    deleteDraft(room, tool);
    onGroup?.(submitted);
  });
  const { reset: resetGroup } = group;
  const forget = useCallback(() => {
    setJob(null);
    reset();
    resetGroup();
  }, [reset, resetGroup]);
  const sweeping = useSweep(schema, forget);
  const { sweep } = sweeping;
  const first = useMemo(() => firstOf(values, sweep), [values, sweep]);
  const error = jobError ?? group.error;
  const { errors: found, isCurrent, accept } = useChecked(first, schema);
  const refused = useRejections(job, schema);
  const others = [...serverErrors(error), ...refused];
  const isLoaded = ([name]: string[]) => name !== undefined && preset !== null && name in preset.values;
  const isShown = ({ path }: FieldError) =>
    isSubmitted || (isCurrent && (isLoaded(path) || touched.has(pointerOf(path))));
  const errors = [...found.filter(isShown), ...others];

  const change = useCallback(
    (next: (before: Values) => Values) => {
      setValues(next);
      setChanged(true);
      forget();
    },
    [forget],
  );
  useEffect(() => {
    if (isChanged) saveDraft(room, tool, withoutSecrets(values, schema));
  }, [isChanged, values, room, tool, schema]);
  const touch = useCallback((at: string) => {
    setTimeout(() => setTouched((before) => (before.has(at) ? before : new Set(before).add(at))), TOUCH_MS);
  }, []);
  const load = (saved: Values) => {
    const next = fitted(saved, schema);
    setPreset(next);
    change(() => withDefaults(next.values, schema, schema) as Values);
  };
  const restore = () => {
    setPreset(null);
    change(() => defaults);
  };
  const submit = async () => {
    if (isPending || group.isPending || isChecking || isViewer || sweep.count > MAX_JOBS) return;
    setSubmitted(true);
    setChecking(true);
    const wrong = await firstErrors(samplesOf(values, sweep), schema).finally(() => setChecking(false));
    wrong.unshift(...sweep.problems);
    if (wrong.length === 0 && sweep.count) group.run(values, sweep);
    else if (wrong.length === 0) run(values);
    else {
      accept(wrong);
      setUnfocused(wrong);
    }
  };
  useHotkeys([["mod + Enter", submit]], []);
  useEffect(() => {
    if (unfocused) focusFirst(unfocused);
  }, [unfocused]);
  const places = useStable(byPlace(errors));
  const loose = errors.filter(({ path }) => !hasField(path, schema));
  const isSettings = tool.category === "settings";
  return (
    <Stack>
      <Suspense fallback={<Skeleton h={180} />}>
        <SweepContext value={onGroup && tool.category !== "settings" ? sweeping : null}>
          <ToolForm
            id={FORM}
            room={room}
            tool={tool}
            values={values}
            errors={places}
            onChange={change}
            onTouch={touch}
            onSubmit={submit}
          />
        </SweepContext>
        {loose.map(({ path, message }) => (
          <Alert key={pointerOf(path) + message} color="red" role="alert">
            {[path.join(", "), message].filter(Boolean).join(": ")}
          </Alert>
        ))}
        {error && serverErrors(error).length === 0 && (
          <Alert color="red" role="alert">
            {error.message}
          </Alert>
        )}
        {preset && preset.gone.length > 0 && (
          <Alert
            role="status"
            withCloseButton
            closeButtonLabel="Close"
            onClose={() => setPreset({ ...preset, gone: [] })}
          >
            {goneSentence(preset.gone)}
          </Alert>
        )}
        <SubmitBar
          form={FORM}
          tool={tool}
          job={job}
          isPending={isPending || group.isPending || isChecking}
          jobs={sweep.count}
          isSweep={sweeping.texts.size > 0}
          isViewer={isViewer}
          isSaved={isSettings && isSuccess}
          errorCount={errors.length}
          onReset={isSame(values, defaults) ? undefined : restore}
        >
          <Presets room={room} tool={tool} values={values} onLoad={load} />
        </SubmitBar>
      </Suspense>
    </Stack>
  );
}

/** The errors of the first values that have some. */
async function firstErrors(samples: Values[], schema: Extension["schema"]): Promise<FieldError[]> {
  for (const values of samples) {
    const errors = await errorsIn(values, schema);
    if (errors.length) return errors;
  }
  return [];
}

/** What the validators of the extension refused when the job ran. */
function useRejections(job: Job | null, schema: Extension["schema"]): FieldError[] {
  const { data } = useQuery({ ...queries.job(job?.id ?? ""), enabled: job !== null });
  return job ? rejections(data, schema) : [];
}

/** The same map for as long as it says the same, so that fields are not drawn again. */
function useStable(places: Map<string, string>): Map<string, string> {
  const text = JSON.stringify([...places]);
  return useMemo(() => new Map(JSON.parse(text)), [text]);
}

function hasField([name]: string[], schema: Extension["schema"]): boolean {
  return name !== undefined && isObject(schema.properties) && name in schema.properties;
}

/** Fields that were folded are drawn first. */
function focusFirst(errors: FieldError[]): void {
  requestAnimationFrame(() =>
    setTimeout(() => {
      const inputs = errors.map(({ path }) => closest(path)).filter((each) => each !== null);
      const isBefore = (a: HTMLElement, b: HTMLElement) =>
        a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
      inputs.sort(isBefore)[0]?.focus();
    }),
  );
}

/** The input of a field, or else that of the field around it. */
function closest(path: string[]): HTMLElement | null {
  for (let length = path.length; length > 0; length--) {
    const input = document.getElementById(idOf(pointerOf(path.slice(0, length))));
    if (input) return input;
  }
  return null;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
