import { Code, Image, Stack, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { JsonTree } from "@/components/JsonTree";
import { Loading } from "@/components/Loading";
import { Records } from "./Records";
import type { Thing } from "./thing";

const Markdown = lazy(() => import("./Markdown"));
const Plot = lazy(() => import("./Plot"));

export function Shown({ thing, name }: { thing: Thing; name: string }) {
  switch (thing.kind) {
    case "table":
      return <Records rows={thing.rows} name={name} />;
    case "image":
      return <Image src={thing.source} alt={name} w="auto" maw="100%" mah={480} fit="contain" radius="md" />;
    case "plot":
      return (
        <Suspense fallback={<Loading />}>
          <Plot plot={thing.plot} />
        </Suspense>
      );
    case "markdown":
      return (
        <Suspense fallback={<Loading />}>
          <Markdown text={thing.text} />
        </Suspense>
      );
    case "text":
      return (
        <Code block mah={400} style={{ overflow: "auto", whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {thing.text}
        </Code>
      );
    case "parts":
      return (
        <Stack gap="sm">
          {thing.parts.map(([part, each]) => (
            <div key={part}>
              <Text size="sm" fw={550} mb={4}>
                {part}
              </Text>
              <Shown thing={each} name={part} />
            </div>
          ))}
        </Stack>
      );
    case "json":
      return <JsonTree value={thing.value} />;
  }
}
