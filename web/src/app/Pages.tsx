import { lazy, Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import type { Principal } from "@/api/schema";
import { Loading } from "@/components/Loading";
import { NotHere } from "@/components/NotHere";
import { Rooms } from "@/features/rooms/Rooms";
import { Frame } from "./Frame";
import { RoomPages } from "./RoomPages";

const Fleet = lazy(() => import("@/features/fleet/Fleet"));

export function Pages({ me }: { me: Principal }) {
  if (me.room) return <InOneRoom me={me} room={me.room} />;
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/">
          <Frame me={me}>
            <Rooms />
          </Frame>
        </Route>
        <Route path="/rooms/:room" nest>
          {({ room }) => <RoomPages key={room} me={me} room={decodeURIComponent(room)} />}
        </Route>
        <Route path="/fleet">
          <Frame me={me}>
            <Fleet room={null} />
          </Frame>
        </Route>
        <Route>
          <Frame me={me}>
            <NotHere />
          </Frame>
        </Route>
      </Switch>
    </Suspense>
  );
}

/** Whose token counts for one room only has no other to go to. */
function InOneRoom({ me, room }: { me: Principal; room: string }) {
  return (
    <Switch>
      <Route path={`/rooms/${room}`} nest>
        <RoomPages me={me} room={room} />
      </Route>
      <Route>
        <Redirect to={`/rooms/${room}`} />
      </Route>
    </Switch>
  );
}
