// POST /v1/messages: the Messages wire on the inference listeners.

import { defineRoute, operation } from "../../kernel/index.ts"

export default defineRoute({
  about: "Messages, whole or streamed",
  listeners: ["inference"],
  operations: [
    operation({
      id: "messages.create",
      method: "POST",
      path: "/v1/messages",
      about: "Routes a chat request in the shape of Anthropic's Messages and answers it",
      permission: "inference.invoke",
      sensitivity: "operational",
      capability: "inference",
      plane: "data",
      audiences: ["agent", "client"],
      stability: "stable",
      dialect: "messages",
      replies: { 200: { about: "The reply, whole or as a stream of events" } },
      errors: "inference",
      needs: ["routing.run"],
      setup:
        ({ run }) =>
        async ({ call, chat }) => ({ outcome: await run(call(chat)) }),
    }),
  ],
})
