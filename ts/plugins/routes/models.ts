// GET /v1/models: the names that a client may use.

import { defineRoute, literals, operation, Type } from "../../kernel/index.ts"

const modelEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal("model"),
  created: Type.Integer({ description: "Seconds since 1970" }),
  owned_by: Type.String(),
  description: Type.Optional(Type.String()),
  routing: Type.Object({ resolution: literals(["virtual", "passthrough"]), selectable: Type.Boolean() }),
  card: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "Descriptive fields of the model's card" }),
  ),
})

export default defineRoute({
  about: "The model list",
  listeners: ["inference", "management"],
  operations: [
    operation({
      id: "models.list",
      method: "GET",
      path: "/v1/models",
      about: "Lists automatic names and configured models",
      permission: "config.read",
      sensitivity: "config",
      capability: "inventory",
      plane: "data",
      audiences: ["agent", "client"],
      stability: "stable",
      replies: {
        200: {
          about: "Automatic names first; a listener with model grants lists only what it grants",
          schema: Type.Object({ object: Type.Literal("list"), data: Type.Array(modelEntry) }),
        },
      },
      errors: "inference",
      errorStatuses: [503],
      needs: ["models.list"],
      setup:
        ({ modelList }) =>
        ({ listener }) => ({ body: { object: "list", data: modelList(listener) } }),
    }),
  ],
})
