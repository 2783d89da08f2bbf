import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { queries } from "@/api/queries";
import { assignColours } from "./personColours";

/** The colours of the people here, in the order of their arrival, and then of `others`. */
export function usePersonColours(room: string, others = ""): (user: string) => string {
  const { data: people } = useQuery(queries.presence(room));
  return useMemo(() => {
    const away = others.split(" ").filter(Boolean).sort();
    const colours = assignColours([...(people ?? []).map(({ user }) => user), ...away]);
    return (user) => colours.get(user) ?? (assignColours([user]).get(user) as string);
  }, [people, others]);
}
