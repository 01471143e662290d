// GET /v1/models and GET /v1/models/{id}: the names that a client may use.

import { defineRoute, literals, operation, RtrError, Type } from "../../kernel/index.ts"

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

const common = {
  permission: "config.read",
  sensitivity: "config",
  capability: "inventory",
  plane: "data",
  audiences: ["agent", "client"],
  stability: "stable",
  errors: "inference",
  needs: ["models.list"],
} as const

export default defineRoute({
  about: "The model list",
  listeners: ["inference", "management"],
  operations: [
    operation({
      id: "models.list",
      method: "GET",
      path: "/v1/models",
      about: "Lists automatic names and configured models",
      ...common,
      replies: {
        200: {
          about: "Automatic names first; a listener with model grants lists only what it grants",
          schema: Type.Object({ object: Type.Literal("list"), data: Type.Array(modelEntry) }),
        },
      },
      errorStatuses: [503],
      setup:
        ({ modelList }) =>
        ({ listener }) => ({ body: { object: "list", data: modelList(listener) } }),
    }),
    operation({
      id: "models.read",
      method: "GET",
      path: "/v1/models/{id}",
      about: "One of them",
      ...common,
      params: Type.Object({ id: Type.String({ description: "May hold slashes, as they are or percent-encoded" }) }),
      lastParamTakesRest: true,
      replies: { 200: { about: "The model, if the listener lists it", schema: modelEntry } },
      errorStatuses: [404, 503],
      setup:
        ({ modelList }) =>
        ({ listener, params: { id } }) => {
          const model = modelList(listener).find((entry) => entry.id === id)
          if (model === undefined)
            throw new RtrError(
              "model_not_found",
              `Model ${JSON.stringify(id.slice(0, 100))} is not available here; GET /v1/models lists those that are`,
            )
          return { body: model }
        },
    }),
  ],
})
