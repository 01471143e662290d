// Replies that are no chat: their JSON is written by the route itself.

import { type ReplyForm, RtrError, type Usage, type WholeReply } from "../../kernel/index.ts"

const formId = "json"

export const jsonForm: ReplyForm = {
  streamType: "application/json",
  errorsOf: "chat_completions",
  writeReply({ choices: [choice] }) {
    const block = choice?.blocks[0]
    if (block?.type === "opaque" && block.dialect === formId && typeof block.value === "string") return block.value
    throw notWhole()
  },
  writer() {
    throw notWhole()
  },
}

const notWhole = (): RtrError => new RtrError("internal_error", "A reply of JSON is no reply of a chat and no stream")

/** A reply whose body is this JSON. */
export const jsonReply = (text: string, usage?: Usage): WholeReply => ({
  kind: "whole",
  status: 200,
  reply: {
    id: "",
    model: "",
    created: 0,
    choices: [{ stop: "stop", blocks: [{ type: "opaque", dialect: formId, value: text }] }],
    usage,
  },
})
