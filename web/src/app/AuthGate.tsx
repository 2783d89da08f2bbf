import { Center, Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { LiveProvider } from "@/api/LiveProvider";
import { hasOwnUsers } from "@/api/mount";
import { queries } from "@/api/queries";
import { isFramed } from "@/api/viewToken";
import { ErrorMessage } from "@/components/ErrorMessage";
import { ownInvite } from "@/components/invite";
import { Login } from "@/features/login/Login";
import { OutsideLogin } from "@/features/login/OutsideLogin";
import { useAdminLink } from "@/features/login/useAdminLink";
import { FrameWithoutLogin } from "./FramedRoom";
import { Pages } from "./Pages";

/** Shows the app to logged-in users and the login to everyone else. */
export function AuthGate() {
  const me = useQuery(queries.me());
  const link = useAdminLink();
  if (me.isPending || link.isPending)
    return (
      <Center h="100dvh">
        <Loader role="status" aria-label="Checking your login" />
      </Center>
    );
  if (me.isError) return <ErrorMessage error={me.error} retry={me.refetch} />;
  if (!me.data && isFramed) return <FrameWithoutLogin />;
  if (!me.data && hasOwnUsers) return <OutsideLogin />;
  if (!me.data) return <Login linkError={link.error} invitedTo={ownInvite()?.room} />;
  return (
    <LiveProvider key={me.data.user} me={me.data}>
      <Pages me={me.data} />
    </LiveProvider>
  );
}
