import { Text } from "@mantine/core";
import type { TitleFieldProps } from "@rjsf/utils";

/** The name of a part of a form: no larger than that of a field. */
export function PartTitle({ id, title }: TitleFieldProps) {
  return (
    <Text id={id} fw={600} size="sm" mt="xs" mb={4}>
      {title}
    </Text>
  );
}
