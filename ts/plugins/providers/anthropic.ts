// Anthropic, and hosts that speak its Messages API.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"
import { withThinking } from "../_shared/messages/thinking.ts"

export default chatCompletionsProvider({
  about: "Anthropic and hosts that speak its Messages API",
  dialect: "messages",
  authHeader: "x-api-key",
  authPrefix: "",
  chatPath: "/v1/messages",
  // Every host knows this version; a client that names another gets that one.
  headers: { "anthropic-version": "2023-06-01" },
  // A client that says itself how long to think is not overruled.
  withReasoning: (body, { enabled, effort }) =>
    enabled && !("thinking" in body) ? withThinking(body, effort, { freeLimit: false }) : body,
})
