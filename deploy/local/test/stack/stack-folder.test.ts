import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { processStart } from "../../folder-lock.mjs";
import { layOut, openFolder, type StackFolder } from "../../src/stack/stack-folder.ts";

let folder: StackFolder;

beforeEach(() => {
  folder = layOut(mkdtempSync(join(tmpdir(), "antler-folder-")));
});

afterEach(() => rmSync(folder.root, { recursive: true, force: true }));

function writeLock(holder: object): void {
  writeFileSync(join(folder.root, "stack.lock"), JSON.stringify(holder));
}

describe("openFolder", () => {
  it("makes the subfolders and writes the format", () => {
    const lock = openFolder(folder);

    expect([folder.nats, folder.store, folder.workspaces, folder.logs].every(existsSync)).toBe(true);
    expect(readFileSync(join(folder.root, "format"), "utf8")).toBe("1\n");
    lock.release();
  });

  it("continues with the data of an earlier start", () => {
    openFolder(folder).release();
    writeFileSync(join(folder.store, "data"), "kept");

    openFolder(folder).release();

    expect(readFileSync(join(folder.store, "data"), "utf8")).toBe("kept");
  });

  it("names the pid and URL of a stack that runs there", () => {
    openFolder(folder).describe({ url: "http://127.0.0.1:4711" });

    expect(() => openFolder(folder)).toThrow(`at http://127.0.0.1:4711 (pid ${process.pid})`);
  });

  it("takes over the lock of a process that is gone", () => {
    const { pid } = spawnSync("true");
    writeLock({ pid, started: "1" });

    expect(() => openFolder(folder).release()).not.toThrow();
  });

  it("takes over the lock of a process whose pid another process has now", () => {
    writeLock({ pid: process.pid, started: `${processStart(process.pid) ?? ""}0` });

    expect(() => openFolder(folder).release()).not.toThrow();
  });

  it.each([
    ["an older", () => writeFileSync(join(folder.root, "format"), "0\n"), "format 0"],
    ["a newer", () => writeFileSync(join(folder.root, "format"), "2\n"), "format 2"],
    ["an unknown", () => mkdirSync(folder.store), "format unknown"],
  ])("refuses %s format with the remedy and lets go of the folder", (_, arrange, found) => {
    arrange();

    expect(() => openFolder(folder)).toThrow(found);
    expect(() => openFolder(folder)).toThrow("npm run clean");
  });
});
