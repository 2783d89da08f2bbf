/** The page's one socket: what it joined is joined again, and what it missed is asked for again. */
import type { QueryClient } from "@tanstack/react-query";
import { io, type Socket } from "socket.io-client";
import { type Events, type Handlers, hearing } from "./hearing";

export type Link = "connecting" | "online" | "reconnecting";
type Interest = [event: string, body: Record<string, string>];

export class Live {
  private readonly socket: Socket;
  private readonly interests = new Map<string, { interest: Interest; count: number }>();
  private readonly listeners = new Set<() => void>();
  private link: Link = "connecting";

  constructor(private readonly client: QueryClient) {
    this.socket = io({ transports: ["websocket"], autoConnect: false, reconnectionDelayMax: 3000 });
    this.hear(hearing(client));
    this.socket.on("connect", () => this.connected());
    this.socket.on("disconnect", (reason) => this.disconnected(reason));
    this.socket.on("connect_error", (error) => this.refused(error));
  }

  open(): () => void {
    this.socket.connect();
    return () => {
      this.socket.disconnect();
      this.become("connecting");
    };
  }

  /** Stays interested, through reconnects, until the returned function is called. */
  follow(event: string, body: Record<string, string>, ending?: string): () => void {
    const name = JSON.stringify([event, body]);
    const entry = this.interests.get(name) ?? { interest: [event, body] as Interest, count: 0 };
    entry.count += 1;
    this.interests.set(name, entry);
    if (entry.count === 1) this.say(event, body);
    return () => {
      entry.count -= 1;
      if (entry.count > 0) return;
      this.interests.delete(name);
      if (ending) this.say(ending, body);
    };
  }

  renew(token: string): void {
    this.say("token:renew", { token });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly state = (): Link => this.link;

  private say(event: string, body: Record<string, string>): void {
    if (this.socket.connected) this.socket.emit(event, body);
  }

  private hear(handlers: Handlers): void {
    for (const event of Object.keys(handlers) as (keyof Events)[]) {
      this.socket.on(event, handlers[event] as (items: unknown) => void);
    }
  }

  private connected(): void {
    for (const { interest } of this.interests.values()) this.say(...interest);
    this.become("online");
    void this.client.invalidateQueries();
  }

  private disconnected(reason: string): void {
    if (reason !== "io client disconnect") this.become("reconnecting");
    if (reason === "io server disconnect") setTimeout(() => this.socket.connect(), 1000);
  }

  /** A server that refuses us may not know us any more: the page then asks who it is. */
  private refused(error: Error & { data?: { code?: string } }): void {
    if (this.link === "online") this.become("reconnecting");
    if (error.data?.code === "unauthenticated") void this.client.invalidateQueries({ queryKey: ["me"] });
  }

  private become(link: Link): void {
    this.link = link;
    for (const listener of this.listeners) listener();
  }
}
