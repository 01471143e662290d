// OpenAI.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"
import { responsesFormat } from "../_shared/responses-format.ts"

const key = { authHeader: "authorization", authPrefix: "Bearer " }

export default chatCompletionsProvider({
  about: "OpenAI and hosts with its headers",
  baseUrl: "https://api.openai.com/v1",
  keyVariable: "OPENAI_API_KEY",
  source: "https://platform.openai.com/docs/api-reference",
  ...key,
  reasoning: "effort",
  chatPath: "/chat/completions",
  formats: { responses: responsesFormat(key, "/responses") },
})
