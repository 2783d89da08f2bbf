import { Anchor, Center, Paper, Stack, Title } from "@mantine/core";
import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { ownInvite } from "@/components/invite";
import { Loading } from "@/components/Loading";
import { JoinForm } from "./JoinForm";
import { useJoin } from "./useJoin";

/** Joins with the invite in the address, and removes it from there. Without one, or if it is refused, it can be typed. */
export default function Join() {
  const [, go] = useLocation();
  const used = useRef("");
  const joining = useJoin((room) => go(`~/rooms/${room.name}`, { replace: true }));
  const { mutate } = joining;
  useEffect(() => {
    const join = () => {
      const invite = ownInvite();
      if (!invite || used.current === window.location.hash) return;
      used.current = window.location.hash;
      mutate(invite, { onError: () => history.replaceState(null, "", window.location.pathname) });
    };
    join();
    window.addEventListener("hashchange", join);
    return () => window.removeEventListener("hashchange", join);
  }, [mutate]);
  if (joining.isPending || joining.isSuccess || (joining.isIdle && ownInvite())) return <Loading />;
  return (
    <Center mih={300} p="md">
      <Paper withBorder p="xl" w={420} maw="100%">
        <Stack>
          <Title order={1} size="h3">
            Join a room
          </Title>
          <JoinForm key={joining.submittedAt} room={joining.variables?.room} refusal={joining.error} />
          <Anchor component={Link} href="~/" size="sm">
            All rooms
          </Anchor>
        </Stack>
      </Paper>
    </Center>
  );
}
