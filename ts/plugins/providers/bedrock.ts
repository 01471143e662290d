// Amazon Bedrock through its chat-completions endpoint.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"

export default chatCompletionsProvider({
  about: "Amazon Bedrock",
  authHeader: "authorization",
  authPrefix: "Bearer ",
  chatPath: "/chat/completions",
})
