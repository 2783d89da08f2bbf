import { Text, Title } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { Extension } from "@/api/schema";
import { titleOf } from "@/components/tools";
import classes from "./ToolHeading.module.css";

const Markdown = lazy(() => import("@/components/results/Markdown"));
const MARKED = /[*_`[\]#|]|^\s*[-+]\s|^\s*\d+\.\s/m;

/** The name of a tool and its docstring, which may be Markdown. */
export function ToolHeading({ tool }: { tool: Extension }) {
  const description = typeof tool.schema.description === "string" ? tool.schema.description : "";
  const plain = (
    <Text c="dimmed" size="sm" style={{ whiteSpace: "pre-line" }}>
      {description}
    </Text>
  );
  return (
    <div>
      <Title order={1} size="h3">
        {titleOf(tool.name)}
      </Title>
      {MARKED.test(description) ? (
        <Suspense fallback={plain}>
          <div className={classes.text}>
            <Markdown text={description} />
          </div>
        </Suspense>
      ) : (
        plain
      )}
    </div>
  );
}
