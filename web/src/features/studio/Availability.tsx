import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import { availability, inRoom } from "./busyness";
import { GENERATE, media, type Provider } from "./content";
import { useRecent } from "./useRecent";

/** How busy a provider is now, with the orders of all rooms. */
export function Availability({ room, provider }: { room: string; provider: Provider }) {
  const { data: active = [] } = useQuery(queries.active(room, GENERATE));
  const { data: uses } = useQuery(media.uses(room));
  const recent = useRecent(room);
  const here = inRoom(provider.name, provider.concurrency, active);
  const use = uses?.[provider.name] ?? here;
  return <span role="status">{availability(provider.name, use, recent)}</span>;
}
