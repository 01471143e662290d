// Google Vertex AI through its chat-completions endpoint.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"

export default chatCompletionsProvider({
  about: "Google Vertex AI",
  source: "https://cloud.google.com/vertex-ai/generative-ai/docs/start/openai",
  authHeader: "authorization",
  authPrefix: "Bearer ",
  reasoning: "effort",
  chatPath: "/chat/completions",
})
