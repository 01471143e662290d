// Google Gemini through its chat-completions endpoint.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"

export default chatCompletionsProvider({
  about: "Google Gemini",
  authHeader: "authorization",
  authPrefix: "Bearer ",
  chatPath: "/chat/completions",
})
