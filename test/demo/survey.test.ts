import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { DemoEnd, DemoLine, DemoTask } from "./run-demo.ts";
import { runDemo } from "./run-demo.ts";
import { expectedCounts, writeSurveyWorkspace } from "./survey-workspace.ts";

const workspace = mkdtempSync(join(tmpdir(), "antler-survey-"));
let end: DemoEnd;

beforeAll(async () => {
  writeSurveyWorkspace(workspace);
  end = await runDemo(workspace);
}, 600_000);

afterAll(() => rmSync(workspace, { recursive: true, force: true }));

function lastLine(): DemoLine {
  return JSON.parse(end.lines.at(-1) ?? "") as DemoLine;
}

function overlap(one: DemoTask, other: DemoTask): boolean {
  return (
    Date.parse(one.started_at) < Date.parse(other.finished_at) &&
    Date.parse(other.started_at) < Date.parse(one.finished_at)
  );
}

describe("the demo on a directory of 48 files", () => {
  it("exits 0", () => {
    expect(end.exitCode, end.errors).toBe(0);
  });

  it("says first that the model's words are replayed", () => {
    expect(end.lines.find((line) => line !== "" && !line.startsWith("> "))).toMatch(/replayed/i);
  });

  it("prints the run as one JSON line last", () => {
    expect(lastLine()).toMatchObject({
      run_id: expect.any(String) as string,
      thread_id: expect.any(String) as string,
      status: "success",
      model: expect.stringMatching(/^replayed/) as string,
      lead_pid: expect.any(Number) as number,
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    });
  });

  it("names its files by absolute paths", () => {
    expect([lastLine().counts_path, lastLine().report_path].every(isAbsolute)).toBe(true);
  });

  it("counts the files and lines of the directory", () => {
    expect(JSON.parse(readFileSync(lastLine().counts_path, "utf8"))).toMatchObject(expectedCounts);
  });

  it("shows the same numbers in the report's table", () => {
    const rows = readFileSync(lastLine().report_path, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("|"));

    expect(rows).toContainEqual(expect.stringMatching(/\b48\b.*\b166\b/));
  });

  it("completes three tasks, one by bash and two by general-purpose subagents", () => {
    expect(
      lastLine()
        .tasks.map((task) => `${task.subagent_type} ${task.status}`)
        .toSorted(),
    ).toEqual(["bash completed", "general-purpose completed", "general-purpose completed"]);
  });

  it("tells when each task ran, in UTC, and what it cost", () => {
    for (const task of lastLine().tasks) {
      expect(task.started_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(Date.parse(task.finished_at)).toBeGreaterThanOrEqual(Date.parse(task.started_at));
      expect(task.attempts).toBe(1);
      expect(task.steps).toBeGreaterThan(0);
      expect(task.total_tokens).toBeGreaterThan(0);
    }
  });

  it("runs at least two tasks at the same time", () => {
    const { tasks } = lastLine();
    const pairs = tasks.flatMap((one, index) => tasks.slice(index + 1).map((other) => overlap(one, other)));

    expect(pairs).toContain(true);
  });

  it("runs no task in the lead's process", () => {
    expect(lastLine().tasks.map((task) => task.pid)).not.toContain(lastLine().lead_pid);
  });

  it("spreads the tasks over at least two runner processes", () => {
    expect(new Set(lastLine().tasks.map((task) => task.pid)).size).toBeGreaterThanOrEqual(2);
  });
});
