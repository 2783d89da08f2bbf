import { Alert, Button, Group, Kbd, Skeleton, Stack, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconCheck, IconPlayerPlay } from "@tabler/icons-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { useConnection } from "@/api/LiveProvider";
import type { Extension, Job } from "@/api/schema";
import { deleteDraft, saveDraft, type Values } from "@/components/draft";
import { Ago } from "@/components/RelativeTime";
import { withoutSecrets } from "@/components/secrets";
import { errorSchemaOf, serverErrors } from "./fieldErrors";
import { useRun } from "./useRun";
import { validate } from "./validation";

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
  const [isSubmitted, setSubmitted] = useState(false);
  const { run, isPending, error, isSuccess, reset } = useRun(room, tool, (job) => {
    deleteDraft(room, tool);
    if (job) onJob(job);
  });
  const errors = useMemo(() => validate(values, tool.schema), [values, tool.schema]);
  const shownErrors = isSubmitted ? [...errors, ...serverErrors(error)] : [];
  const change = (next: Values) => {
    setValues(next);
    saveDraft(room, tool, withoutSecrets(next, tool.schema));
    reset();
  };
  const submit = () => {
    setSubmitted(true);
    if (errors.length === 0 && !isPending) run(values);
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
          errors={errorSchemaOf(shownErrors)}
          onChange={change}
          onSubmit={submit}
        />
      </Suspense>
      {error && serverErrors(error).length === 0 && (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      )}
      <SubmitBar
        isSettings={isSettings}
        isPending={isPending}
        isSaved={isSettings && isSuccess}
        errorCount={shownErrors.length}
      />
      {!isSettings && <WaitNotice tool={tool} />}
    </Stack>
  );
}

function SubmitBar({
  isSettings,
  isPending,
  isSaved,
  errorCount,
}: {
  isSettings: boolean;
  isPending: boolean;
  isSaved: boolean;
  errorCount: number;
}) {
  const isOffline = useConnection() === "reconnecting";
  const Icon = isSettings ? IconCheck : IconPlayerPlay;
  return (
    <Group>
      <Button
        type="submit"
        form={FORM}
        leftSection={<Icon size={16} />}
        loading={isPending}
        disabled={isOffline}
      >
        {isSettings ? "Save" : "Run"}
      </Button>
      <Text size="sm" c="dimmed" role="status">
        {isOffline ? (
          "The server cannot be reached. Your input is kept."
        ) : errorCount ? (
          "Please correct the values above."
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

/** Explains why a job submitted now would have to wait. */
function WaitNotice({ tool }: { tool: Extension }) {
  const hasWorker = tool.idle_workers + tool.busy_workers > 0;
  if (!tool.paused && !tool.circuit_open && hasWorker) return null;
  return (
    <Text size="sm" c="dimmed">
      {tool.paused ? (
        "This tool is paused. Jobs wait until it is resumed."
      ) : tool.circuit_open ? (
        "This tool keeps failing. Jobs wait for about a minute."
      ) : tool.away_since ? (
        <>
          The last worker left <Ago at={tool.away_since} />. Jobs wait until one connects.
        </>
      ) : (
        "No worker is connected. Jobs wait until one connects."
      )}
    </Text>
  );
}
