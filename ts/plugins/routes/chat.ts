// POST /v1/chat/completions: the chat-completions wire on the inference listeners.

import { defineRoute } from "../../kernel/index.ts"
import { routedOperation } from "../_shared/chat-operation.ts"

export default defineRoute({
  about: "Chat completions, whole or streamed",
  listeners: ["inference"],
  operations: [
    routedOperation({
      id: "chat.completions",
      path: "/v1/chat/completions",
      about: "Routes a chat request and answers it",
      dialect: "chat_completions",
    }),
  ],
})
