// Azure OpenAI: its own key header, and the API version in the query.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"

export default chatCompletionsProvider({
  about: "Azure OpenAI",
  authHeader: "api-key",
  authPrefix: "",
  chatPath: "/chat/completions",
  versionParameter: "api-version",
})
