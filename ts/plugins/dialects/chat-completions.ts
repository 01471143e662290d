// The chat-completions wire: OpenAI's API and everything that follows it.

import { defineDialect } from "../../kernel/index.ts"
import { errorBody, errorEvent, failureBody, readError } from "../_shared/chat-completions/errors.ts"
import { leftOut } from "../_shared/chat-completions/left-out.ts"
import { readReply, writeReply } from "../_shared/chat-completions/reply.ts"
import { readRequest, writeRequest } from "../_shared/chat-completions/request.ts"
import { createReader } from "../_shared/chat-completions/stream-reader.ts"
import { createWriter } from "../_shared/chat-completions/stream-writer.ts"

export default defineDialect({
  about: "Chat completions, the wire that most clients and backends speak",
  streamType: "text/event-stream; charset=utf-8",
  schemas: async () => (await import("../_shared/chat-completions/schemas.ts")).schemas,
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
