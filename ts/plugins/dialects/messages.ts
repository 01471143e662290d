// The Messages wire: Anthropic's API and what follows it.

import { defineDialect } from "../../kernel/index.ts"
import { errorBody, errorEvent, failureBody, readError } from "../_shared/messages/errors.ts"
import { leftOut } from "../_shared/messages/left-out.ts"
import { readReply, writeReply } from "../_shared/messages/reply.ts"
import { readRequest, writeRequest } from "../_shared/messages/request.ts"
import { createReader } from "../_shared/messages/stream-reader.ts"
import { createWriter } from "../_shared/messages/stream-writer.ts"
import { references, wireTerms } from "../_shared/messages/wire-terms.ts"

export default defineDialect({
  about: "Messages, the wire of Anthropic's API",
  streamType: "text/event-stream; charset=utf-8",
  // Versions and names of features, which hold no sentences.
  clientHeaders: {
    "anthropic-version": /^\d{4}-\d{2}-\d{2}$/,
    "anthropic-beta": /^[a-z\d-]{1,64}(?: ?, ?[a-z\d-]{1,64}){0,31}$/,
  },
  idHeader: "request-id",
  wireTerms,
  references,
  schemas: async () => (await import("../_shared/messages/schemas.ts")).schemas,
  readRequest,
  writeRequest,
  leftOut,
  readReply,
  writeReply,
  reader: createReader,
  writer: createWriter,
  readError,
  errorBody,
  failureBody,
  errorEvent,
})
