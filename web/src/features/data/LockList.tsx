import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import { queries } from "@/api/queries";
import type { Lock } from "@/api/schema";
import { notifyError } from "@/components/notify";
import { PersonName } from "@/components/PersonName";
import { Since } from "@/components/RelativeTime";
import { Section } from "./Section";

export function LockList({ room }: { room: string }) {
  const locks = useQuery(queries.locks(room));
  const { data: found } = useQuery(queries.room(room));
  const mayBreak = found?.role === "owner" || found?.role === "admin";
  return (
    <Section title="Locks" query={locks}>
      {(items) =>
        items.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nobody holds a lock.
          </Text>
        ) : (
          <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: "none" }}>
            {items.map((lock) => (
              <li key={lock.target}>
                <HeldLock room={room} lock={lock} mayBreak={mayBreak} />
              </li>
            ))}
          </Stack>
        )
      }
    </Section>
  );
}

function HeldLock({ room, lock, mayBreak }: { room: string; lock: Lock; mayBreak: boolean }) {
  const client = useQueryClient();
  const breaking = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/rooms/{room}/locks/{target}/break", {
          params: { path: { room, target: lock.target } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: queries.locks(room).queryKey }),
    onError: notifyError,
  });
  return (
    <Paper withBorder p="xs">
      <Group justify="space-between" gap="xs">
        <div>
          <Text size="sm" component="div">
            <Text span fw={550} inherit>
              {lock.target}
            </Text>{" "}
            is locked by {lock.job_id && "a job of "}
            <PersonName id={lock.holder} /> for <Since at={lock.acquired_at} />
          </Text>
          {lock.message && (
            <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {lock.message}
            </Text>
          )}
        </div>
        {mayBreak && (
          <Button
            size="xs"
            variant="default"
            loading={breaking.isPending}
            onClick={() => breaking.mutate()}
            aria-label={`Break the lock on ${lock.target}`}
          >
            Break
          </Button>
        )}
      </Group>
    </Paper>
  );
}
