// POST /v1/messages and /v1/messages/count_tokens: the Messages wire on the inference listeners.

import {
  type Call,
  clientHeaders,
  defineRoute,
  type HttpClient,
  isRtrError,
  operation,
  type Plan,
  RtrError,
  Type,
} from "../../kernel/index.ts"
import { chatOperation, routedOperation } from "../_shared/chat-operation.ts"
import { requestTokens } from "../_shared/tokens/request-tokens.ts"

export default defineRoute({
  about: "Messages, whole or streamed, and how many tokens they have",
  listeners: ["inference"],
  operations: [
    routedOperation({
      id: "messages.create",
      path: "/v1/messages",
      about: "Routes a chat request in the shape of Anthropic's Messages and answers it",
      dialect: "messages",
    }),
    operation({
      ...chatOperation,
      id: "messages.count_tokens",
      path: "/v1/messages/count_tokens",
      about: "Counts the tokens of a request without sending it to a model",
      dialect: "messages",
      replies: {
        200: {
          about:
            "What a backend of Anthropic's protocol counted for a model that the request names, otherwise an estimate",
          schema: Type.Object({
            input_tokens: Type.Integer(),
            estimated: Type.Optional(Type.Literal(true, { description: "No backend counted" })),
          }),
        },
      },
      needs: ["plan", "http"],
      setup:
        ({ plan, http }) =>
        async ({ call, chat }) => {
          const counted = await countAtBackend(call(chat), plan(), http)
          if (counted !== undefined) return { body: { input_tokens: counted } }
          return { body: { input_tokens: requestTokens(chat), estimated: true } }
        },
    }),
  ],
})

/** Names that leave the choice of the model to the router, those of recipes included. */
const automaticNames = (plan: Plan | undefined): readonly string[] =>
  plan === undefined ? [] : [plan, ...(plan.recipes ?? [])].flatMap(({ autoNames }) => autoNames)

/** Undefined where no backend counts. Throws for a model that the client may not use. */
async function countAtBackend(call: Call, plan: Plan | undefined, http: HttpClient): Promise<number | undefined> {
  const { request, grants, id, signal } = call
  const { model } = request
  const target = plan?.models.get(model)
  if (target === undefined && !automaticNames(plan).includes(model))
    throw new RtrError("model_not_found", "The model is not available; GET /v1/models lists those that are")
  if (grants?.has(model) === false) throw new RtrError("model_not_allowed", "The model is not allowed on this listener")
  const backend = target?.backends.find(({ dialectId }) => dialectId === call.dialect)
  if (backend === undefined) return undefined
  const body = backend.dialect.writeRequest(request, { model: backend.upstreamModel })
  const headers = { "x-request-id": id, ...clientHeaders(backend.dialect, call.header) }
  const sent = backend.provider.toRequest({ body, stream: false, headers })
  const url = new URL(sent.url)
  url.pathname += "/count_tokens"
  try {
    const reply = await http.json(url.href, { method: "POST", body, headers: sent.headers, signal })
    return tokensIn(reply)
  } catch (error) {
    // A host that cannot count leaves the client with an estimate.
    if (isRtrError(error)) return undefined
    throw error
  }
}

function tokensIn(reply: unknown): number | undefined {
  const { input_tokens: tokens } = (reply ?? {}) as { readonly input_tokens?: unknown }
  return typeof tokens === "number" && Number.isInteger(tokens) && tokens >= 0 ? tokens : undefined
}
