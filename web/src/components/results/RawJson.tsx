import { Button, Code, Text } from "@mantine/core";
import { useMemo } from "react";
import { saveAs } from "./download";
import classes from "./Results.module.css";

const SHOWN = 100_000;

/** The JSON as it was sent. Of a long one, the beginning; all of it can be downloaded. */
export function RawJson({ value }: { value: unknown }) {
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  return (
    <div>
      <Code block className={classes.text} aria-label="JSON" tabIndex={0}>
        {text.slice(0, SHOWN)}
      </Code>
      {text.length > SHOWN && (
        <Text size="xs" c="dimmed" mt={4}>
          The first {SHOWN.toLocaleString("en")} of {text.length.toLocaleString("en")} characters.{" "}
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => saveAs("result.json", text, "application/json")}
          >
            Download all
          </Button>
        </Text>
      )}
    </div>
  );
}
