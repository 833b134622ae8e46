import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { withDeadline } from "@antler/platform";

const ANSWER_LIMIT_MS = 10_000;

/** Publishes a text as it is, the way a program that knows nothing of tickets would. Resolves when the server has it. */
export async function publishRaw(port: number, subject: string, text: string): Promise<void> {
  await speak(port, `PUB ${subject} ${Buffer.byteLength(text)}\r\n${text}\r\nPING\r\n`, /PONG\r\n/);
}

interface ConsumerInfo {
  readonly num_ack_pending: number;
  readonly delivered: { readonly consumer_seq: number };
}

/** How many messages of a durable are delivered and not acknowledged. */
export async function countUnacknowledged(port: number, stream: string, durable: string): Promise<number> {
  return (await consumerInfo(port, stream, durable)).num_ack_pending;
}

/** How often a durable has delivered anything. */
export async function countDeliveries(port: number, stream: string, durable: string): Promise<number> {
  return (await consumerInfo(port, stream, durable)).delivered.consumer_seq;
}

async function consumerInfo(port: number, stream: string, durable: string): Promise<ConsumerInfo> {
  const request = `SUB answer 1\r\nPUB $JS.API.CONSUMER.INFO.${stream}.${durable} answer 0\r\n\r\n`;
  const [, body = "{}"] = await speak(port, request, /MSG answer 1 \d+\r\n(\{.*\})\r\n/s);
  return JSON.parse(body) as ConsumerInfo;
}

/** Says something in the server's text protocol on a connection of its own, and waits for what matches. */
async function speak(port: number, words: string, expected: RegExp): Promise<RegExpExecArray> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    socket.write(`CONNECT {"verbose":false,"pedantic":false}\r\n${words}`);
    return await withDeadline(() => heard(socket, expected), ANSWER_LIMIT_MS);
  } finally {
    socket.destroy();
  }
}

async function heard(socket: Socket, expected: RegExp): Promise<RegExpExecArray> {
  let text = "";
  for await (const piece of socket.setEncoding("utf8") as AsyncIterable<string>) {
    text += piece;
    const match = expected.exec(text);
    if (match !== null) return match;
  }
  throw new Error(`The server closed the connection after: ${text}`);
}
