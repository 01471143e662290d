// Anthropic, and hosts that speak its Messages API.

import { defineProvider } from "../../kernel/index.ts"
import { messagesFormat } from "../_shared/messages/provider-format.ts"

const format = messagesFormat({ authHeader: "x-api-key", authPrefix: "" })

export default defineProvider({
  about: "Anthropic and hosts that speak its Messages API",
  baseUrl: "https://api.anthropic.com",
  keyVariable: "ANTHROPIC_API_KEY",
  source: "https://docs.anthropic.com/en/api/messages",
  ...format,
  formats: { anthropic: format },
})
