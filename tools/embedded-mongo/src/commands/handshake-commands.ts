import { Long, ObjectId, Timestamp, UUID } from "bson";

import { MAX_DOCUMENT_BYTES } from "../values/bson-codec.ts";
import type { Document } from "../values/document.ts";
import type { CommandRequest, CommandTable, ServerIdentity } from "./command.ts";

/** The largest message that the server reads, in bytes. */
export const MAX_MESSAGE_BYTES = 48_000_000;

const VERSION = "7.0.0";
const nothing = (): Document => ({});

/** Commands of drivers and tools about the server itself. */
export const HANDSHAKE_COMMANDS: CommandTable = {
  hello,
  ismaster: hello,
  ping: nothing,
  logout: nothing,
  endsessions: nothing,
  refreshsessions: nothing,
  killsessions: nothing,
  getparameter: nothing,
  startsession: () => ({ id: { id: new UUID() }, timeoutMinutes: 30 }),
  connectionstatus: () => ({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } }),
  whatsmyuri: () => ({ you: "127.0.0.1:0" }),
  hostinfo: () => ({ system: {}, os: {}, extra: {} }),
  getlog: () => ({ log: [], totalLinesWritten: 0 }),
  replsetgetstatus: ({ state }) => ({ set: state.identity.replicaSet, myState: 1 }),
  buildinfo: () => ({
    version: VERSION,
    versionArray: [7, 0, 0, 0],
    gitVersion: "embedded",
    bits: 64,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    modules: [],
    storageEngines: [],
  }),
  serverstatus: ({ state }) => serverStatus(state.identity),
};

function hello({ state }: CommandRequest): Document {
  return {
    helloOk: true,
    ismaster: true,
    isWritablePrimary: true,
    ...replicaSetFields(state.identity),
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId: 1,
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
  };
}

function replicaSetFields(identity: ServerIdentity): Document {
  if (identity.replicaSet === undefined) return {};
  const me = identity.address();
  return {
    setName: identity.replicaSet,
    setVersion: 1,
    secondary: false,
    hosts: [me],
    primary: me,
    me,
    electionId: ObjectId.createFromTime(identity.startedAtMs / 1000),
    lastWrite: { lastWriteDate: new Date(), opTime: { ts: new Timestamp({ t: 1, i: 1 }), t: Long.ONE } },
  };
}

function serverStatus(identity: ServerIdentity): Document {
  return {
    host: identity.address(),
    version: VERSION,
    process: "embedded-mongo",
    pid: process.pid,
    uptime: (Date.now() - identity.startedAtMs) / 1000,
    connections: { current: identity.connectionCount() },
    mem: { resident: Math.round(process.memoryUsage.rss() / 1024 / 1024) },
  };
}
