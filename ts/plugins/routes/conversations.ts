// /v1/conversations: the conversations that the router keeps for clients of the Responses API.

import { defineRoute, literals, mapOf, operation, Type } from "../../kernel/index.ts"
import { chatOperation } from "../_shared/chat-operation.ts"
import type { KeptConversations } from "../_shared/responses/kept/keep-conversations.ts"
import { keptOr404 } from "../_shared/responses/kept/open-kept.ts"
import { settingsSection } from "../_shared/responses/kept/settings.ts"

const opened = keptOr404<KeptConversations>
const path = "/v1/conversations/{conversation_id}"
const id = Type.String({ minLength: 1, description: "Id of a kept conversation" })
const params = Type.Object({ conversation_id: id })
const itemParams = Type.Object({ conversation_id: id, item_id: Type.String({ minLength: 1 }) })
const metadata = Type.Optional(
  Type.Union([mapOf(Type.String()), Type.Null()], { description: "Kept with the conversation" }),
)
const items = Type.Array(Type.Object({}), { description: "Items as in the input of a response" })
const conversation = Type.Object({
  id: Type.String(),
  object: literals(["conversation"]),
  created_at: Type.Number({ description: "Seconds since 1970" }),
  metadata: Type.Object({}),
})
const replies = { 200: { about: "The conversation", schema: conversation } } as const
const list = {
  200: {
    about: "Items",
    schema: Type.Object({
      object: literals(["list"]),
      data: Type.Array(Type.Object({})),
      first_id: Type.Union([Type.String(), Type.Null()]),
      last_id: Type.Union([Type.String(), Type.Null()]),
      has_more: Type.Boolean(),
    }),
  },
} as const
/** Operations on one conversation. */
const onKept = { ...chatOperation, path, params, replies, errorStatuses: [400, 404, 413, 429, 503] } as const

export default defineRoute({
  about: "Conversations of the Responses API, kept where the document says so",
  listeners: ["inference"],
  settings: settingsSection,
  open: async (host) => (await import("../_shared/responses/kept/keep-conversations.ts")).keepConversations(host),
  operations: [
    operation({
      ...chatOperation,
      id: "conversations.create",
      path: "/v1/conversations",
      about: "Begins a conversation",
      errorStatuses: [404, 413, 503],
      body: Type.Object({ items: Type.Optional(Type.Union([items, Type.Null()])), metadata }),
      replies,
      setup:
        (_, kept) =>
        async ({ body, principal, hold }) => ({ body: await opened(kept).create({ principal, hold }, body) }),
    }),
    operation({
      ...onKept,
      id: "conversations.read",
      method: "GET",
      about: "Reads a conversation, without its items",
      setup:
        (_, kept) =>
        async ({ params: { conversation_id: at }, principal, hold }) => ({
          body: await opened(kept).read(at, { principal, hold }),
        }),
    }),
    operation({
      ...onKept,
      id: "conversations.update",
      about: "Replaces the metadata of a conversation",
      body: Type.Object({ metadata }),
      setup:
        (_, kept) =>
        async ({ params: { conversation_id: at }, body, principal, hold }) => ({
          body: await opened(kept).update(at, { principal, hold }, body.metadata),
        }),
    }),
    operation({
      ...onKept,
      id: "conversations.delete",
      method: "DELETE",
      about: "Deletes a conversation; responses that it had stay",
      replies: {
        200: {
          about: "It is deleted",
          schema: Type.Object({
            id: Type.String(),
            object: literals(["conversation.deleted"]),
            deleted: Type.Boolean(),
          }),
        },
      },
      setup:
        (_, kept) =>
        async ({ params: { conversation_id: at }, principal, hold }) => ({
          body: await opened(kept).remove(at, { principal, hold }),
        }),
    }),
    operation({
      ...onKept,
      id: "conversations.items.list",
      method: "GET",
      path: `${path}/items`,
      about: "Lists the items of a conversation",
      query: Type.Object({
        after: Type.Optional(Type.String({ description: "Id of the last item of the page before" })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "20 when left out" })),
        order: Type.Optional(literals(["asc", "desc"], { description: "`desc`, the last first, when left out" })),
      }),
      replies: list,
      setup:
        (_, kept) =>
        async ({ params: { conversation_id: at }, query, principal, hold }) => ({
          body: await opened(kept).items(at, { principal, hold }, query),
        }),
    }),
    operation({
      ...onKept,
      id: "conversations.items.create",
      path: `${path}/items`,
      about: "Adds items to a conversation",
      body: Type.Object({ items }),
      replies: list,
      setup:
        (_, kept) =>
        async ({ params: { conversation_id: at }, body, principal, hold }) => ({
          body: await opened(kept).addItems(at, { principal, hold }, body.items),
        }),
    }),
    operation({
      ...onKept,
      id: "conversations.items.read",
      method: "GET",
      path: `${path}/items/{item_id}`,
      params: itemParams,
      about: "Reads one item",
      replies: { 200: { about: "The item", schema: Type.Object({ id: Type.String() }) } },
      setup:
        (_, kept) =>
        async ({ params: { conversation_id: at, item_id: item }, principal, hold }) => ({
          body: await opened(kept).readItem(at, { principal, hold }, item),
        }),
    }),
    operation({
      ...onKept,
      id: "conversations.items.delete",
      method: "DELETE",
      path: `${path}/items/{item_id}`,
      params: itemParams,
      about: "Deletes one item",
      setup:
        (_, kept) =>
        async ({ params: { conversation_id: at, item_id: item }, principal, hold }) => ({
          body: await opened(kept).removeItem(at, { principal, hold }, item),
        }),
    }),
  ],
})
