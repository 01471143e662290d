// Google Gemini through its chat-completions endpoint.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"

export default chatCompletionsProvider({
  about: "Google Gemini",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
  keyVariable: "GEMINI_API_KEY",
  source: "https://ai.google.dev/gemini-api/docs/openai",
  authHeader: "authorization",
  authPrefix: "Bearer ",
  reasoning: "effort",
  chatPath: "/chat/completions",
})
