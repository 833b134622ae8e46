import { execFile } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

type Args = Readonly<Record<string, string>>;
type Tool = (args: Args) => string | Promise<string>;

const execute = promisify(execFile);

const virtualWorkspace = "/mnt/user-data/workspace";
const virtualOutputs = "/mnt/user-data/outputs";

/** Simple tools over a folder with `workspace` and `outputs`, in the place of the sandbox's. */
export function toolsOver(folder: string): Readonly<Record<string, Tool>> {
  mkdirSync(join(folder, "outputs"), { recursive: true });
  const toHost = (text: string): string =>
    text.replaceAll(virtualWorkspace, join(folder, "workspace")).replaceAll(virtualOutputs, join(folder, "outputs"));
  return {
    bash: async ({ command = "" }) => (await execute("sh", ["-c", toHost(command)])).stdout,
    ls: ({ path = "" }) => readdirSync(toHost(path)).join("\n"),
    glob: ({ pattern = "", path = "" }) =>
      globSync(pattern, { cwd: toHost(path) })
        .map((name) => `${path}/${name}`)
        .join("\n"),
    grep: () => "No matches found",
    read_file: ({ path = "" }) => readFileSync(toHost(path), "utf8"),
    write_file: ({ path = "", content = "" }) => {
      writeFileSync(toHost(path), content);
      return "OK";
    },
  };
}
