// POST /v1/chat/completions: the chat-completions wire on the inference listeners.

import { defineRoute, operation } from "../../kernel/index.ts"

export default defineRoute({
  about: "Chat completions, whole or streamed",
  listeners: ["inference"],
  operations: [
    operation({
      id: "chat.completions",
      method: "POST",
      path: "/v1/chat/completions",
      about: "Routes a chat request and answers it",
      permission: "inference.invoke",
      sensitivity: "operational",
      capability: "inference",
      plane: "data",
      audiences: ["agent", "client"],
      stability: "stable",
      dialect: "chat_completions",
      replies: { 200: { about: "The reply, whole or as a stream of events" } },
      errors: "inference",
      needs: ["routing.run"],
      setup:
        ({ run }) =>
        async ({ call, chat }) => ({ outcome: await run(call(chat)) }),
    }),
  ],
})
