import { Badge, Loader } from "@mantine/core";
import { useLink } from "@/api/LiveProvider";

/** Says nothing while all is well. */
export function LinkState() {
  const link = useLink();
  return (
    <div role="status">
      {link === "reconnecting" && (
        <Badge color="yellow" variant="light" size="lg" leftSection={<Loader size={12} color="yellow" />}>
          reconnecting
        </Badge>
      )}
    </div>
  );
}
