// Google Vertex AI through its chat-completions endpoint.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"

export default chatCompletionsProvider({
  about: "Google Vertex AI",
  authHeader: "authorization",
  authPrefix: "Bearer ",
  chatPath: "/chat/completions",
})
