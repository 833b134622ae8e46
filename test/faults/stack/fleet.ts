import { type ServiceName, type ServiceProcess, startService } from "../../harness/service-process.ts";

/** The services of a stack, each a process of its own. */
export interface Fleet {
  /** Those that live, in the order of their start. */
  of(name: ServiceName): readonly ServiceProcess[];
  byPid(pid: number | undefined): ServiceProcess;
  /** Ends one with SIGKILL and waits until it is gone. */
  kill(service: ServiceProcess): Promise<void>;
  /** Starts what is missing. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

export type FleetSize = Readonly<Record<ServiceName, number>>;

/** What only this service has in its environment, by how many of its kind were started before it. */
export type OwnEnvironment = (name: ServiceName, place: number) => NodeJS.ProcessEnv;

export async function startFleet(
  size: FleetSize,
  environment: NodeJS.ProcessEnv,
  own: OwnEnvironment = () => ({}),
): Promise<Fleet> {
  const living: ServiceProcess[] = [];
  const started: Record<ServiceName, number> = { gateway: 0, "lead-runner": 0, "subagent-runner": 0 };
  const of = (name: ServiceName) => living.filter((service) => service.name === name);
  const remove = (service: ServiceProcess) => {
    const index = living.indexOf(service);
    if (index !== -1) living.splice(index, 1);
  };
  const start = async (name: ServiceName) => {
    const service = await startService(name, { ...environment, ...own(name, started[name]++) });
    void service.exited.then(() => remove(service));
    living.push(service);
  };
  const kill = async (service: ServiceProcess) => {
    service.kill("SIGKILL");
    await service.exited;
    remove(service);
  };
  const heal = async () => {
    const names = (Object.keys(size) as ServiceName[]).flatMap((name) =>
      Array.from({ length: Math.max(0, size[name] - of(name).length) }, () => name),
    );
    await Promise.all(names.map(start));
  };
  await heal();
  return {
    of,
    byPid(pid) {
      const service = living.find((candidate) => candidate.pid === pid);
      if (service === undefined) throw new Error(`No service has the pid ${pid ?? "of nobody"}`);
      return service;
    },
    kill,
    heal,
    async stop() {
      await Promise.all([...living].map(kill));
    },
  };
}
