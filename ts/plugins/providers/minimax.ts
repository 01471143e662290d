// MiniMax.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"

export default chatCompletionsProvider({
  about: "MiniMax",
  authHeader: "authorization",
  authPrefix: "Bearer ",
  chatPath: "/v1/chat/completions",
})
