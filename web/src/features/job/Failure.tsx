import { Alert, Box, Code, Text } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import type { JobError } from "@/api/schema";
import { Collapsible } from "@/components/Collapsible";

export function Failure({ error }: { error: JobError }) {
  return (
    <Alert color="red" icon={<IconAlertCircle />} title={error.type} role="alert">
      <Box mah={240} className="scrolling">
        <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {error.message}
        </Text>
      </Box>
      {error.stack_trace && (
        <Collapsible title="Stack trace">
          <Code block mah={320} style={{ overflow: "auto" }} tabIndex={0}>
            {error.stack_trace}
          </Code>
        </Collapsible>
      )}
    </Alert>
  );
}
