// Anthropic, and hosts that speak its Messages API.

import { defineProvider } from "../../kernel/index.ts"
import { jsonBackend } from "../_shared/chat-completions-provider.ts"
import { withThinking } from "../_shared/messages/thinking.ts"

const address = {
  authHeader: "x-api-key",
  authPrefix: "",
  chatPath: "/v1/messages",
  // Every host knows this version; a client that names another gets that one.
  headers: { "anthropic-version": "2023-06-01" },
}

export default defineProvider({
  about: "Anthropic and hosts that speak its Messages API",
  dialect: "messages",
  setup: (backend) =>
    // A client that says itself how long to think is not overruled.
    jsonBackend(
      backend,
      address,
      () =>
        (body, { enabled, effort }) =>
          enabled && !("thinking" in body) ? withThinking(body, effort) : body,
    ),
})
