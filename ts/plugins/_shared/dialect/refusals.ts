// Errors of requests and replies that are none.

import { RtrError } from "../../../kernel/index.ts"

/** For a client's body that is no request. */
export const badRequest = (reason: string): RtrError =>
  new RtrError("invalid_request", `Cannot read the chat request: ${reason}`)

/** For what a backend may not send. The reason quotes nothing of it, because it goes into the log. */
export const badReply = (reason: string): RtrError => new RtrError("upstream_error", reason, { reason })

/** For an error that a backend sent instead of a reply. */
export const failedReply = (message: string): RtrError =>
  new RtrError("upstream_error", `${reportedError}: ${message}`, { reason: reportedError })

const reportedError = "the backend reported an error"

/** Gives the errors for what a chat holds and a wire cannot say. */
export const cannotWrite =
  (wire: string) =>
  (reason: string): RtrError =>
    new RtrError("invalid_request", `Cannot write the chat as ${wire}: ${reason}`)
