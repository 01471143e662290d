// What the cards of the models say, in the words that their makers advertise them with. `router_dc`, `hybrid` and `decision` read them.

export const descriptions: Readonly<Record<string, string>> = {
  "Meta-Llama-3_1-70B-Instruct": "Large general model for hard questions: reasoning, mathematics, science and law",
  "Meta-Llama-3_1-8B-Instruct": "Small general model for everyday questions and instructions in several languages",
  "Mistral-7B-Instruct-v0.1": "Small and quick model for simple questions and summaries in English",
  "Mistral-7B-Instruct-v0.2": "Small and quick model for simple questions and longer texts in English",
  "Mixtral-8x7B-Instruct-v0.1": "Medium mixture of experts for code, mathematics and European languages",
  "Phi-3-mini-4k-instruct": "Very small model trained on textbooks, for logic, mathematics and science",
  "Qwen1.5-72B-Chat": "Large model for English and Chinese: general knowledge, history, society and writing",
  "Qwen1.5-7B-Chat": "Small model for conversations in English and Chinese",
  "Yi-6b-Chat": "Small model for conversations and reading in English and Chinese",
  "c4ai-command-r-v01": "Model for business: documents, retrieval, tools and summaries",
  "gemini-1.5-flash-002": "Quick and cheap general model for long texts and many requests",
  "gemini-1.5-pro-002": "The strongest general model, for complex reasoning in every subject",
  "mathstral-7B": "Small model for mathematics, physics and scientific reasoning in several steps",
}
