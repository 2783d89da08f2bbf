import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { api, got } from "./client";
import { type Link, Live } from "./live";
import type { Principal } from "./schema";

const Context = createContext<Live | null>(null);
const RENEW_SHARE = 0.5;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Connects whoever is inside, and keeps their token fresh. */
export function LiveProvider({ me, children }: { me: Principal; children: ReactNode }) {
  const client = useQueryClient();
  const [live] = useState(() => new Live(client));
  useEffect(() => live.open(), [live]);
  useRenewal(live, me);
  return <Context value={live}>{children}</Context>;
}

function useLive(): Live {
  const live = useContext(Context);
  if (!live) throw new Error("nobody is inside yet");
  return live;
}

export function useLink(): Link {
  const live = useLive();
  return useSyncExternalStore(live.subscribe, live.state);
}

/** Has the server answered that it lets us into the room, or that it does not? */
export function useRoomEvents(room: string): boolean {
  const live = useLive();
  const client = useQueryClient();
  const [isAnswered, setAnswered] = useState(false);
  useEffect(() => {
    const onAnswer = () => {
      setAnswered(true);
      void askAgain(client, room);
    };
    return live.follow({ event: "room:join", body: { room }, onAnswer }, "room:leave");
  }, [live, client, room]);
  return isAnswered;
}

export function useJobEvents(jobId: string): void {
  const live = useLive();
  const client = useQueryClient();
  useEffect(() => {
    const onAnswer = () => void askAgain(client, jobId);
    return live.follow({ event: "job:watch", body: { job_id: jobId }, onAnswer }, "job:unwatch");
  }, [live, client, jobId]);
}

/** What was asked before the server let us hear of a room or a job may tell of the time before. */
async function askAgain(client: QueryClient, of: string): Promise<void> {
  const queries = { predicate: ({ queryKey }: Query) => queryKey[1] === of };
  await client.cancelQueries(queries);
  await client.invalidateQueries(queries);
}

export function useFleetEvents(): void {
  const live = useLive();
  useEffect(() => live.follow({ event: "fleet:watch", body: {}, onAnswer: () => {} }), [live]);
}

function useRenewal(live: Live, me: Principal): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!me.expires_at) return;
    const left = Date.parse(me.expires_at) - Date.now();
    const renew = async () => {
      const { token, ...renewed } = await got(api.POST("/api/token/renew"));
      live.renew(token);
      client.setQueryData(["me"], renewed);
    };
    const timer = setTimeout(
      () => void renew().catch(() => client.invalidateQueries({ queryKey: ["me"] })),
      Math.min(Math.max(left * RENEW_SHARE, 1000), LONGEST_TIMER_MS),
    );
    return () => clearTimeout(timer);
  }, [live, me, client]);
}
