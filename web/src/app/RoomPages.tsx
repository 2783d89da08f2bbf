import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { Route, Switch } from "wouter";
import { useRoomEvents } from "@/api/LiveProvider";
import { hasCode } from "@/api/problem";
import { queries } from "@/api/queries";
import type { Myself } from "@/api/schema";
import { ErrorMessage } from "@/components/ErrorMessage";
import { Loading } from "@/components/Loading";
import { NotFound } from "@/components/NotFound";
import { WhenIdle } from "@/components/WhenIdle";
import { PackLinks } from "@/features/packs/PackLinks";
import { RoomNotFound } from "@/features/rooms/RoomNotFound";
import { ToolList } from "@/features/tools/ToolList";
import { DevProblem } from "./DevProblem";
import { Layout } from "./Layout";
import { JobQuestions, RoomQuestions } from "./Questions";
import { RoomHome, ToolsPage } from "./RoomHome";
import { RoomLinks } from "./RoomLinks";
import { useAppearance } from "./useAppearance";

const Data = lazy(() => import("@/features/data/Data"));
const FileDrop = lazy(() => import("@/features/drop/FileDrop").catch(() => ({ default: () => <></> })));
const Fleet = lazy(() => import("@/features/fleet/Fleet"));
const GroupPage = lazy(() => import("@/features/groups/GroupPage"));
const Groups = lazy(() => import("@/features/groups/Groups"));
const History = lazy(() => import("@/features/history/History"));
const JobPage = lazy(() => import("@/features/job/JobPage"));
const PackView = lazy(() => import("@/features/packs/PackView"));
const RunPage = lazy(() => import("./RunPage"));
const StudioPage = lazy(() => import("./StudioPage"));
const ViewPage = lazy(() => import("./ViewPage"));

/** The pages of one room; paths are relative to it. Creating the room remounts them, so that everything is refetched. */
export function RoomPages({ me, room }: { me: Myself; room: string }) {
  const [mount, setMount] = useState(0);
  return <RoomRoutes key={mount} me={me} room={room} onCreated={() => setMount(mount + 1)} />;
}

function RoomRoutes({ me, room, onCreated }: { me: Myself; room: string; onCreated: () => void }) {
  const hasJoined = useRoomEvents(room);
  useAppearance(room);
  // An error from before the join is not final: the room is read again after it.
  const found = useQuery({ ...queries.room(room), retryOnMount: false });
  if (found.isError)
    return (
      <Layout me={me}>
        {!hasJoined ? (
          <Loading />
        ) : hasCode(found.error, "room_not_found") ? (
          <RoomNotFound room={room} mayCreate={!me.room} onCreated={onCreated} />
        ) : (
          <ErrorMessage error={found.error} retry={found.refetch} />
        )}
      </Layout>
    );
  return (
    <Layout
      me={me}
      room={found.data ?? { name: room, title: "" }}
      side={
        <>
          <RoomLinks room={room} />
          <PackLinks />
          <ToolList room={room} />
        </>
      }
    >
      <WhenIdle>
        <FileDrop room={room} />
      </WhenIdle>
      <DevProblem room={room} />
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/">
            <RoomQuestions room={room} />
            <RoomHome room={room} />
          </Route>
          <Route path="/tools">
            <RoomQuestions room={room} />
            <ToolsPage room={room} />
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
          <Route path="/view">
            <ViewPage room={room} me={me.user} />
          </Route>
          <Route path="/history">
            <History room={room} />
          </Route>
          <Route path="/jobs/:id">
            {({ id }) => <JobPage key={id} id={id} questions={<JobQuestions id={id} />} />}
          </Route>
          <Route path="/groups">
            <Groups room={room} />
          </Route>
          <Route path="/groups/:id">{({ id }) => <GroupPage key={id} room={room} id={id} />}</Route>
          <Route path="/data">
            <Data room={room} />
          </Route>
          <Route path="/fleet">
            <Fleet room={room} />
          </Route>
          <Route path="/view/media/studio">
            <StudioPage key={room} room={room} user={me.user} />
          </Route>
          <Route path="/view/:pack/:name">
            {({ pack, name }) => <PackView room={room} user={me.user} pack={pack} name={name} />}
          </Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Suspense>
    </Layout>
  );
}
