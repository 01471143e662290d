// Any server that speaks chat completions: vLLM, llama.cpp, Ollama and the like.

import { chatCompletionsProvider } from "../_shared/chat-completions-provider.ts"
import { responsesFormat } from "../_shared/responses-format.ts"

const key = { authHeader: "authorization", authPrefix: "Bearer " }

export default chatCompletionsProvider({
  about: "Any chat-completions server, such as vLLM, llama.cpp or Ollama",
  source: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
  isDefault: true,
  ...key,
  chatPath: "/chat/completions",
  formats: { responses: responsesFormat(key, "/responses") },
})
