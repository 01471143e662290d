// Asks an external chat model one question and gives its words.

import type { Transport } from "../../../kernel/index.ts"
import { postJson, wrongAnswer } from "./call.ts"
import { type ExternalModel, externalName, originOf } from "./settings.ts"

export interface ChatQuestion {
  readonly system?: string | undefined
  readonly user: string
  readonly maxTokens: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** What the model wrote, without its thoughts. The text is the model's: it never stands in a message. */
export async function askChat(transport: Transport, model: ExternalModel, question: ChatQuestion): Promise<string> {
  const who = `external model "${externalName(model)}"`
  const { system, user, timeoutMs, signal } = question
  const reply = (await postJson(transport, {
    who,
    url: `${originOf(model)}/v1/chat/completions`,
    body: {
      model: model.llm_model_name,
      messages: [
        ...(system === undefined ? [] : [{ role: "system", content: system }]),
        { role: "user", content: user },
      ],
      max_tokens: model.max_tokens || question.maxTokens,
      temperature: model.temperature ?? 0,
      stream: false,
    },
    bearer: model.access_key,
    timeoutMs,
    maxRequestBytes: model.max_request_bytes,
    maxResponseBytes: model.max_response_bytes,
    signal,
  })) as { readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[] } | null
  const content = reply?.choices?.[0]?.message?.content
  if (typeof content !== "string") throw wrongAnswer(who, "it is no chat completion with a text")
  return content.replace(/^\s*<think>[^]*?<\/think>/, "").trim()
}
