// /v1/responses: the Responses API on the inference listeners, and the responses that the router keeps for its clients.

import { defineRoute, literals, operation, Type } from "../../kernel/index.ts"
import { chatOperation } from "../_shared/chat-operation.ts"
import type { KeptResponses } from "../_shared/responses/kept/keep-responses.ts"
import { refuseUnkept } from "../_shared/responses/portable-request.ts"
import { keptOr404 } from "../_shared/responses/kept/open-kept.ts"
import { settingsSection } from "../_shared/responses/kept/settings.ts"

const path = "/v1/responses/{response_id}"
const params = Type.Object({ response_id: Type.String({ minLength: 1, description: "Id of a kept response" }) })
const response = Type.Object(
  { id: Type.String(), object: literals(["response"]), status: Type.String(), output: Type.Array(Type.Object({})) },
  { description: "A response as it was kept" },
)
const eventStream = "text/event-stream; charset=utf-8"
const flag = Type.Optional(Type.Boolean())

/** An operation on a kept response. */
const onKept = { ...chatOperation, path, params, errorStatuses: [400, 404, 503] } as const

const opened = keptOr404<KeptResponses>

export default defineRoute({
  about: "Responses, whole or streamed; kept where the document says so",
  listeners: ["inference"],
  settings: settingsSection,
  open: async (host) => (await import("../_shared/responses/kept/keep-responses.ts")).keepResponses(host),
  operations: [
    operation({
      ...chatOperation,
      id: "responses.create",
      path: "/v1/responses",
      about: "Routes a request of the Responses API and answers it",
      dialect: "responses",
      replies: { 200: { about: "The reply, whole or as a stream of events" } },
      needs: ["routing.run", "dialects", "plan"],
      setup(host, kept) {
        if (kept !== undefined) return async (input) => opened(kept).create(input, host)
        return async ({ call, chat }) => {
          refuseUnkept(chat, host.plan())
          return { outcome: await host.run(call(chat)) }
        }
      },
    }),
    operation({
      ...onKept,
      id: "responses.read",
      method: "GET",
      about: "Reads a kept response, also as the events of a stream",
      query: Type.Object({
        stream: flag,
        starting_after: Type.Optional(
          Type.Integer({ minimum: 0, description: "Number of the last event that is known" }),
        ),
      }),
      replies: { 200: { about: "The response", schema: response, otherType: eventStream } },
      setup:
        (_, kept) =>
        async ({ params: { response_id: id }, query: { stream, starting_after: after }, principal }) => {
          if (stream !== true) return { body: await opened(kept).read(id, { principal }) }
          return {
            text: await opened(kept).replay(id, { principal }, after),
            headers: { "content-type": eventStream, "cache-control": "no-cache" },
          }
        },
    }),
    operation({
      ...onKept,
      id: "responses.delete",
      method: "DELETE",
      about: "Deletes a kept response",
      replies: {
        200: {
          about: "It is deleted",
          schema: Type.Object({
            id: Type.String(),
            object: literals(["response.deleted"]),
            deleted: Type.Boolean(),
          }),
        },
      },
      setup:
        (_, kept) =>
        async ({ params: { response_id: id }, principal }) => ({ body: await opened(kept).remove(id, { principal }) }),
    }),
    operation({
      ...onKept,
      id: "responses.cancel",
      path: `${path}/cancel`,
      about: "Stops a response that is made in the background",
      replies: { 200: { about: "The response as it is now", schema: response } },
      setup:
        (_, kept) =>
        async ({ params: { response_id: id }, principal }) => ({ body: await opened(kept).cancel(id, { principal }) }),
    }),
    operation({
      ...onKept,
      id: "responses.input_items",
      method: "GET",
      path: `${path}/input_items`,
      about: "Lists what the request of a kept response brought",
      query: Type.Object({
        after: Type.Optional(Type.String({ description: "Id of the last item of the page before" })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "20 when left out" })),
        order: Type.Optional(literals(["asc", "desc"], { description: "`desc`, the last first, when left out" })),
      }),
      replies: {
        200: {
          about: "One page",
          schema: Type.Object({
            object: literals(["list"]),
            data: Type.Array(Type.Object({})),
            first_id: Type.Union([Type.String(), Type.Null()]),
            last_id: Type.Union([Type.String(), Type.Null()]),
            has_more: Type.Boolean(),
          }),
        },
      },
      setup:
        (_, kept) =>
        async ({ params: { response_id: id }, query, principal }) => ({
          body: await opened(kept).inputItems(id, { principal }, query),
        }),
    }),
  ],
})
