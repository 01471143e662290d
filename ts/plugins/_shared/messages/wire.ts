// The name of the Messages dialect, and how it refuses.

import { RtrError } from "../../../kernel/index.ts"

export const dialectId = "messages"

/** For what a backend may not send. */
export const refuse = (reason: string): RtrError => new RtrError("upstream_error", reason)

/** For a chat that the wire cannot say. */
export const refuseChat = (reason: string): RtrError =>
  new RtrError("invalid_request", `Cannot write the chat as Messages: ${reason}`)
