export { type Bus, type BusHealth, type BusOptions, connectBus } from "./bus.ts";
export type { Delivery } from "./delivery.ts";
export type { PublishedTicket } from "./publisher.ts";
export type { PullTiming } from "./pull.ts";
export type { PullLoop, PullLoopOptions } from "./pull-loop.ts";
export type { SignalHandler, Subscription } from "./signals.ts";
export type { TicketPlace, TicketState } from "./ticket-state.ts";
export type { Exclusive } from "./topology.ts";
export type { TopologyChange } from "./topology-apply.ts";
