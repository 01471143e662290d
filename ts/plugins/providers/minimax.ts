// MiniMax.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"

export default chatCompletionsProvider({
  about: "MiniMax",
  baseUrl: "https://api.minimax.io/v1",
  keyVariable: "MINIMAX_API_KEY",
  source: "https://platform.minimax.io/docs/api-reference/text-openai-api",
  authHeader: "authorization",
  authPrefix: "Bearer ",
  chatPath: "/v1/chat/completions",
})
