import { Alert, Button, Group, Skeleton, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { api, dataOf } from "@/api/client";
import { Problem } from "@/api/problem";
import type { Question } from "@/api/schema";
import type { Values } from "@/components/draft";
import { byPlace, serverErrors } from "./fieldErrors";
import { withDefaults } from "./schema/defaults";
import { pointerOf } from "./schema/pointer";
import type { FieldError } from "./schema/unparsed";
import { errorsIn } from "./useChecked";

const ToolForm = lazy(() => import("./ToolForm"));

/** The form in which a question of a job is answered. */
export function AnswerForm({ question }: { question: Question }) {
  const { id, job_id, room, schema } = question;
  const client = useQueryClient();
  const [values, setValues] = useState(() => withDefaults({}, schema, schema) as Values);
  const [found, setFound] = useState<FieldError[]>([]);
  const answering = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/jobs/{job_id}/questions/{question_id}/answer", {
          params: { path: { job_id, question_id: id } },
          body: { answer: values },
        }),
      ),
    retry: (tries, error) => !(error instanceof Problem) && tries < 5,
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ["questions", job_id] });
      void client.invalidateQueries({ queryKey: ["open_questions", room] });
    },
  });
  const { reset } = answering;
  const change = useCallback(
    (next: (before: Values) => Values) => {
      setValues(next);
      setFound([]);
      reset();
    },
    [reset],
  );
  const errors = [...found, ...serverErrors(answering.error)];
  const text = JSON.stringify(errors);
  const places = useMemo(() => byPlace(JSON.parse(text)), [text]);
  const submit = async () => {
    if (answering.isPending) return;
    const wrong = await errorsIn(values, schema);
    setFound(wrong);
    if (wrong.length === 0) answering.mutate();
  };
  const form = `answer-${job_id}-${id}`;
  return (
    <Stack gap="sm">
      <Suspense fallback={<Skeleton h={80} />}>
        <ToolForm
          id={form}
          room={room}
          tool={question}
          values={values}
          errors={places}
          onChange={change}
          onTouch={noTouch}
          onSubmit={submit}
        />
      </Suspense>
      {answering.error && serverErrors(answering.error).length === 0 && (
        <Alert color="red" role="alert">
          {answering.error.message}
        </Alert>
      )}
      {found
        .filter(({ path }) => path.length === 0)
        .map(({ path, message }) => (
          <Alert key={pointerOf(path) + message} color="red" role="alert">
            {message}
          </Alert>
        ))}
      <Group>
        <Button type="submit" form={form} size="sm" loading={answering.isPending}>
          Answer
        </Button>
      </Group>
    </Stack>
  );
}

function noTouch(): void {}
