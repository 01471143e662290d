// The name of the chat-completions dialect.

export const dialectId = "chat_completions"
