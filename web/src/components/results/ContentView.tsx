import { Anchor, Code, Stack, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { JsonTree } from "@/components/JsonTree";
import { Loading } from "@/components/Loading";
import { Cards } from "./Cards";
import type { Content } from "./content";
import { DataTable } from "./DataTable";
import { FileView } from "./FileView";
import { Gallery } from "./Gallery";
import { HtmlFrame } from "./HtmlFrame";
import { Lines } from "./Lines";
import { Matrix } from "./Matrix";
import { MediumView } from "./MediumView";
import { formatScalar } from "./numbers";
import { Pixels } from "./Pixels";
import classes from "./Results.module.css";

const Markdown = lazy(() => import("./Markdown"));
const Plot = lazy(() => import("./Plot"));
const Vega = lazy(() => import("./Vega"));

/** Shows content as what it is. The large libraries are loaded when they are needed. */
export function ContentView({ content, name }: { content: Content; name: string }) {
  return (
    <Suspense fallback={<Loading />}>
      <View content={content} name={name} />
    </Suspense>
  );
}

function View({ content, name }: { content: Content; name: string }) {
  switch (content.kind) {
    case "scalar":
      return (
        <Text className={classes.scalar} title={String(content.value)}>
          {formatScalar(content.value)}
        </Text>
      );
    case "cards":
      return <Cards entries={content.entries} />;
    case "table":
      return <DataTable rows={content.rows} name={name} />;
    case "line":
      return <Lines content={content} name={name} />;
    case "matrix":
      return <Matrix rows={content.rows} name={name} />;
    case "pixels":
      return <Pixels rows={content.rows} name={name} />;
    case "plot":
      return <Plot plot={content.plot} />;
    case "vega":
      return <Vega spec={content.spec} />;
    case "medium":
      return <MediumView content={content} name={name} />;
    case "gallery":
      return <Gallery images={content.images} name={name} />;
    case "file":
      return <FileView name={content.artifact} />;
    case "markdown":
      return <Markdown text={content.text} />;
    case "html":
      return <HtmlFrame text={content.text} name={name} />;
    case "link":
      return (
        <Anchor href={content.text} target="_blank" rel="noreferrer noopener" className={classes.link}>
          {content.text}
        </Anchor>
      );
    case "text":
      return isShort(content.text) ? (
        <Text className={classes.link}>{content.text}</Text>
      ) : (
        <TextBlock text={content.text} />
      );
    case "atoms":
      return <Atoms text={content.text} formula={content.formula} />;
    case "repr":
      return (
        <Stack gap="xs">
          <TextBlock text={content.text} />
          <Text size="xs" c="dimmed">
            This is only the repr of the returned value: {content.note}.
          </Text>
        </Stack>
      );
    case "parts":
      return <Parts parts={content.parts} name={name} />;
    case "tree":
      return <JsonTree value={content.value} />;
  }
}

function isShort(text: string): boolean {
  return text.length <= 200 && !text.includes("\n");
}

function Parts({ parts, name }: { parts: [string, Content][]; name: string }) {
  return (
    <Stack gap="md">
      {parts.map(([part, each]) => (
        <div key={part} className={classes.part}>
          {part && (
            <Text size="sm" fw={550} mb={4}>
              {part}
            </Text>
          )}
          <ContentView content={each} name={part || name} />
        </div>
      ))}
    </Stack>
  );
}

function TextBlock({ text }: { text: string }) {
  return (
    <Code block className={classes.text} tabIndex={0}>
      {text}
    </Code>
  );
}

function Atoms({ text, formula }: { text: string; formula: string }) {
  return (
    <Stack gap={4}>
      <Text fw={550}>{formula}</Text>
      <Code block className={classes.text} style={{ whiteSpace: "pre" }} tabIndex={0}>
        {text}
      </Code>
    </Stack>
  );
}
