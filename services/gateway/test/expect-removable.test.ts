import { describe, expect, it, vi } from "vitest";

import { expectRemovable } from "../src/expect-removable.ts";
import type { GatewayDeps } from "../src/gateway-deps.ts";

const remove = (id?: string) => ({ type: "remove", ...(id !== undefined && { id }) });

function check(messages: unknown, head: string | null = "checkpoint") {
  const newestHead = vi.fn(async () => head);
  const readState = async () => ({ values: { messages: [{ type: "human", id: "h1", content: "go" }] } });
  const deps = { runs: { newestHead }, readState } as unknown as Pick<GatewayDeps, "runs" | "readState">;
  return { newestHead, done: expectRemovable(deps, "thread", { messages }) };
}

describe("messages of a run's input that remove others", () => {
  it.each([
    ["one of the thread", [remove("h1")]],
    ["one before it in the input", [{ type: "human", id: "new", content: "a" }, remove("new")]],
    ["all of them", [remove("__remove_all__")]],
  ])("may name %s", async (_what, messages) => {
    await expect(check(messages).done).resolves.toBeUndefined();
  });

  it.each([
    ["an id that the thread does not have", ["hi", remove("gone")], "input.messages.1.id"],
    ["no id", [remove()], "input.messages.0.id"],
    ["one that comes after it", [remove("new"), { type: "human", id: "new", content: "a" }], "input.messages.0.id"],
    ["an unknown id by their role", { role: "remove", id: "gone" }, "input.messages.0.id"],
  ])("are refused with the field when they name %s", async (_what, messages, path) => {
    await expect(check(messages).done).rejects.toMatchObject({
      code: "invalid_request",
      details: { errors: [{ path, message: expect.stringContaining("must be the id of a message") as string }] },
    });
  });

  it("are refused on a thread that has no messages yet", async () => {
    await expect(check([remove("h1")], null).done).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("cost a look at the thread only where there are any", async () => {
    const { newestHead, done } = check([{ role: "user", content: "hi" }]);
    await done;

    expect(newestHead).not.toHaveBeenCalled();
  });
});
