// Answers with a fixed text; no model is called.

import { definePlugin, section, textReply, Type } from "../../kernel/index.ts"

export default definePlugin({
  about: "Answers at once with a fixed message instead of calling a model",
  options: section({ message: Type.String({ minLength: 1, pattern: "\\S", description: "The assistant's text" }) }),
  hooks: ["before"],
  answers: true,
  // Before everything that would only prepare a model call.
  order: 0,
  setup: ({ message }) => ({
    open: () => ({
      before: () => ({
        answer: textReply({ text: message, model: "router", id: `chatcmpl-fast-${crypto.randomUUID()}` }),
      }),
    }),
  }),
})
