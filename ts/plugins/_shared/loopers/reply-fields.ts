// Fields that a looper adds to the client's reply.

import type { LooperAnswer, WireObject } from "../../../kernel/index.ts"

/** Clients of chat completions read further top-level fields; the other wires have no place for them. */
export const replyFields = (fields: WireObject): NonNullable<LooperAnswer["extensions"]> => ({
  dialect: "chat_completions",
  fields,
})
