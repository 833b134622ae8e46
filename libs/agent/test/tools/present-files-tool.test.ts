import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { calls, inOrder, says, startModelServer, toolNames } from "../../../../test/harness/model-server.ts";
import { aConfig, openWorkspaces, type TestWorkspaces } from "../support/executions.ts";
import { startLead } from "../support/lead-runs.ts";
import { savedMessages } from "../support/messages.ts";

const OUTPUTS = "/mnt/user-data/outputs";
const config = aConfig("http://127.0.0.1:9/v1");

let opened: TestWorkspaces;

beforeAll(async () => {
  opened = await openWorkspaces(config);
});
afterAll(() => opened[Symbol.asyncDispose]());

const bash = (command: string) => ({ name: "bash", args: { description: "prepare", command }, id: "b1" });
const present = (id: string, ...filepaths: string[]) => ({ name: "present_files", args: { filepaths }, id });

const PREPARE = [
  `cd ${OUTPUTS}`,
  "echo a > a.txt",
  "mkdir -p sub .tool-results",
  "echo b > sub/b.txt",
  "echo t > .tool-results/t.txt",
  "ln -s a.txt link.txt",
  "ln -s sub linked",
  "echo w > ../workspace/w.txt",
].join(" && ");

/** The artifacts of a thread whose lead presents files, and what the calls answered. */
async function presented(...presentations: ReturnType<typeof present>[]) {
  await using server = await startModelServer(inOrder(calls(bash(PREPARE)), calls(...presentations), says("Done")));
  const { outcome, saver, run } = startLead({ config: aConfig(server.baseUrl), ...opened });
  expect(await outcome).toMatchObject({ status: "success" });
  const tuple = await saver.getTuple({ configurable: { thread_id: run.thread_id, checkpoint_ns: "" } });
  const messages = await savedMessages(saver, run.thread_id);
  const answers = messages.filter(({ type }) => type === "tool").slice(1);
  return { artifacts: tuple?.checkpoint.channel_values["artifacts"], answers: answers.map(({ content }) => content) };
}

describe("present_files", () => {
  it("makes artifacts of files under the outputs, each once", async () => {
    const { artifacts, answers } = await presented(
      present("p1", `${OUTPUTS}/a.txt`, `${OUTPUTS}//sub/./b.txt`),
      present("p2", `${OUTPUTS}/a.txt`),
    );
    expect(artifacts).toEqual([`${OUTPUTS}/a.txt`, `${OUTPUTS}/sub/b.txt`]);
    expect(answers).toEqual(Array(2).fill("Successfully presented files"));
  });

  it.each([
    ["another directory", "/mnt/user-data/workspace/w.txt", "is not under /mnt/user-data/outputs"],
    ["a relative path", "outputs/a.txt", "is not under /mnt/user-data/outputs"],
    ["a directory that begins alike", "/mnt/user-data/outputs-evil/a.txt", "is not under"],
    ["a path that climbs out", `${OUTPUTS}/../workspace/w.txt`, ".."],
    ["the outputs themselves", OUTPUTS, "is not under"],
    ["a directory", `${OUTPUTS}/sub`, "is a directory"],
    ["a link", `${OUTPUTS}/link.txt`, "is a link"],
    ["a file behind a linked directory", `${OUTPUTS}/linked/b.txt`, "is a link"],
    ["kept tool output", `${OUTPUTS}/.tool-results/t.txt`, "kept tool output"],
    ["a file that is not there", `${OUTPUTS}/none.txt`, "does not exist"],
  ])("refuses %s by its path and presents nothing of the call", async (_case, path, reason) => {
    const { artifacts, answers } = await presented(present("p1", `${OUTPUTS}/a.txt`, path));
    expect(artifacts ?? []).toEqual([]);
    expect(answers[0]).toContain(reason);
    expect(answers[0]).toContain(path);
  });
});

describe("write_todos", () => {
  it("keeps the last list of the lead in the thread's state, under one system message", async () => {
    const todos = (id: string, content: string) => ({
      name: "write_todos",
      args: { todos: [{ content, status: "in_progress" }] },
      id,
    });
    await using server = await startModelServer(inOrder(calls(todos("t1", "a"), todos("t2", "b")), says("Done")));
    const { outcome, saver, run } = startLead({ config: aConfig(server.baseUrl), ...opened });
    expect(await outcome).toMatchObject({ status: "success" });

    const tuple = await saver.getTuple({ configurable: { thread_id: run.thread_id, checkpoint_ns: "" } });
    expect(tuple?.checkpoint.channel_values["todos"]).toEqual([{ content: "b", status: "in_progress" }]);
    for (const request of server.requests) {
      expect(request.messages.filter(({ role }) => role === "system")).toHaveLength(1);
      expect(JSON.stringify(request.messages[0]?.content)).toContain("write_todos");
      expect(toolNames(request)).toEqual(
        expect.arrayContaining(["write_todos", "ask_clarification", "present_files", "web_fetch"]),
      );
    }
  });
});
