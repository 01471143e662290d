// POST /v1/responses: the Responses wire on the inference listeners.

import { defineRoute } from "../../kernel/index.ts"
import { routedOperation } from "../_shared/chat-operation.ts"

export default defineRoute({
  about: "Responses, whole or streamed",
  listeners: ["inference"],
  operations: [
    routedOperation({
      id: "responses.create",
      path: "/v1/responses",
      about: "Routes a request of the Responses API and answers it",
      dialect: "responses",
    }),
  ],
})
