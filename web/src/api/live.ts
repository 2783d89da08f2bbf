/** The page's one socket: what it joined is joined again, and what it missed is asked for again. */
import type { QueryClient } from "@tanstack/react-query";
import { io, type Socket } from "socket.io-client";
import { type Events, type Handlers, hearing } from "./hearing";

export type Link = "connecting" | "online" | "reconnecting";
type Body = Record<string, string>;

const ANSWER_MS = 10_000;

/** What is asked for again on every connect. `onAnswer` hears each answer: from there on nothing is missed. */
interface Interest {
  event: string;
  body: Body;
  onAnswer: (answer: unknown) => void;
}

export class Live {
  private readonly socket: Socket;
  private readonly interests = new Set<Interest>();
  private readonly listeners = new Set<() => void>();
  private link: Link = "connecting";

  constructor(private readonly client: QueryClient) {
    this.socket = io({ transports: ["websocket"], autoConnect: false, reconnectionDelayMax: 3000 });
    this.hear(hearing(client));
    this.socket.on("connect", () => void this.connected());
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
  follow(interest: Interest, ending?: string): () => void {
    this.interests.add(interest);
    void this.ask(interest);
    return () => {
      this.interests.delete(interest);
      if (ending && !this.isFollowed(interest)) this.say(ending, interest.body);
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

  private isFollowed({ event, body }: Interest): boolean {
    const isSame = (other: Interest) =>
      other.event === event && String(Object.values(other.body)) === String(Object.values(body));
    return [...this.interests].some(isSame);
  }

  private say(event: string, body: Body): void {
    if (this.socket.connected) this.socket.emit(event, body);
  }

  private async ask({ event, body, onAnswer }: Interest): Promise<void> {
    if (!this.socket.connected) return;
    const answer = await this.socket
      .timeout(ANSWER_MS)
      .emitWithAck(event, body)
      .catch(() => null);
    if (answer !== null) onAnswer(answer);
  }

  private hear(handlers: Handlers): void {
    for (const event of Object.keys(handlers) as (keyof Events)[]) {
      this.socket.on(event, handlers[event] as (items: unknown) => void);
    }
  }

  /** What happened before the server listened to us again is asked for. */
  private async connected(): Promise<void> {
    this.become("online");
    await Promise.all([...this.interests].map((interest) => this.ask(interest)));
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
