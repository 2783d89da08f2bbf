import { Alert } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { HeldLock } from "@/api/schema";
import { useName } from "@/components/PersonName";
import { Since } from "@/components/RelativeTime";
import classes from "./View.module.css";

/** Who keeps others from changing the frames at the moment. */
export function LockBanner({ room }: { room: string }) {
  const { data = [] } = useQuery(queries.locks(room));
  const held = data.filter(({ target }) => target === "frames" || target === "selection");
  return (
    <div className={classes.banner}>
      {held.map((lock) => (
        <Held key={lock.target} lock={lock} />
      ))}
    </div>
  );
}

function Held({ lock }: { lock: HeldLock }) {
  const name = useName(lock.holder);
  return (
    <Alert color="yellow" icon={<IconLock size={18} />} py={6} role="status">
      <bdi>{name}</bdi> changes the {lock.target}
      {lock.message && `: ${lock.message}`} (<Since at={lock.acquired_at} />)
    </Alert>
  );
}
