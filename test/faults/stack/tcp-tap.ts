import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

import { delay } from "@antler/platform";

/** Both ends of a client's connection to the tap; together they name one socket. */
export interface ClientPorts {
  readonly clientPort: number;
  readonly tapPort: number;
}

/** A piece of a client's request that was stopped on its way. */
export interface HeldPiece extends ClientPorts {
  /** Lets it pass. */
  forward(): void;
  /** Lets it pass, and nothing that the server answers on this connection. */
  forwardWithoutReply(): void;
  /** Cuts the connection; the server never sees it. */
  drop(): void;
}

/** A TCP proxy on a loopback port between the services and a server, where faults of the wire are made. */
export interface TcpTap {
  readonly port: number;
  /** Holds the next piece that contains all of the words; others pass. */
  hold(...words: readonly string[]): Promise<HeldPiece>;
  /** Cuts all connections and refuses new ones until `accept`. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  /** Delays everything that the clients send. */
  slow(delayMs: number): void;
  /** Takes nothing more from the server until `flow`, as a client does that is too busy to read. */
  stall(): void;
  flow(): void;
  close(): Promise<void>;
}

interface Trap {
  readonly words: readonly string[];
  readonly spring: (piece: HeldPiece) => void;
}

type Verdict = "forward" | "mute" | "drop";

export async function startTcpTap(targetPort: number): Promise<TcpTap> {
  const sockets = new Set<Socket>();
  const servers = new Set<Socket>();
  const traps = new Set<Trap>();
  const pace = { delayMs: 0 };
  const serve = (client: Socket) => {
    const server = connect(targetPort, "127.0.0.1");
    servers.add(server);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        servers.delete(server);
        client.destroy();
        server.destroy();
      });
    }
    relay({ client, server, traps, pace });
  };
  const listener = createServer(serve);
  const port = await listen(listener, 0);
  const refuse = async () => {
    const closed = once(listener, "close");
    listener.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    hold: (...words) => new Promise((resolve) => traps.add({ words, spring: resolve })),
    refuse,
    async accept() {
      await listen(listener, port);
    },
    stall: () => servers.forEach((server) => server.pause()),
    flow: () => servers.forEach((server) => server.resume()),
    slow(delayMs) {
      pace.delayMs = delayMs;
    },
    async close() {
      if (listener.listening) await refuse();
    },
  };
}

async function listen(listener: Server, port: number): Promise<number> {
  listener.listen(port, "127.0.0.1");
  await once(listener, "listening");
  return (listener.address() as AddressInfo).port;
}

interface Relay {
  readonly client: Socket;
  readonly server: Socket;
  readonly traps: Set<Trap>;
  readonly pace: { readonly delayMs: number };
}

/** Passes pieces on in their order; one that is held holds those after it. */
function relay({ client, server, traps, pace }: Relay): void {
  const ports = { clientPort: client.remotePort ?? 0, tapPort: client.localPort ?? 0 };
  let isMuted = false;
  let last: Promise<void> = Promise.resolve();
  const passOn = async (piece: Buffer): Promise<void> => {
    if (pace.delayMs > 0) await delay(pace.delayMs);
    const verdict = await verdictOn(piece, traps, ports);
    if (verdict === "drop") client.destroy();
    isMuted ||= verdict === "mute";
    if (verdict !== "drop" && !server.destroyed) server.write(piece);
  };
  client.on("data", (piece: Buffer) => {
    last = last.then(() => passOn(piece));
  });
  server.on("data", (piece: Buffer) => {
    if (!isMuted && !client.destroyed) client.write(piece);
  });
}

async function verdictOn(piece: Buffer, traps: Set<Trap>, ports: ClientPorts): Promise<Verdict> {
  if (traps.size === 0) return "forward";
  const text = piece.toString("latin1");
  const trap = [...traps].find(({ words }) => words.every((word) => text.includes(word)));
  if (trap === undefined) return "forward";
  traps.delete(trap);
  return new Promise((resolve) => {
    trap.spring({
      ...ports,
      forward: () => resolve("forward"),
      forwardWithoutReply: () => resolve("mute"),
      drop: () => resolve("drop"),
    });
  });
}
