import { Text } from "@mantine/core";
import type { TitleFieldProps } from "@rjsf/utils";

/** The title of a form section, in the size of a field label. */
export function SectionTitle({ id, title }: TitleFieldProps) {
  return (
    <Text id={id} fw={600} size="sm" mt="xs" mb={4}>
      {title}
    </Text>
  );
}
