import { createServer, Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded into a process with `--expose-gc --import`: answers whoever connects to the socket of MEMORY_PROBE with what
 * the process holds after a collection.
 */
const ROUNDS = 4;
const path = process.env.MEMORY_PROBE;

if (path !== undefined && isMainThread) createServer(answer).listen(path).unref();

function answer(socket) {
  socket.on("error", () => socket.destroy());
  measure().then((measured) => socket.end(JSON.stringify(measured)));
}

async function measure() {
  for (let round = 0; round < ROUNDS; round += 1) {
    globalThis.gc();
    await setImmediate();
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  return { rss, heapUsed, external, timers, peerPorts: peerPorts() };
}

/** The other ends of all connections that are open. */
function peerPorts() {
  const sockets = process._getActiveHandles().filter((handle) => handle instanceof Socket);
  return sockets.map(({ remotePort }) => remotePort).filter((port) => port !== undefined);
}
