import { type BaseMessage, HumanMessage } from "@langchain/core/messages";

/** Whether a message is what a user or a lead wrote: not a notice of the system, which has a name, and not a summary. */
export function isHumanInput(message: BaseMessage): message is HumanMessage {
  return (
    HumanMessage.isInstance(message) &&
    message.name === undefined &&
    message.additional_kwargs["lc_source"] !== "summarization"
  );
}

/** The messages from the newest input on; all of them when a summary has taken the input in. */
export function turnOf(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return messages.slice(Math.max(0, messages.findLastIndex(isHumanInput)));
}
