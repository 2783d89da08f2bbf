import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useFleetEvents } from "@/api/LiveProvider";
import { queries } from "@/api/queries";
import { FleetView } from "./FleetView";
import { STATS_JOBS } from "./QueueStats";

/** The workers of a room, or without a room all workers (for admins). */
export default function Fleet({ room }: { room: string | null }) {
  return room === null ? <WholeFleet /> : <RoomFleet room={room} />;
}

function RoomFleet({ room }: { room: string }) {
  const { data } = useInfiniteQuery(queries.jobs(room, {}, STATS_JOBS));
  return <FleetView room={room} jobs={data?.pages[0]?.items} />;
}

function WholeFleet() {
  useFleetEvents();
  const { data } = useQuery(queries.everyJob(STATS_JOBS));
  return <FleetView room={null} jobs={data} />;
}
