import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useFleetEvents } from "@/api/LiveProvider";
import { queries } from "@/api/queries";
import { FleetView } from "./FleetView";
import { PULSE_JOBS } from "./Pulse";

/** The workers of a room, or with no room all of them, for admins. */
export default function Fleet({ room }: { room: string | null }) {
  return room === null ? <WholeFleet /> : <RoomFleet room={room} />;
}

function RoomFleet({ room }: { room: string }) {
  const { data } = useInfiniteQuery(queries.jobs(room, {}, PULSE_JOBS));
  return <FleetView room={room} jobs={data?.pages[0]?.items} />;
}

function WholeFleet() {
  useFleetEvents();
  const { data } = useQuery(queries.everyJob(PULSE_JOBS));
  return <FleetView room={null} jobs={data} />;
}
