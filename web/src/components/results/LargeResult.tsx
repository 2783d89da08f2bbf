import { ActionIcon, Anchor, Code, Group, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { ErrorMessage } from "@/components/ErrorMessage";
import { formatBytes } from "@/components/format";
import { Loading } from "@/components/Loading";
import { ContentView } from "./ContentView";
import { contentOf } from "./content";
import { addressOf } from "./JobIdContext";
import { rangeOfPage, textOfPage } from "./pageOfText";
import { RawJson } from "./RawJson";
import classes from "./Results.module.css";
import { readArtifact } from "./readArtifact";
import type { Reference } from "./references";

const PARSED_BYTES = 20_000_000;
const PAGE_BYTES = 50_000;

interface Props {
  reference: Reference;
  jobId: string;
  isRaw: boolean;
}

/** A result that is kept as an artifact. One that is too large to be parsed here is read page by page. */
export function LargeResult({ reference, jobId, isRaw }: Props) {
  const address = addressOf(jobId, reference.artifact);
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        Large result, kept as{" "}
        <Anchor href={address} download={reference.artifact} inherit>
          {reference.artifact}
        </Anchor>{" "}
        ({formatBytes(reference.size)})
      </Text>
      {reference.size <= PARSED_BYTES ? (
        <Parsed address={address} isRaw={isRaw} />
      ) : (
        <Pages address={address} size={reference.size} />
      )}
    </div>
  );
}

function Parsed({ address, isRaw }: { address: string; isRaw: boolean }) {
  const result = useQuery({
    queryKey: ["contents", address, "result"],
    queryFn: async () => (await readArtifact(address)).json() as Promise<unknown>,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  const content = useMemo(() => contentOf(result.data ?? null), [result.data]);
  if (result.isPending) return <Loading />;
  if (result.isError) return <ErrorMessage error={result.error} />;
  return isRaw ? <RawJson value={result.data} /> : <ContentView content={content} name="Result" />;
}

function Pages({ address, size }: { address: string; size: number }) {
  const [page, setPage] = useState(0);
  const count = Math.ceil(size / PAGE_BYTES);
  const text = useQuery({
    queryKey: ["contents", address, "page", page],
    queryFn: async () => {
      const response = await readArtifact(address, rangeOfPage(page, PAGE_BYTES, size));
      return textOfPage(new Uint8Array(await response.arrayBuffer()), PAGE_BYTES);
    },
    placeholderData: (old) => old,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (text.isError) return <ErrorMessage error={text.error} />;
  return (
    <div>
      <Code block className={classes.text} aria-label="JSON" tabIndex={0}>
        {text.data}
      </Code>
      <Group gap="xs" mt={6}>
        <ActionIcon
          variant="default"
          aria-label="previous page"
          disabled={page === 0}
          onClick={() => setPage(page - 1)}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        <Text size="xs">{`Page ${(page + 1).toLocaleString("en")} of ${count.toLocaleString("en")}`}</Text>
        <ActionIcon
          variant="default"
          aria-label="next page"
          disabled={page + 1 >= count}
          onClick={() => setPage(page + 1)}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
      </Group>
    </div>
  );
}
