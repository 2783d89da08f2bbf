import { Box, Stack } from "@mantine/core";
import { useMemo, useState } from "react";
import type { Job } from "@/api/schema";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { ContentView } from "./ContentView";
import { contentOf } from "./content";
import { JobIdContext } from "./JobIdContext";
import { LargeResult } from "./LargeResult";
import { RawJson } from "./RawJson";
import { ResultTools } from "./ResultTools";
import { isReference } from "./references";

/** A result, as what it is or as JSON. */
export default function ResultView({ value, job }: { value: unknown; job?: Job }) {
  const [isRaw, setRaw] = useState(false);
  return (
    <JobIdContext value={job?.id ?? null}>
      <Stack gap="xs">
        {job && <ResultTools job={job} isRaw={isRaw} setRaw={setRaw} />}
        <ErrorBoundary>
          <Box miw={0}>
            {isReference(value) && job ? (
              <LargeResult reference={value} jobId={job.id} isRaw={isRaw} />
            ) : (
              <Value value={value} isRaw={isRaw} />
            )}
          </Box>
        </ErrorBoundary>
      </Stack>
    </JobIdContext>
  );
}

function Value({ value, isRaw }: { value: unknown; isRaw: boolean }) {
  const content = useMemo(() => contentOf(value), [value]);
  return isRaw ? <RawJson value={value} /> : <ContentView content={content} name="Result" />;
}
