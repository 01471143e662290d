// POST /v1/completions: the older API of texts, over chat models.

import { type Call, defineRoute, operation } from "../../kernel/index.ts"
import { chatOperation } from "../_shared/chat-operation.ts"
import { completionBody, toChatBodies } from "../_shared/completions/chat-bodies.ts"
import { completionForm } from "../_shared/completions/form.ts"
import { completionReply } from "../_shared/completions/schemas.ts"
import { runEach } from "../_shared/completions/several-prompts.ts"

export default defineRoute({
  about: "Completions of texts, whole or streamed",
  listeners: ["inference"],
  operations: [
    operation({
      ...chatOperation,
      id: "completions.create",
      path: "/v1/completions",
      about: "Routes each prompt as one user message and answers in the shape of the older completions API",
      body: completionBody,
      form: completionForm,
      replies: { 200: { about: "The completions, whole or as a stream of events", schema: completionReply } },
      needs: ["routing.run", "dialects"],
      setup:
        ({ run, readChat }) =>
        async ({ call, body }) => {
          const chats = toChatBodies(body).map((each) => readChat("chat_completions", each))
          // There is at least one prompt.
          const calls = chats.map(call) as unknown as readonly [Call, ...Call[]]
          return { outcome: await runEach(calls, run), chat: calls[0].request }
        },
    }),
  ],
})
