import { Alert, Code, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useDocument } from "@/api/documents";

/** What `workroom dev` writes while the files that it serves have an error. */
interface Problem {
  message: string;
  trace: string;
  is_served: boolean;
}

export function DevProblem({ room }: { room: string }) {
  const [problem] = useDocument<Problem | null>(room, "dev", null);
  if (typeof problem?.message !== "string") return null;
  return (
    <Alert
      color="red"
      role="alert"
      mb="md"
      icon={<IconAlertTriangle size={18} />}
      title="The files of workroom dev have an error"
      styles={{ wrapper: { minWidth: 0 }, body: { minWidth: 0 } }}
    >
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {problem.message}
      </Text>
      {problem.trace && (
        <Code block mt="xs" tabIndex={0} style={{ maxHeight: 300, overflow: "auto" }}>
          {problem.trace}
        </Code>
      )}
      {problem.is_served && (
        <Text size="sm" mt="xs">
          The version before is still served.
        </Text>
      )}
    </Alert>
  );
}
