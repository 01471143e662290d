// GET /v1/models: the names that a client may use.

import { defineRoute, jsonResponse } from "../../kernel/index.ts"

export default defineRoute({
  about: "The model list",
  listeners: ["inference", "management"],
  needs: ["models"],
  operations: [{ method: "GET", path: "/v1/models", about: "Lists automatic names and configured models" }],
  setup: ({ models }) => [({ listener, id }) => jsonResponse({ object: "list", data: models(listener) }, 200, id)],
})
