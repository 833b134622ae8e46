import { Readable } from "node:stream";

import { messageOf, Problem } from "@antler/contracts";

import { isSetupError, SetupError } from "../../setup-error.ts";

const answerMs = 60_000;

type Ask = (method: string, path: string, body?: object, signal?: AbortSignal) => Promise<unknown>;

/** Asks a gateway and gives its JSON. A stream as body is sent as a tar archive. */
export function requestJson(url: string): Ask {
  return async (method, path, body, signal = AbortSignal.timeout(answerMs)) => {
    const response = await fetch(`${url}${path}`, { method, signal, ...bodyOf(body) }).catch((error: unknown) =>
      explain(method, path, error, signal),
    );
    const text = await response.text();
    if (!response.ok) throw new SetupError(wordsOf(text, response.status, `${method} ${path}`));
    return text === "" ? undefined : (JSON.parse(text) as unknown);
  };
}

function bodyOf(body: object | undefined): RequestInit {
  if (body === undefined) return {};
  if (!(body instanceof Readable)) {
    return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  }
  // Node needs `duplex` for a body that is a stream; the type of the DOM does not know it.
  const init = { body: Readable.toWeb(body), headers: { "content-type": "application/x-tar" }, duplex: "half" };
  return init as unknown as RequestInit;
}

function explain(method: string, path: string, error: unknown, signal: AbortSignal): never {
  signal.throwIfAborted();
  const cause = (error as Error).cause;
  if (isSetupError(cause)) throw cause;
  throw new SetupError(`The gateway did not answer ${method} ${path}: ${messageOf(cause ?? error)}`, { cause: error });
}

function wordsOf(text: string, status: number, what: string): string {
  const problem = Problem.safeParse(jsonOf(text));
  if (!problem.success) return `${what} was answered with status ${status}: ${text.slice(0, 300)}`;
  const { detail, code, remedy } = problem.data;
  return `${detail} (${code}). ${remedy}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
