import { Anchor } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useRoomEvents } from "@/api/LiveProvider";
import type { Myself } from "@/api/schema";
import { EmptyState } from "@/components/EmptyState";
import { Loading } from "@/components/Loading";
import classes from "./FramedRoom.module.css";

const ViewPage = lazy(() => import("./ViewPage"));

/** A room in a frame of another site: its view alone. */
export function FramedRoom({ me, room }: { me: Myself; room: string }) {
  useRoomEvents(room);
  const shown = { room, me: me.user };
  return (
    <main className={classes.frame}>
      <Suspense fallback={<Loading />}>
        <ViewPage {...shown} />
      </Suspense>
    </main>
  );
}

/** The browser would keep no login in a frame of another site. */
export function FrameWithoutLogin() {
  return (
    <EmptyState title="This view has ended">
      Its link is valid once, for two minutes. Run the cell again, or{" "}
      <Anchor inherit href={window.location.pathname} target="_blank" rel="noreferrer">
        open the room in a tab
      </Anchor>
      .
    </EmptyState>
  );
}
