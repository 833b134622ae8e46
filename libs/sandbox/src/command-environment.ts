const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Where programs of the host are looked for. */
export function searchPathOf(environment: Readonly<Record<string, string | undefined>>): string {
  const path = environment["PATH"];
  return path === undefined || path === "" ? SYSTEM_PATH : path;
}

export interface CommandEnvironmentOptions {
  readonly path?: string;
  readonly home: string;
  readonly temporary: string;
  /** Added last; the caller answers for what it hands over. */
  readonly extra: Readonly<Record<string, string>>;
}

/** All that a command sees of an environment: nothing of the service's own is copied. */
export function commandEnvironment(options: CommandEnvironmentOptions): Record<string, string> {
  return {
    PATH: options.path ?? SYSTEM_PATH,
    HOME: options.home,
    TMPDIR: options.temporary,
    LANG: "C.UTF-8",
    TERM: "dumb",
    USER: "antler",
    ...options.extra,
  };
}
