// What models said: the text and the reasoning of a reply, and whether it says anything.

import type { ChatReply } from "../../../kernel/index.ts"

const blocksOf = ({ choices }: ChatReply): ChatReply["choices"][number]["blocks"] => choices[0]?.blocks ?? []

/** Text and refusals of the first choice. */
export const textOfReply = (reply: ChatReply): string =>
  blocksOf(reply)
    .flatMap((block) => (block.type === "text" || block.type === "refusal" ? [block.text] : []))
    .join("\n")

export const reasoningOfReply = (reply: ChatReply): string =>
  blocksOf(reply)
    .flatMap((block) => (block.type === "reasoning" ? [block.text] : []))
    .join("\n")

export const callsTools = (reply: ChatReply): boolean => blocksOf(reply).some(({ type }) => type === "tool_call")

/** Whether another model could make something of it. */
export const saysSomething = (reply: ChatReply): boolean =>
  textOfReply(reply).trim() !== "" || reasoningOfReply(reply).trim() !== ""

/** What another model reads of it: the text, or the reasoning of one that says nothing else. */
export const readableText = (reply: ChatReply): string => {
  const text = textOfReply(reply)
  return text.trim() === "" ? reasoningOfReply(reply) : text
}
