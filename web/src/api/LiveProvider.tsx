import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { api, dataOf } from "./client";
import { type ConnectionState, LiveSocket } from "./liveSocket";
import type { Myself } from "./schema";
import { renewViewToken } from "./viewToken";

const Context = createContext<LiveSocket | null>(null);
const RENEW_AT_FRACTION = 0.5;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Holds the socket of the logged-in user and renews their token. */
export function LiveProvider({ me, children }: { me: Myself; children: ReactNode }) {
  const client = useQueryClient();
  const [socket] = useState(() => new LiveSocket(client));
  useEffect(() => socket.open(), [socket]);
  useTokenRenewal(socket, me);
  return <Context value={socket}>{children}</Context>;
}

function useSocket(): LiveSocket {
  const socket = useContext(Context);
  if (!socket) throw new Error("LiveProvider is missing");
  return socket;
}

export function useConnection(): ConnectionState {
  const socket = useSocket();
  return useSyncExternalStore(socket.onStateChange, socket.getState);
}

/** Calls a listener with the items of an event, until the returned function is called. */
export function useSocketEvents(): LiveSocket["listen"] {
  return useSocket().listen;
}

/** Joins the room. Returns whether the server has replied, be it with a yes or a no. */
export function useRoomEvents(room: string): boolean {
  const socket = useSocket();
  const client = useQueryClient();
  const [hasReply, setHasReply] = useState(false);
  useEffect(() => {
    const onReply = () => {
      setHasReply(true);
      void refetchAbout(client, room);
    };
    return socket.keepSubscribed({ event: "room:join", body: { room }, onReply }, "room:leave");
  }, [socket, client, room]);
  return hasReply;
}

export function useJobEvents(jobId: string): void {
  const socket = useSocket();
  const client = useQueryClient();
  useEffect(() => {
    const onReply = () => void refetchAbout(client, jobId);
    return socket.keepSubscribed({ event: "job:watch", body: { job_id: jobId }, onReply }, "job:unwatch");
  }, [socket, client, jobId]);
}

/** Responses from before the subscription may be out of date, so everything about its subject is read again. */
async function refetchAbout(client: QueryClient, subject: string): Promise<void> {
  const queries = { predicate: ({ queryKey }: Query) => queryKey[1] === subject };
  await client.cancelQueries(queries);
  await client.invalidateQueries(queries);
}

export function useFleetEvents(): void {
  const socket = useSocket();
  useEffect(() => socket.keepSubscribed({ event: "fleet:watch", body: {}, onReply: () => {} }), [socket]);
}

function useTokenRenewal(socket: LiveSocket, me: Myself): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!me.expires_at) return;
    const left = Date.parse(me.expires_at) - Date.now();
    const renew = async () => {
      const { token, ...renewed } = await dataOf(api.POST("/api/token/renew"));
      renewViewToken(token);
      socket.renew(token);
      client.setQueryData(["me"], renewed);
    };
    const timer = setTimeout(
      () => void renew().catch(() => client.invalidateQueries({ queryKey: ["me"] })),
      Math.min(Math.max(left * RENEW_AT_FRACTION, 1000), MAX_TIMER_MS),
    );
    return () => clearTimeout(timer);
  }, [socket, me, client]);
}
