import { Anchor, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Question } from "@/api/schema";
import { Collapsible } from "@/components/Collapsible";
import { JsonTree } from "@/components/JsonTree";
import { PersonName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { useIsViewer } from "@/components/ViewOnly";
import { AnswerForm } from "@/features/run/AnswerForm";

/** The open questions of a room. One form is open at a time. */
export function RoomQuestions({ room }: { room: string }) {
  const { data: questions = [] } = useQuery(queries.openQuestions(room));
  const [chosen, setChosen] = useState<string | null>(null);
  const isThere = questions.some((each) => keyOf(each) === chosen);
  const open = isThere ? chosen : questions[0] ? keyOf(questions[0]) : null;
  if (questions.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label="Open questions" mb="xl">
      <Title order={2} size="h5">
        Questions for you
      </Title>
      {questions.map((question) => (
        <QuestionCard
          key={keyOf(question)}
          question={question}
          isLinked
          onOpen={keyOf(question) === open ? undefined : () => setChosen(keyOf(question))}
        />
      ))}
    </Stack>
  );
}

/** What one job asked, and the answers. */
export function JobQuestions({ id }: { id: string }) {
  const { data: questions = [] } = useQuery(queries.questions(id));
  const open = questions.find(({ state }) => state === "open");
  if (questions.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label="Questions">
      {open && <QuestionCard question={open} />}
      {questions
        .filter((each) => each !== open)
        .map((question) => (
          <QuestionCard key={question.id} question={question} />
        ))}
    </Stack>
  );
}

interface Props {
  question: Question;
  isLinked?: boolean;
  /** Set if the form is closed. */
  onOpen?: () => void;
}

function QuestionCard({ question, isLinked, onOpen }: Props) {
  const isViewer = useIsViewer(question.room);
  const { data: me } = useQuery(queries.me());
  const mayAnswer = !isViewer || me?.user === question.user;
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Text fw={550} style={{ whiteSpace: "pre-wrap" }}>
          {question.text}
        </Text>
        <Text size="sm" c="dimmed">
          {isLinked ? (
            <Anchor component={Link} href={`/jobs/${question.job_id}`} size="sm">
              A job
            </Anchor>
          ) : (
            "This job"
          )}{" "}
          of <PersonName id={question.user} /> asked <Ago at={question.asked_at} />
          {question.state === "open" && question.expires_at && (
            <>, until {new Date(question.expires_at).toLocaleString()}</>
          )}
        </Text>
        {question.state !== "open" ? (
          <Closed question={question} />
        ) : !mayAnswer ? null : onOpen ? (
          <Anchor component="button" type="button" size="sm" ta="left" onClick={onOpen}>
            Answer this question
          </Anchor>
        ) : (
          <AnswerForm question={question} />
        )}
      </Stack>
    </Paper>
  );
}

function Closed({ question }: { question: Question }) {
  if (question.state === "expired") return <Text size="sm">Nobody answered in time.</Text>;
  if (question.state === "closed") return <Text size="sm">The job ended before anybody answered.</Text>;
  return (
    <>
      <Text size="sm">
        Answered by <PersonName id={question.answered_by ?? ""} />
        {question.answered_at && (
          <>
            {" "}
            <Ago at={question.answered_at} />
          </>
        )}
      </Text>
      <Collapsible title="The answer" isOpen>
        <JsonTree value={question.answer} />
      </Collapsible>
    </>
  );
}

function keyOf({ job_id, id }: Question): string {
  return `${job_id}/${id}`;
}
