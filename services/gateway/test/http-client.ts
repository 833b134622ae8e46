/** A frame as a client reads it. */
export interface ReceivedFrame {
  readonly event: string;
  readonly data: unknown;
  readonly id?: string;
}

export interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export async function call<Body = Record<string, unknown>>(
  url: string,
  method = "GET",
  body?: unknown,
): Promise<Answer<Body>> {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === "" ? undefined : JSON.parse(text)) as Body,
  };
}

export async function newThread(url: string): Promise<string> {
  const { body } = await call<{ thread_id: string }>(`${url}/threads`, "POST", {});
  return body.thread_id;
}

/** The frames of a stream as they come; comments are frames with the event `:`. */
export async function* framesOf(response: Response): AsyncGenerator<ReceivedFrame, void, undefined> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) yield frameOf(block);
  }
}

function frameOf(block: string): ReceivedFrame {
  if (block.startsWith(":")) return { event: ":", data: block.slice(1).trim() };
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  const [event = "", data = "null", id] = [field("event"), field("data"), field("id")];
  return { event, data: JSON.parse(data) as unknown, ...(id !== undefined && { id }) };
}

export async function collect(response: Response): Promise<ReceivedFrame[]> {
  return Array.fromAsync(framesOf(response));
}

export function post(url: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
}
