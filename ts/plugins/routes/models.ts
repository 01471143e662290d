// GET /v1/models and GET /v1/models/{id}: the names that a client may use.

import { defineRoute, literals, mapOf, type ModelEntry, operation, RtrError, Type } from "../../kernel/index.ts"

const modelEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal("model"),
  created: Type.Integer({ description: "Seconds since 1970" }),
  owned_by: Type.String(),
  description: Type.Optional(Type.String()),
  routing: Type.Object({ resolution: literals(["virtual", "passthrough"]), selectable: Type.Boolean() }),
  card: Type.Optional(mapOf(Type.Unknown(), { description: "Descriptive fields of the model's card" })),
})

/** The same for clients of Anthropic's API, which say which version of it they speak. */
const anthropicEntry = Type.Object({
  id: Type.String(),
  type: Type.Literal("model"),
  display_name: Type.String(),
  created_at: Type.String({ format: "date-time" }),
})

const anthropicList = Type.Object({
  data: Type.Array(anthropicEntry),
  has_more: Type.Literal(false),
  first_id: Type.Union([Type.String(), Type.Null()]),
  last_id: Type.Union([Type.String(), Type.Null()]),
})

const isAnthropic = (header: (name: string) => string | undefined): boolean => header("anthropic-version") !== undefined

const toAnthropic = ({ id, created }: ModelEntry): Record<string, string> => ({
  id,
  type: "model",
  display_name: id,
  created_at: new Date(created * 1000).toISOString(),
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
          schema: Type.Union([
            Type.Object({ object: Type.Literal("list"), data: Type.Array(modelEntry) }),
            anthropicList,
          ]),
        },
      },
      errorStatuses: [503],
      setup:
        ({ modelList }) =>
        ({ listener, header }) => {
          const models = modelList(listener)
          if (!isAnthropic(header)) return { body: { object: "list", data: models } }
          const data = models.map(toAnthropic)
          return {
            body: { data, has_more: false, first_id: data[0]?.["id"] ?? null, last_id: data.at(-1)?.["id"] ?? null },
          }
        },
    }),
    operation({
      id: "models.read",
      method: "GET",
      path: "/v1/models/{id}",
      about: "One of them",
      ...common,
      params: Type.Object({ id: Type.String({ description: "May hold slashes, as they are or percent-encoded" }) }),
      lastParamTakesRest: true,
      replies: {
        200: { about: "The model, if the listener lists it", schema: Type.Union([modelEntry, anthropicEntry]) },
      },
      errorStatuses: [404, 503],
      setup:
        ({ modelList }) =>
        ({ listener, header, params: { id } }) => {
          const model = modelList(listener).find((entry) => entry.id === id)
          if (model === undefined)
            throw new RtrError(
              "model_not_found",
              `Model ${JSON.stringify(id.slice(0, 100))} is not available here; GET /v1/models lists those that are`,
            )
          return { body: isAnthropic(header) ? toAnthropic(model) : model }
        },
    }),
  ],
})
