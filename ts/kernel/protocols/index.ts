// One codec for each wire that clients speak.

import { readChatRequest, writeChatBatch, writeChatError } from "./chat-completions.ts"

export const chatCompletions = {
  readRequest: readChatRequest,
  writeBatch: writeChatBatch,
  writeError: writeChatError,
} as const
