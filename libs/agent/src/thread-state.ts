import { MessagesValue, ReducedValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";

import { SandboxRef, ThreadData } from "@antler/contracts";

import { DelegationEntry } from "./delegations/delegation-entry.ts";
import { mergeDelegations } from "./delegations/merge-delegations.ts";

const Sandbox = SandboxRef.optional();
const Artifacts = z.array(z.string()).default(() => []);

type SandboxValue = z.infer<typeof Sandbox>;

function keepSandbox(current: SandboxValue, next: SandboxValue): SandboxValue {
  if (current !== undefined && next !== undefined && current.sandbox_id !== next.sandbox_id)
    throw new Error(`A thread has one sandbox, not both ${current.sandbox_id} and ${next.sandbox_id}`);
  return next ?? current;
}

const Promoted = z.object({ catalog_hash: z.string(), names: z.array(z.string()) }).optional();

/** The deferred tools that an agent has been shown, and the catalog that they were found in. */
export type PromotedTools = NonNullable<z.infer<typeof Promoted>>;

/** Promotions of one catalog add up; those of another one replace them. */
function addPromoted(current: PromotedTools | undefined, next: PromotedTools | undefined): PromotedTools | undefined {
  if (current === undefined || next === undefined) return next ?? current;
  if (current.catalog_hash !== next.catalog_hash) return next;
  return { ...next, names: [...new Set([...current.names, ...next.names])] };
}

const Delegations = z.array(DelegationEntry).default(() => []);
const delegationsValue = new ReducedValue(Delegations, { reducer: mergeDelegations });

/** The part of the state that a middleware sees which knows the thread's delegations. */
export const DelegationsState = new StateSchema({ delegations: delegationsValue });

const Todo = z.object({ content: z.string(), status: z.enum(["pending", "in_progress", "completed"]) });
const Todos = z.array(Todo).default(() => []);

const promotedValue = new ReducedValue(Promoted, { reducer: addPromoted });

/** The part of the state that a middleware sees which looks for promoted tools. */
export const PromotedState = new StateSchema({ promoted: promotedValue });

/**
 * The state of every agent, lead and subagent alike: the slots that tools read. A subagent gets `sandbox` and
 * `thread_data` of its lead and begins all others afresh; nothing it writes flows back.
 */
export const ThreadState = new StateSchema({
  messages: MessagesValue,
  sandbox: new ReducedValue(Sandbox, { reducer: keepSandbox }),
  thread_data: ThreadData.optional(),
  title: z.string().optional(),
  promoted: promotedValue,
  delegations: delegationsValue,
  todos: new ReducedValue(Todos, { reducer: (_current, next) => next }),
  artifacts: new ReducedValue(Artifacts, {
    reducer: (current: string[], next: string[]) => [...new Set([...current, ...next])],
  }),
});

export type ThreadState = typeof ThreadState.State;
