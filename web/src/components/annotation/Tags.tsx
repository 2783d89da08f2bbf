import { Badge } from "@mantine/core";

/** Tags as they were written. */
export function Tags({ tags }: { tags: string[] }) {
  return tags.map((tag) => (
    <Badge key={tag} size="sm" variant="default" tt="none" fw={500} maw={160} title={tag}>
      {tag}
    </Badge>
  ));
}
