// Errors of requests and replies that are none.

import { RtrError } from "../../../kernel/index.ts"

/** For a client's body that is no request. */
export const badRequest = (reason: string): RtrError =>
  new RtrError("invalid_request", `Cannot read the chat request: ${reason}`)

/** For what a backend may not send. */
export const badReply = (reason: string): RtrError => new RtrError("upstream_error", reason)

/** For an error that a backend sent instead of a reply. */
export const failedReply = (message: string): RtrError => badReply(`the backend reported an error: ${message}`)

/** Gives the errors for what a chat holds and a wire cannot say. */
export const cannotWrite =
  (wire: string) =>
  (reason: string): RtrError =>
    new RtrError("invalid_request", `Cannot write the chat as ${wire}: ${reason}`)
