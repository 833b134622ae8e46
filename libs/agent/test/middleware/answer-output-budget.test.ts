import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { fairLength } from "../../src/messages/fair-length.ts";
import { createAnswerOutputBudget } from "../../src/middleware/answer-output-budget.ts";
import { createOutputStore } from "../../src/middleware/output-store.ts";

interface Request {
  readonly messages: readonly BaseMessage[];
}
type Wrap = (request: Request, handler: (request: Request) => Promise<Request>) => Promise<Request>;

/** A conversation with one answer whose calls, named by their tools, gave texts of these lengths. */
function resultsOf(...results: readonly (readonly [tool: string, length: number, path?: string])[]): BaseMessage[] {
  const calls = results.map(([name], index) => ({ name, args: {}, id: `c${index}` }));
  const messages = results.map(([name, length, path], index) => {
    const facts = path === undefined ? {} : { additional_kwargs: { antler_output: { path } } };
    return new ToolMessage({ ...{ tool_call_id: `c${index}`, name, content: "x".repeat(length) }, ...facts });
  });
  return [new HumanMessage("go"), new AIMessage({ content: "", tool_calls: calls }), ...messages];
}

function budget() {
  const written = new Map<string, string>();
  const sandbox = { writeFile: async (path: string, text: string) => void written.set(path, text) };
  const outputs = createOutputStore({ sandbox, newId: () => `n${written.size}`, signal: new AbortController().signal });
  const { wrapModelCall } = createAnswerOutputBudget({ answer_max_chars: 10_000 }, outputs);
  const wrap = wrapModelCall as unknown as Wrap;
  const shown = async (messages: readonly BaseMessage[]) =>
    (await wrap({ messages }, (request) => Promise.resolve(request))).messages.filter((message) =>
      ToolMessage.isInstance(message),
    );
  return { written, shown };
}

describe("the results of one answer together", () => {
  it("stand as they are while they fit", async () => {
    const messages = resultsOf(["bash", 4000], ["bash", 6000]);

    expect(await budget().shown(messages)).toEqual(messages.slice(2));
  });

  it("lose of the longest first, which are stored once however often they are shown", async () => {
    const { written, shown } = budget();
    const messages = resultsOf(["ls", 2000], ["bash", 9000], ["grep", 7000]);
    await shown(messages);
    const [short, long, second] = await shown(messages);

    expect(short?.text).toBe("x".repeat(2000));
    expect(long?.text).toMatch(
      /^x{2666}\n\.\.\. \[5000 of 9000 characters left out; all of it is in (\S+): use read_file/,
    );
    expect(second?.text).toContain("3000 of 7000 characters left out");
    expect([...written.values()].map((text) => text.length).sort()).toEqual([7000, 9000]);
    expect(messages[3]?.text).toBe("x".repeat(9000));
  });

  it("are not stored a second time", async () => {
    const { written, shown } = budget();
    const [stored, read] = await shown(resultsOf(["bash", 9000, "/kept.txt"], ["read_file", 9000]));

    expect(stored?.text).toContain("all of it is in /kept.txt: use read_file");
    expect(read?.text).toContain("4000 of 9000 characters left out] ...");
    expect(written.size).toBe(0);
  });

  it("are counted for each answer by itself", async () => {
    const messages = [...resultsOf(["bash", 9000]), ...resultsOf(["bash", 9000])];

    expect((await budget().shown(messages)).map(({ text }) => text.length)).toEqual([9000, 9000]);
  });
});

describe("fairLength", () => {
  it.each([
    [[], 5, Infinity],
    [[2, 3], 5, Infinity],
    [[2, 4], 5, 3],
    [[1, 9, 9], 9, 4],
    [[9, 9], 0, 0],
    [[9], -1, 0],
  ])("of %j in %i is %d", (lengths, room, expected) => {
    expect(fairLength(lengths, room)).toBe(expected);
  });
});
