import { Code, Image, Stack, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { JsonTree } from "@/components/JsonTree";
import { Loading } from "@/components/Loading";
import type { Content } from "./content";
import { DataTable } from "./DataTable";

const Markdown = lazy(() => import("./Markdown"));
const Plot = lazy(() => import("./Plot"));

export function ContentView({ content, name }: { content: Content; name: string }) {
  switch (content.kind) {
    case "table":
      return <DataTable rows={content.rows} name={name} />;
    case "image":
      return (
        <Image src={content.source} alt={name} w="auto" maw="100%" mah={480} fit="contain" radius="md" />
      );
    case "plot":
      return (
        <Suspense fallback={<Loading />}>
          <Plot plot={content.plot} />
        </Suspense>
      );
    case "markdown":
      return (
        <Suspense fallback={<Loading />}>
          <Markdown text={content.text} />
        </Suspense>
      );
    case "text":
      return (
        <Code block mah={400} style={{ overflow: "auto", whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {content.text}
        </Code>
      );
    case "parts":
      return (
        <Stack gap="sm">
          {content.parts.map(([part, each]) => (
            <div key={part}>
              <Text size="sm" fw={550} mb={4}>
                {part}
              </Text>
              <ContentView content={each} name={part} />
            </div>
          ))}
        </Stack>
      );
    case "json":
      return <JsonTree value={content.value} />;
  }
}
