// POST /v1/embeddings: vectors of texts, from a model's backend or from a deployment of the router.

import { type ChatRequest, defineRoute, type JsonValue, operation, RtrError } from "../../kernel/index.ts"
import { chatOperation } from "../_shared/chat-operation.ts"
import { backendApi } from "../_shared/embeddings/backend-api.ts"
import { embedByDeployment, findDeployment } from "../_shared/embeddings/deployment.ts"
import { type EmbeddingsBody, embeddingsBody, embeddingsReply } from "../_shared/embeddings/schemas.ts"
import { jsonForm } from "../_shared/json-form.ts"

export default defineRoute({
  about: "Vectors of texts",
  listeners: ["inference"],
  operations: [
    operation({
      ...chatOperation,
      id: "embeddings.create",
      path: "/v1/embeddings",
      about: "Makes vectors of texts, by a configured model or a deployment",
      body: embeddingsBody,
      form: jsonForm,
      replies: { 200: { about: "The vectors", schema: embeddingsReply } },
      needs: ["routing.other", "plan"],
      setup:
        ({ other, plan }) =>
        async ({ call, body }) => {
          const { answer, callModel, inference } = other()
          const { models, autoNames } = plan() ?? {}
          const isModel = models?.has(body.model) === true || autoNames?.includes(body.model) === true
          const asked = call(toRequest(body))
          const outcome = await answer(asked, async (record) => {
            if (isModel) return callModel(asked, record, backendApi)
            const deployment = findDeployment(inference, body.model)
            if (inference === undefined || deployment === undefined) throw unknownModel()
            if (asked.grants?.has(deployment.name) === false)
              throw new RtrError("model_not_allowed", `Model "${deployment.name}" is not allowed on this listener`)
            return embedByDeployment(deployment, body, { inference, call: asked, record })
          })
          return { outcome }
        },
    }),
  ],
})

/** The pipeline knows requests by their model; the rest is for the backend. */
const toRequest = (body: EmbeddingsBody): ChatRequest => ({
  model: body.model,
  turns: [],
  tools: [],
  generation: {},
  stream: false,
  session: {},
  extensions: body as unknown as Readonly<Record<string, JsonValue>>,
})

const unknownModel = (): RtrError =>
  new RtrError(
    "model_not_found",
    "The model is not available; name one of providers.models or a deployment of global.model_catalog",
  )
