import { Badge, Loader } from "@mantine/core";
import { useConnection } from "@/api/LiveProvider";

/** Empty while the connection is fine. */
export function ConnectionStatus() {
  const connection = useConnection();
  return (
    <div role="status">
      {connection === "reconnecting" && (
        <Badge color="yellow" variant="light" size="lg" leftSection={<Loader size={12} color="yellow" />}>
          reconnecting
        </Badge>
      )}
    </div>
  );
}
