import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawRequest {
  readonly port: number;
  readonly path: string;
  readonly method?: "GET" | "POST";
  readonly body?: object;
  readonly lastEventId?: string;
}

/** Asks over a socket of its own, whose answer is not read until somebody does. */
export async function openRawStream({ port, path, method = "GET", body, lastEventId }: RawRequest): Promise<Socket> {
  const payload = body === undefined ? "" : JSON.stringify(body);
  const socket = connect(port, "127.0.0.1").on("error", () => socket.destroy());
  await once(socket, "connect");
  const resumed = lastEventId === undefined ? [] : [`last-event-id: ${lastEventId}`];
  const head = [`${method} ${path} HTTP/1.1`, "host: x", "content-type: application/json", ...resumed];
  socket.write([...head, `content-length: ${Buffer.byteLength(payload)}`, "", payload].join("\r\n"));
  return socket;
}

/** Longer than the line with the id at the end of a frame. */
const ID_LINE_MAX = 64;

/** Reads what is left of a stream, and gives the ids of the frames that are whole. */
export async function idsLeftIn(socket: Socket): Promise<string[]> {
  const ids: string[] = [];
  let rest = "";
  for await (const piece of socket.setEncoding("utf8") as AsyncIterable<string>) {
    const frames = `${rest}${piece}`.split(/\nid: (\d+)\n\n/);
    ids.push(...frames.filter((_, index) => index % 2 === 1));
    rest = (frames.at(-1) ?? "").slice(-ID_LINE_MAX);
  }
  return ids;
}
