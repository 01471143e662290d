// OpenAI.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"
import { responsesFormat } from "../_shared/responses-format.ts"

const key = { authHeader: "authorization", authPrefix: "Bearer " }

export default chatCompletionsProvider({
  about: "OpenAI and hosts with its headers",
  ...key,
  chatPath: "/chat/completions",
  formats: { responses: responsesFormat(key, "/responses") },
})
