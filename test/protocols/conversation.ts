// A conversation in no protocol's terms: what a client asks, and what a model says.

export type Protocol = "chat_completions" | "messages" | "responses"

export type Part =
  | { readonly kind: "text" | "refusal"; readonly text: string }
  /** `proof` is what the vendor wants back. Without a text the vendor has hidden it. */
  | { readonly kind: "thought"; readonly text: string; readonly proof?: string }
  /** An address or a `data:` URL. */
  | { readonly kind: "image"; readonly url: string }
  | { readonly kind: "pdf"; readonly data: string; readonly name?: string }
  | { readonly kind: "audio"; readonly data: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly input: string }
  | { readonly kind: "result"; readonly id: string; readonly parts: readonly Part[]; readonly failed?: true }

export interface Turn {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly parts: readonly Part[]
}

export interface Settings {
  readonly tools?: readonly { readonly name: string; readonly description?: string; readonly schema: object }[]
  readonly choice?: "auto" | "none" | "required" | { readonly name: string }
  /** One call at a time. */
  readonly single?: true
  readonly limit?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly schema?: object
  /** Tokens of thought. */
  readonly effort?: "low" | "medium" | "high"
  readonly user?: string
  readonly tokens?: true
}

export interface Asked extends Settings {
  readonly turns: readonly Turn[]
}

export type Stop = "end" | "limit" | "calls" | "filtered" | "refused" | "sequence" | "paused"

export interface Usage {
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly written: number
  readonly reasoning: number
}

export interface Said {
  readonly parts: readonly Part[]
  readonly stop: Stop
  readonly usage: Usage
  /** Log probabilities of the text's tokens. */
  readonly tokens?: readonly (readonly [token: string, logprob: number])[]
}

export const text = (value: string): Part => ({ kind: "text", text: value })
export const image = (url: string): Part => ({ kind: "image", url })
export const call = (id: string, name: string, input: object): Part => ({
  kind: "call",
  id,
  name,
  input: JSON.stringify(input),
})
export const result = (id: string, ...parts: readonly Part[]): Part => ({ kind: "result", id, parts })
export const turn = (role: Turn["role"], ...parts: readonly (Part | string)[]): Turn => ({
  role,
  parts: parts.map((part) => (typeof part === "string" ? text(part) : part)),
})

/** Turns without those that say nothing; turns of one role that follow each other are one. Protocols cut them in their own ways. */
export function merged(turns: readonly Turn[]): readonly Turn[] {
  const found: Turn[] = []
  for (const { role, parts } of turns) {
    const last = found.at(-1)
    if (parts.length === 0) continue
    if (last?.role === role) found[found.length - 1] = { role, parts: [...last.parts, ...parts] }
    else found.push({ role, parts })
  }
  return found
}

/** The parts without some kinds. */
export const without = (parts: readonly Part[], drop: (part: Part) => boolean): readonly Part[] =>
  parts.filter((part) => !drop(part))

/** Two pieces of a text, as a stream has them; the cut may stand inside a word. */
export const pieces = (value: string): readonly string[] => {
  const letters = Array.from(value)
  const half = Math.ceil(letters.length / 2)
  return [letters.slice(0, half).join(""), letters.slice(half).join("")].filter((piece) => piece !== "")
}

/** The fields that have a value. */
export const defined = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Value

/** The fields but for some. */
export const leftOut = <Value extends object>(value: Value, ...names: readonly (keyof Value)[]): Value =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name as keyof Value))) as Value
