// The Responses wire: OpenAI's newer API, whose conversations are lists of items.

import { defineDialect } from "../../kernel/index.ts"
import { errorBody, errorEventAfter, failureBody, readError } from "../_shared/responses/errors.ts"
import { leftOut } from "../_shared/responses/left-out.ts"
import { readReply, writeReply } from "../_shared/responses/reply.ts"
import { readRequest, writeRequest } from "../_shared/responses/request.ts"
import { createReader } from "../_shared/responses/stream-reader.ts"
import { createWriter } from "../_shared/responses/stream-writer.ts"
import { references, wireTerms } from "../_shared/responses/wire-terms.ts"

export default defineDialect({
  about: "Responses, OpenAI's API of items: messages, calls, outputs and reasoning",
  streamType: "text/event-stream; charset=utf-8",
  schemas: async () => (await import("../_shared/responses/schemas.ts")).schemas,
  wireTerms,
  references,
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
  errorEvent: errorEventAfter,
})
