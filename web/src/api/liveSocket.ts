/** The page's only socket. After a reconnect it subscribes again and refetches everything it may have missed. */
import type { QueryClient } from "@tanstack/react-query";
import { io, type Socket } from "socket.io-client";
import { type Events, eventHandlers, type Handlers } from "./eventHandlers";
import { mounted } from "./mount";
import { viewToken } from "./viewToken";

export type ConnectionState = "connecting" | "online" | "reconnecting";
type Body = Record<string, string>;

const REPLY_TIMEOUT_MS = 10_000;

/** Sent again on every connect. After `onReply`, no event is missed. */
interface Subscription {
  event: string;
  body: Body;
  onReply: (reply: unknown) => void;
}

export class LiveSocket {
  private readonly socket: Socket;
  private readonly subscriptions = new Set<Subscription>();
  private readonly listeners = new Set<() => void>();
  private state: ConnectionState = "connecting";

  constructor(private readonly client: QueryClient) {
    this.socket = io({
      path: mounted("/socket.io"),
      transports: ["websocket"],
      autoConnect: false,
      reconnectionDelayMax: 3000,
      auth: (send) => send({ token: viewToken() ?? undefined }),
    });
    this.handle(eventHandlers(client));
    this.socket.on("connect", () => void this.onConnect());
    this.socket.on("disconnect", (reason) => this.onDisconnect(reason));
    this.socket.on("connect_error", (error) => this.onConnectError(error));
  }

  open(): () => void {
    this.socket.connect();
    return () => {
      this.socket.disconnect();
      this.setState("connecting");
    };
  }

  /** Subscribes, through reconnects, until the returned function is called. */
  keepSubscribed(subscription: Subscription, endEvent?: string): () => void {
    this.subscriptions.add(subscription);
    void this.subscribe(subscription);
    return () => {
      this.subscriptions.delete(subscription);
      if (endEvent && !this.isSubscribed(subscription)) this.send(endEvent, subscription.body);
    };
  }

  readonly listen = (event: string, listener: (items: unknown) => void): (() => void) => {
    this.socket.on(event, listener);
    return () => this.socket.off(event, listener);
  };

  renew(token: string): void {
    this.send("token:renew", { token });
  }

  readonly onStateChange = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getState = (): ConnectionState => this.state;

  private isSubscribed({ event, body }: Subscription): boolean {
    const isSame = (other: Subscription) =>
      other.event === event && String(Object.values(other.body)) === String(Object.values(body));
    return [...this.subscriptions].some(isSame);
  }

  private send(event: string, body: Body): void {
    if (this.socket.connected) this.socket.emit(event, body);
  }

  private async subscribe({ event, body, onReply }: Subscription): Promise<void> {
    if (!this.socket.connected) return;
    const reply = await this.socket
      .timeout(REPLY_TIMEOUT_MS)
      .emitWithAck(event, body)
      .catch(() => null);
    if (reply !== null) onReply(reply);
  }

  private handle(handlers: Handlers): void {
    for (const event of Object.keys(handlers) as (keyof Events)[]) {
      this.socket.on(event, handlers[event] as (items: unknown) => void);
    }
  }

  /** Everything is refetched only after the subscriptions are back, so that no change falls in between. */
  private async onConnect(): Promise<void> {
    this.setState("online");
    await Promise.all([...this.subscriptions].map((subscription) => this.subscribe(subscription)));
    void this.client.invalidateQueries();
  }

  private onDisconnect(reason: string): void {
    if (reason !== "io client disconnect") this.setState("reconnecting");
    if (reason === "io server disconnect") setTimeout(() => this.socket.connect(), 1000);
  }

  /** If the token is no longer valid, reading `me` again leads to the login. */
  private onConnectError(error: Error & { data?: { code?: string } }): void {
    if (this.state === "online") this.setState("reconnecting");
    if (error.data?.code === "unauthenticated") void this.client.invalidateQueries({ queryKey: ["me"] });
  }

  private setState(state: ConnectionState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}
