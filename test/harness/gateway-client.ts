import { EventSourceParserStream } from "eventsource-parser/stream";

/** One frame of a run's event stream. */
export interface Frame {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

export interface RunIds {
  readonly threadId: string;
  readonly runId: string;
}

/** A plain client of the HTTP API, as any program would write one. */
export interface GatewayClient {
  post(path: string, body?: object): Promise<{ status: number; body: unknown }>;
  get<T>(path: string): Promise<T>;
  startRun(body?: object): Promise<RunIds>;
  /** Frames as they arrive, from after `lastEventId`; ends with the stream. */
  stream(ids: RunIds, options?: { lastEventId?: string; signal?: AbortSignal }): AsyncGenerator<Frame>;
  /** The run's row as the API shows it, once it has ended. */
  join(ids: RunIds): Promise<unknown>;
}

const RUN_BODY = { assistant_id: "lead", input: { messages: [{ role: "user", content: "Survey the workspace." }] } };

export function gatewayClient(url: string): GatewayClient {
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${url}${path}`);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const post = async (path: string, body: object = {}) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
  };
  return {
    get,
    post,
    async startRun(body = {}) {
      const thread = (await post("/threads")).body as { thread_id: string };
      const created = await post(`/threads/${thread.thread_id}/runs`, { ...RUN_BODY, ...body });
      if (created.status !== 200) throw new Error(`The run was refused: ${JSON.stringify(created.body)}`);
      return { threadId: thread.thread_id, runId: (created.body as { run_id: string }).run_id };
    },
    async *stream({ threadId, runId }, { lastEventId, signal } = {}) {
      const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
      const response = await fetch(`${url}/threads/${threadId}/runs/${runId}/stream`, {
        headers,
        ...(signal !== undefined && { signal }),
      });
      if (response.body === null) return;
      const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      for await (const { event, id, data } of events)
        yield { event: event ?? "message", ...(id !== undefined && { id }), data: JSON.parse(data) as unknown };
    },
    join: ({ threadId, runId }) => get(`/threads/${threadId}/runs/${runId}/join`),
  };
}
