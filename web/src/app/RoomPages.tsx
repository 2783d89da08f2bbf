import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { useRoomEvents } from "@/api/LiveProvider";
import { queries } from "@/api/queries";
import type { Principal } from "@/api/schema";
import { Loading } from "@/components/Loading";
import { NotHere } from "@/components/NotHere";
import { Trouble } from "@/components/Trouble";
import { ToolList } from "@/features/tools/ToolList";
import { ToolPalette } from "@/features/tools/ToolPalette";
import { Tools } from "@/features/tools/Tools";
import { Frame } from "./Frame";
import { RoomLinks } from "./RoomLinks";

const Fleet = lazy(() => import("@/features/fleet/Fleet"));
const History = lazy(() => import("@/features/history/History"));
const JobPage = lazy(() => import("@/features/job/JobPage"));
const RunPage = lazy(() => import("./RunPage"));

/** Inside one room: addresses here are relative to it. */
export function RoomPages({ me, room }: { me: Principal; room: string }) {
  const isAnswered = useRoomEvents(room);
  // A refusal from before we were in is asked about again when we are.
  const found = useQuery({ ...queries.room(room), retryOnMount: false });
  if (found.isError)
    return (
      <Frame me={me}>
        {isAnswered ? <Trouble error={found.error} retry={found.refetch} /> : <Loading />}
      </Frame>
    );
  return (
    <Frame
      me={me}
      room={found.data ?? { name: room, title: "" }}
      side={
        <>
          <RoomLinks />
          <ToolList room={room} />
        </>
      }
    >
      <ToolPalette room={room} />
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/">
            <Tools room={room} />
          </Route>
          <Route path="/run/:category/:name">
            {({ category, name }) => (
              <RunPage
                key={`${category}/${name}`}
                me={me}
                room={room}
                id={{ category: decodeURIComponent(category), name: decodeURIComponent(name) }}
              />
            )}
          </Route>
          <Route path="/history">
            <History room={room} />
          </Route>
          <Route path="/jobs/:id">{({ id }) => <JobPage key={id} id={id} />}</Route>
          <Route path="/fleet">
            <Fleet room={room} />
          </Route>
          <Route>
            <NotHere />
          </Route>
        </Switch>
      </Suspense>
    </Frame>
  );
}
