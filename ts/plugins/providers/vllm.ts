// Any server that speaks chat completions: vLLM, llama.cpp, Ollama and the like.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"

export default chatCompletionsProvider({
  about: "Any chat-completions server, such as vLLM, llama.cpp or Ollama",
  isDefault: true,
  authHeader: "authorization",
  authPrefix: "Bearer ",
  chatPath: "/chat/completions",
})
