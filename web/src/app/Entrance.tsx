import { Center, Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { LiveProvider } from "@/api/LiveProvider";
import { queries } from "@/api/queries";
import { Trouble } from "@/components/Trouble";
import { Door } from "@/features/door/Door";
import { useAdminLink } from "@/features/door/useAdminLink";
import { Pages } from "./Pages";

/** Who is known goes in; everybody else stands at the door. */
export function Entrance() {
  const me = useQuery(queries.me());
  const link = useAdminLink();
  if (me.isPending || link.isPending)
    return (
      <Center h="100dvh">
        <Loader aria-label="Looking who you are" />
      </Center>
    );
  if (me.isError) return <Trouble error={me.error} retry={me.refetch} />;
  if (!me.data) return <Door refusal={link.error} />;
  return (
    <LiveProvider key={me.data.user} me={me.data}>
      <Pages me={me.data} />
    </LiveProvider>
  );
}
