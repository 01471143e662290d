// OpenAI.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"

export default chatCompletionsProvider({
  about: "OpenAI and hosts with its headers",
  authHeader: "authorization",
  authPrefix: "Bearer ",
  chatPath: "/chat/completions",
})
