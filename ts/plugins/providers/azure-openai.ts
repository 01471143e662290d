// Azure OpenAI: its own key header, and the API version in the query.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"
import { responsesFormat } from "../_shared/responses-format.ts"

const address = { authHeader: "api-key", authPrefix: "", versionParameter: "api-version" }

export default chatCompletionsProvider({
  about: "Azure OpenAI",
  source: "https://learn.microsoft.com/en-us/azure/ai-services/openai/reference",
  ...address,
  reasoning: "effort",
  chatPath: "/chat/completions",
  formats: { responses: responsesFormat(address, "/responses") },
})
