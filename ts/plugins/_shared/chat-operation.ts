// Operations whose body is a chat request in a dialect.

import { type Operation, operation } from "../../kernel/index.ts"

/** What they have in common. */
export const chatOperation = {
  method: "POST",
  permission: "inference.invoke",
  sensitivity: "operational",
  capability: "inference",
  plane: "data",
  audiences: ["agent", "client"],
  stability: "stable",
  errors: "inference",
} as const

/** Routes the request and answers it in the same dialect. */
export const routedOperation = (
  own: Required<Pick<Operation, "id" | "path" | "about" | "dialect">>,
): Operation<undefined, undefined, undefined, "routing.run"> =>
  operation({
    ...chatOperation,
    ...own,
    replies: { 200: { about: "The reply, whole or as a stream of events" } },
    needs: ["routing.run"],
    setup:
      ({ run }) =>
      async ({ call, chat }) => ({ outcome: await run(call(chat)) }),
  })
