import { Alert, Button, Group, Kbd, Skeleton, Stack, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconCheck, IconPlayerPlay } from "@tabler/icons-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { useLink } from "@/api/LiveProvider";
import type { Extension, Job } from "@/api/schema";
import { dropDraft, keepDraft, type Values } from "@/components/draft";
import { faultsOf } from "./checking";
import { besideFields, faultsIn } from "./faults";
import { useRun } from "./useRun";

const ToolForm = lazy(() => import("./ToolForm"));
const FORM = "tool-form";

interface Props {
  room: string;
  tool: Extension;
  initial: Values;
  onJob: (job: Job) => void;
}

/** The form of a tool and its Run button. */
export function RunForm({ room, tool, initial, onJob }: Props) {
  const [values, setValues] = useState(initial);
  const [isChecked, setChecked] = useState(false);
  const { run, isPending, error, isSuccess, reset } = useRun(room, tool, (job) => {
    dropDraft(room, tool);
    if (job) onJob(job);
  });
  const faults = useMemo(() => faultsOf(values, tool.schema), [values, tool.schema]);
  const told = isChecked ? [...faults, ...faultsIn(error)] : [];
  const change = (next: Values) => {
    setValues(next);
    keepDraft(room, tool, next);
    reset();
  };
  const submit = () => {
    setChecked(true);
    if (faults.length === 0 && !isPending) run(values);
  };
  useHotkeys([["mod + Enter", submit]], []);
  const isSettings = tool.category === "settings";
  return (
    <Stack>
      <Suspense fallback={<Skeleton h={180} />}>
        <ToolForm
          id={FORM}
          room={room}
          tool={tool}
          values={values}
          errors={besideFields(told)}
          onChange={change}
          onSubmit={submit}
        />
      </Suspense>
      {error && faultsIn(error).length === 0 && (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      )}
      <Bar
        isSettings={isSettings}
        isPending={isPending}
        isSaved={isSettings && isSuccess}
        faults={told.length}
      />
      {!isSettings && <Outlook tool={tool} />}
    </Stack>
  );
}

function Bar({
  isSettings,
  isPending,
  isSaved,
  faults,
}: {
  isSettings: boolean;
  isPending: boolean;
  isSaved: boolean;
  faults: number;
}) {
  const isAway = useLink() === "reconnecting";
  const Icon = isSettings ? IconCheck : IconPlayerPlay;
  return (
    <Group>
      <Button
        type="submit"
        form={FORM}
        leftSection={<Icon size={16} />}
        loading={isPending}
        disabled={isAway}
      >
        {isSettings ? "Save" : "Run"}
      </Button>
      <Text size="sm" c="dimmed" role="status">
        {isAway ? (
          "The server cannot be reached; what you typed is kept."
        ) : faults ? (
          "Something above needs another value."
        ) : isSaved ? (
          "Saved."
        ) : (
          <Text span inherit visibleFrom="sm">
            <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd>
          </Text>
        )}
      </Text>
    </Group>
  );
}

/** What will happen to a job that is submitted now, if that is not "it runs". */
function Outlook({ tool }: { tool: Extension }) {
  const text = tool.paused
    ? "This tool is paused: a job waits until it is resumed."
    : tool.circuit_open
      ? "This tool failed several times in a row and rests: a job waits about a minute."
      : tool.idle_workers + tool.busy_workers === 0
        ? "No worker is connected now: a job waits, and runs when one comes."
        : null;
  return text ? (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  ) : null;
}
