// POST /v1/responses: the Responses wire on the inference listeners.

import { defineRoute, operation } from "../../kernel/index.ts"

export default defineRoute({
  about: "Responses, whole or streamed",
  listeners: ["inference"],
  operations: [
    operation({
      id: "responses.create",
      method: "POST",
      path: "/v1/responses",
      about: "Routes a request of the Responses API and answers it",
      permission: "inference.invoke",
      sensitivity: "operational",
      capability: "inference",
      plane: "data",
      audiences: ["agent", "client"],
      stability: "stable",
      dialect: "responses",
      replies: { 200: { about: "The response, whole or as a stream of events" } },
      errors: "inference",
      needs: ["routing.run"],
      setup:
        ({ run }) =>
        async ({ call, chat }) => ({ outcome: await run(call(chat)) }),
    }),
  ],
})
