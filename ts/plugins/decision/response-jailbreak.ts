// Lets the guard against attacks read what the model answers, and stops or marks what it finds.

import { definePlugin, literals, type Reply, RtrError, section, Type } from "../../kernel/index.ts"
import { inOwnWords, withOwnErrors } from "../_shared/replies/own-words.ts"
import { withReplyWarning } from "../_shared/replies/reply-warnings.ts"

const options = section({
  enabled: Type.Optional(Type.Boolean({ description: "Nothing is read unless it is true" })),
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Risk from which a reply counts, where no jailbreak rule has direction response: that of prompt_guard when left out, else 0.5",
    }),
  ),
  action: Type.Optional(
    literals(["header", "block", "none"], {
      description:
        "header, the default, sends the reply on with x-rtr-response-warnings; block refuses it with status 403; none reads nothing",
    }),
  ),
})

const warning = "response_jailbreak"

export default definePlugin({
  about: "Has the guard against attacks read the reply, and stops or marks one that it finds",
  options,
  hooks: ["around"],
  // Outside of all others but those that answer at once, so that it reads what the client would get.
  order: 10,
  judges({ threshold, ...given }) {
    if (!isOn(given)) return undefined
    return {
      jailbreak: (settings) => ({
        name: warning,
        direction: "response",
        threshold: threshold ?? (settings as { readonly threshold?: number }).threshold ?? 0.5,
      }),
    }
  },
  setup(given) {
    const { action = "header" } = given
    return {
      open: ({ judge }) => ({
        async around(call, next): Promise<Reply> {
          if (!isOn(given) || judge === undefined) return next(call)
          const reply = await inOwnWords(() => next(call))
          if (reply.kind === "failure") return reply
          const { reply: whole, isFound } = await withOwnErrors(() => judge(reply))
          if (isFound && action === "block")
            throw new RtrError(
              "reply_blocked",
              "The model's reply was not sent, because a guard found an attack in it or could not read it",
            )
          const { status, headers } = reply
          // The client gets what was read, and nothing else that came with it.
          return {
            kind: "whole",
            status,
            reply: whole,
            headers: isFound ? withReplyWarning(headers, warning) : headers,
          }
        },
      }),
    }
  },
})

const isOn = ({ enabled = false, action }: { readonly enabled?: boolean; readonly action?: string }): boolean =>
  enabled && action !== "none"
