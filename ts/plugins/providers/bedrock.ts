// Amazon Bedrock through its chat-completions endpoint.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"

export default chatCompletionsProvider({
  about: "Amazon Bedrock",
  source: "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html",
  authHeader: "authorization",
  authPrefix: "Bearer ",
  reasoning: "effort",
  chatPath: "/chat/completions",
})
