// Marks replies that say what nothing in the request supports, and those that nothing could be compared with.

import {
  type ChatReply,
  definePlugin,
  literals,
  type Reply,
  section,
  Type,
  type WholeReply,
} from "../../kernel/index.ts"
import { groundsOf } from "../_shared/replies/grounds.ts"
import { withReplyWarning } from "../_shared/replies/reply-warnings.ts"

const action = (what: string) =>
  Type.Optional(
    literals(["", "header", "body", "none"], {
      description: `What happens to a reply ${what}: header, the default, names it in x-rtr-response-warnings, body begins the reply with a warning, none does nothing`,
    }),
  )

const options = section({
  enabled: Type.Optional(Type.Boolean({ description: "Nothing is judged unless it is true" })),
  hallucination_action: action("with parts that the request does not support"),
  unverified_factual_action: action("when the request has nothing to compare it with"),
  include_hallucination_details: Type.Optional(
    Type.Boolean({ description: "The warning in the body lists the parts that are not supported" }),
  ),
})

type Action = "" | "header" | "body" | "none"

export default definePlugin({
  about: "Compares replies with results of tools and documents of the request, and marks what they do not support",
  options,
  hooks: ["around"],
  // Inside of the guard, which reads what the client gets.
  order: 15,
  after: ({ enabled }) => (enabled === true ? ["fact_check"] : []),
  judges: ({ enabled, hallucination_action: found }) =>
    enabled === true && found !== "none" ? { hallucination: () => ({ name: "hallucination" }) } : undefined,
  setup({
    enabled = false,
    hallucination_action: onFound,
    unverified_factual_action: onUnverified,
    include_hallucination_details: hasDetails = false,
  }) {
    return {
      open: ({ judge, factsOf }) => ({
        async around(call, next): Promise<Reply> {
          const isFactual = (): boolean =>
            factsOf("fact_check").some(({ rule, state }) => rule === "needs_fact_check" && state === "match")
          const reply = await next(call)
          // A stream goes on as it comes: its beginning would wait for its end.
          if (!enabled || reply.kind !== "whole" || !isFactual()) return reply
          if (groundsOf(call.request) === undefined)
            return marked(
              reply,
              onUnverified,
              "unverified_factual",
              "This answer could not be checked against any source.",
            )
          const { isFound, facts } = (await judge?.(reply)) ?? { isFound: false, facts: [] }
          if (!isFound) return reply
          const quotes = new Set(hasDetails ? facts.flatMap(({ quotes: each = [] }) => each) : [])
          const text = "Parts of this answer are not supported by its sources"
          const list = [...quotes].map((quote) => `\n- ${quote}`).join("")
          return marked(reply, onFound, "hallucination", list === "" ? `${text}.` : `${text}:${list}`)
        },
      }),
    }
  },
})

function marked(reply: WholeReply, given: Action = "", code: string, text: string): WholeReply {
  if (given === "none") return reply
  if (given === "body") return { ...reply, reply: withPrefix(reply.reply, `Warning: ${text}\n\n`) }
  return { ...reply, headers: withReplyWarning(reply.headers, code) }
}

const withPrefix = (reply: ChatReply, text: string): ChatReply => ({
  ...reply,
  choices: reply.choices.map((choice) => ({ ...choice, blocks: [{ type: "text", text }, ...choice.blocks] })),
})
