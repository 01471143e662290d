// Requests of loopers: the client's, with another prompt, without its tools, with limits of their own.

import type { ChatRequest, Turn } from "../../../kernel/index.ts"

export interface CallLimits {
  readonly temperature?: number | undefined
  readonly maxOutputTokens?: number | undefined
}

const userTurn = (text: string): Turn => ({ role: "user", blocks: [{ type: "text", text }] })

/** One more user turn. */
export const withPrompt = (request: ChatRequest, prompt: string): ChatRequest => ({
  ...request,
  turns: [...request.turns, userTurn(prompt)],
})

/** A turn whose text is another one; its images and files stay. */
export const withText = (turn: Turn, text: string): Turn => ({
  role: turn.role,
  blocks: [...turn.blocks.filter(({ type }) => type !== "text"), { type: "text", text }],
})

/** The prompt in place of the user's last words; behind what is no user turn, such as the result of a tool. */
export function withLastPrompt(request: ChatRequest, prompt: string): ChatRequest {
  const last = request.turns.at(-1)
  return last?.role === "user"
    ? { ...request, turns: [...request.turns.slice(0, -1), withText(last, prompt)] }
    : withPrompt(request, prompt)
}

/**
 * One reply in text, whatever the client asked for. The tools stay where there are some: earlier turns may hold tool calls,
 * which some backends accept only beside their tools.
 */
export const asHelper = (request: ChatRequest): ChatRequest => {
  const { count: _, logprobs: __, topLogprobs: ___, ...generation } = request.generation
  return {
    ...request,
    toolChoice: request.tools.length === 0 ? undefined : "none",
    parallelToolCalls: undefined,
    generation,
  }
}

export const withLimits = (request: ChatRequest, { temperature, maxOutputTokens }: CallLimits): ChatRequest =>
  temperature === undefined && maxOutputTokens === undefined
    ? request
    : {
        ...request,
        generation: {
          ...request.generation,
          ...(temperature !== undefined && { temperature }),
          ...(maxOutputTokens !== undefined && { maxOutputTokens }),
        },
      }
