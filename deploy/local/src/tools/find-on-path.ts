import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where servers lie on Debian although a user's path does not name it. */
const systemFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** The first executable file `name` on `searchPath` or among the system's server folders. */
export function findOnPath(name: string, searchPath: string): string | undefined {
  const folders = [...searchPath.split(delimiter).filter((folder) => folder !== ""), ...systemFolders];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Whether `path` is a file that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
