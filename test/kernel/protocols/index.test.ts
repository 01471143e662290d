import { expect, test } from "vitest"
import { readChatRequest, writeChatBatch, writeChatError } from "../../../ts/kernel/protocols/chat-completions.ts"
import { chatCompletions } from "../../../ts/kernel/protocols/index.ts"

test("the codec of chat completions is complete", () => {
  expect(chatCompletions).toEqual({
    readRequest: readChatRequest,
    writeBatch: writeChatBatch,
    writeError: writeChatError,
  })
})
