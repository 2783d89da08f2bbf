import { lazy, Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import type { Myself } from "@/api/schema";
import { Loading } from "@/components/Loading";
import { NotFound } from "@/components/NotFound";
import { Rooms } from "@/features/rooms/Rooms";
import { FramedRoom } from "./FramedRoom";
import { Layout } from "./Layout";
import { RoomPages } from "./RoomPages";

const AdminPages = lazy(() => import("./AdminPages"));
const Join = lazy(() => import("@/features/rooms/Join"));
const Fleet = lazy(() => import("@/features/fleet/Fleet"));

export function Pages({ me }: { me: Myself }) {
  if (me.room && me.role === "viewer") return <FramedRoom me={me} room={me.room} />;
  if (me.room) return <SingleRoom me={me} room={me.room} />;
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/">
          <Layout me={me}>
            <Rooms />
          </Layout>
        </Route>
        <Route path="/rooms/:room" nest>
          {({ room }) => <RoomPages key={room} me={me} room={decodeURIComponent(room)} />}
        </Route>
        <Route path="/join">
          <Layout me={me}>
            <Join />
          </Layout>
        </Route>
        {me.role === "admin" && (
          <Route path="/admin" nest>
            <AdminPages me={me} />
          </Route>
        )}
        <Route path="/fleet">
          <Layout me={me}>
            <Fleet room={null} />
          </Layout>
        </Route>
        <Route>
          <Layout me={me}>
            <NotFound />
          </Layout>
        </Route>
      </Switch>
    </Suspense>
  );
}

/** For tokens that are limited to one room. */
function SingleRoom({ me, room }: { me: Myself; room: string }) {
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
