// A helper over real HTTP that fails in every way that there is: a worker of signal models, or a server of chat models.

import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { UnknownReason } from "rtr"

/** What a module asks: a kind of question for a worker, or a chat model. */
export type Asked = "classify" | "spans" | "embed" | "decide" | "chat" | "http_chat" | "http_classify"

/** Writes the answer to one request; `good` is the body of one that is as it should be. */
type Misbehave = (response: ServerResponse, good: string) => void

export interface Failure {
  readonly name: string
  /** What the documentation calls it. */
  readonly about: string
  readonly misbehave: Misbehave
  /** The reason of the facts that are unknown then. */
  readonly reason: UnknownReason
  /** The reason where a service of somebody else fails. */
  readonly ofServices?: UnknownReason
  /** Modules that it concerns; all when left out. */
  readonly asked?: readonly Asked[]
  /** The answer comes too late or never, so that a short deadline ends the wait. */
  readonly late?: true
  /** Nobody listens any more. */
  readonly gone?: true
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}
const badGateway: Misbehave = (response) =>
  void response.writeHead(502, { "content-type": "text/html" }).end("<html>a secret</html>")

/** What asks servers of others, which have no codes of their own. */
export const services: readonly Asked[] = ["http_chat", "http_classify"]
const workers: readonly Asked[] = ["classify", "spans", "embed", "decide"]

/** An answer of a worker with every result changed. */
const withResults =
  (change: (result: WireResult) => unknown): Misbehave =>
  (response, good) => {
    const { results } = JSON.parse(good) as { readonly results: readonly WireResult[] }
    json(response, 200, { results: results.map(change) })
  }

/** An answer of a chat model with another text. */
const withText =
  (text: unknown): Misbehave =>
  (response, good) => {
    const reply = JSON.parse(good) as { readonly choices: readonly { readonly message: object }[] }
    const choices = reply.choices.map((choice) => ({ ...choice, message: { ...choice.message, content: text } }))
    json(response, 200, { ...reply, choices })
  }

/** A result of a bundle, as the worker below writes it. */
interface WireResult {
  readonly id: string
  readonly status: number
  readonly classify?: {
    readonly labels: readonly string[]
    readonly results: readonly {
      readonly probabilities?: readonly number[]
      readonly spans?: readonly { readonly probability: number }[]
    }[]
  }
  readonly embeddings?: { readonly data: readonly { readonly embedding: string }[] }
  readonly decisions?: { readonly answers: { readonly q: Readonly<Record<string, unknown>> } }
}

/** A result whose numbers are changed; a vector is given new values. */
const withNumbers = (toNumber: (value: number) => number | null, vector: readonly number[]): Misbehave =>
  withResults(({ classify, embeddings, decisions, ...rest }) => ({
    ...rest,
    ...(classify && {
      classify: {
        ...classify,
        results: classify.results.map(({ probabilities, spans }) => ({
          ...(probabilities && { probabilities: probabilities.map(toNumber) }),
          ...(spans && { spans: spans.map((span) => ({ ...span, probability: toNumber(span.probability) })) }),
        })),
      },
    }),
    ...(embeddings && { embeddings: { data: [{ embedding: base64(vector) }] } }),
    ...(decisions && { decisions: { answers: { q: numbersOf(decisions.answers.q, toNumber) } } }),
  }))

function numbersOf(answer: unknown, toNumber: (value: number) => number | null): unknown {
  if (typeof answer === "number") return toNumber(answer)
  if (typeof answer !== "object" || answer === null) return answer
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, numbersOf(value, toNumber)]))
}

/** Every way in which a helper fails. */
export const failures: readonly Failure[] = [
  { name: "refused", about: "nobody listens", misbehave: () => {}, reason: "unavailable", gone: true },
  {
    name: "closes",
    about: "it closes the connection without an answer",
    misbehave: (response) => response.destroy(),
    reason: "unavailable",
  },
  { name: "hung", about: "it never answers", misbehave: () => {}, reason: "timeout", late: true },
  {
    name: "slow",
    about: "the answer comes after the deadline",
    misbehave: (response, good) => afterReplies.push(() => response.end(good)),
    reason: "timeout",
    late: true,
  },
  {
    name: "trickles",
    about: "the answer comes byte by byte and does not end",
    misbehave: (response) => {
      const timer = setInterval(() => response.write(" "), 5)
      response.on("close", () => clearInterval(timer))
    },
    reason: "timeout",
    late: true,
  },
  {
    name: "overloaded",
    about: "503 with the code `overloaded`",
    misbehave: (response) => json(response, 503, { error: { code: "overloaded", message: "busy" } }),
    reason: "overloaded",
    asked: workers,
  },
  {
    name: "500",
    about: "500 with an error",
    misbehave: (response) => json(response, 500, { error: { code: "internal_error", message: "a secret" } }),
    reason: "failed",
    ofServices: "unavailable",
  },
  {
    name: "gateway",
    about: "502 with a page instead of JSON",
    misbehave: badGateway,
    reason: "unavailable",
    asked: [...workers, ...services],
  },
  {
    name: "gateway",
    about: "502 with a page instead of JSON",
    misbehave: badGateway,
    reason: "failed",
    asked: ["chat"],
  },
  {
    name: "no JSON",
    about: "200 with something that is no JSON",
    misbehave: (response) => void response.writeHead(200, { "content-type": "application/json" }).end('{"a secret'),
    reason: "failed",
  },
  ...[{}, null, [], "a secret", { results: {} }, { results: "a secret" }, { choices: {} }].map((body): Failure => ({
    name: `the body ${JSON.stringify(body)}`,
    about: "200 with another form",
    misbehave: (response) => json(response, 200, body),
    reason: "failed",
  })),
  {
    name: "too few rows",
    about: "fewer answers than questions",
    misbehave: (response) => json(response, 200, { results: [] }),
    reason: "failed",
    asked: workers,
  },
  {
    name: "empty rows",
    about: "answers without content",
    misbehave: withResults(({ id }) => ({ id, status: 200, classify: { results: [] }, embeddings: { data: [] } })),
    reason: "failed",
    asked: workers,
  },
  {
    name: "other questions",
    about: "answers to other questions",
    misbehave: withResults((result) => ({ ...result, id: `${result.id}9` })),
    reason: "failed",
    asked: workers,
  },
  {
    name: "no numbers",
    about: "NaN, which JSON writes as null",
    misbehave: withNumbers(() => null, [Number.NaN, 0]),
    reason: "failed",
    asked: workers,
  },
  {
    name: "out of range",
    about: "probabilities above 1, vectors that do not have length 1",
    misbehave: withNumbers((value) => value + 5, [0, 700]),
    reason: "failed",
    asked: workers,
  },
  {
    name: "another width",
    about: "a vector of another width, another number of probabilities",
    misbehave: withResults(({ classify, embeddings, ...rest }) => ({
      ...rest,
      ...(classify && { classify: { labels: classify.labels, results: [{ probabilities: [1] }] } }),
      ...(embeddings && { embeddings: { data: [{ embedding: base64([0, 0, 1]) }] } }),
    })),
    reason: "failed",
    asked: ["classify", "spans", "embed"],
  },
  {
    name: "unknown labels",
    about: "labels that the module does not know",
    misbehave: withResults(({ classify, decisions, ...rest }) => ({
      ...rest,
      ...(classify && { classify: { ...classify, labels: classify.labels.map((_, index) => `LABEL_${index}`) } }),
      ...(decisions && {
        decisions: { answers: { q: { ...decisions.answers.q, choice: "nobody", probabilities: { nobody: 1 } } } },
      }),
    })),
    reason: "failed",
    asked: ["classify", "decide"],
  },
  {
    name: "outside of the text",
    about: "a span that is no part of the text",
    misbehave: withResults((result) => ({
      ...result,
      classify: { labels: [], results: [{ spans: [{ label: "PERSON", start: 3, end: 1e6, probability: 0.9 }] }] },
    })),
    reason: "failed",
    asked: ["spans"],
  },
  ...["a secret in prose", '{"a secret": true}', "", null].map((text): Failure => ({
    name: `the text ${JSON.stringify(text)}`,
    about: "a chat model that answers something else",
    misbehave: withText(text),
    reason: "failed",
    asked: ["chat"],
  })),
]

/** Answers that come when the client has its reply. */
const afterReplies: (() => void)[] = []

// ── a helper that is as it should be ──

export const base64 = (values: readonly number[]): string =>
  Buffer.from(Float32Array.from(values).buffer).toString("base64")

/** Two directions, by a word of the text. */
const vectorOf = (text: string): readonly number[] => (text.includes("blue") ? [0, 1] : [1, 0])

const heads: Readonly<Record<string, readonly string[]>> = {
  domain: ["math", "law", "other"],
  fact_check: ["fact_check", "no_fact_check"],
  feedback: ["WRONG_ANSWER", "SAT", "NEED_CLARIFICATION", "WANT_DIFFERENT", "NONE"],
  modality: ["DIFFUSION", "AR", "BOTH"],
  jailbreak: ["jailbreak", "benign"],
  doubtful: ["benign", "jailbreak"],
  colours: ["blue", "red"],
}

interface WireTask {
  readonly id: string
  readonly classify?: { readonly head?: string; readonly input: string | readonly object[] }
  readonly embeddings?: { readonly input: readonly string[] }
  readonly decisions?: {
    readonly questions: {
      readonly q: { readonly type: string; readonly choices?: readonly { readonly key: string }[] }
    }
  }
}

/** A bundle: the first label is the surest, a name is marked, the last choice is made. */
function bundleOf(body: string): object {
  const { tasks } = JSON.parse(body) as { readonly tasks: readonly WireTask[] }
  return { results: tasks.map((task): WireResult => ({ id: task.id, status: 200, ...resultOf(task) })) }
}

function resultOf({ classify, embeddings, decisions }: WireTask): Partial<WireResult> {
  if (embeddings !== undefined)
    return { embeddings: { data: [{ embedding: base64(vectorOf(embeddings.input[0] ?? "")) }] } }
  if (decisions !== undefined) {
    const { type, choices = [] } = decisions.questions.q
    const keys = choices.map(({ key }) => key)
    const probabilities = Object.fromEntries(keys.map((key, index) => [key, index === keys.length - 1 ? 1 : 0]))
    const chosen = { type, choice: keys.at(-1), probabilities, confidence: 0.9, noul: 0.9 }
    return { decisions: { answers: { q: chosen } } }
  }
  if (classify?.head === "hallucination")
    return {
      classify: {
        labels: [],
        results: [{ spans: [{ label: "UNSUPPORTED", start: 0, end: 2, probability: 0.9 } as never] }],
      },
    }
  if (classify?.head === "pii")
    return {
      classify: {
        labels: [],
        results: [{ spans: [{ label: "PERSON", start: 0, end: 3, probability: 0.9 } as never] }],
      },
    }
  const labels = heads[classify?.head ?? ""] ?? []
  const rest = 0.1 / (labels.length - 1)
  return { classify: { labels, results: [{ probabilities: labels.map((_, index) => (index === 0 ? 0.9 : rest)) }] } }
}

/** What a chat model says: the model that a helper is asked for, or a greeting. */
const completionOf = (text: string): object => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "upstream-model",
  choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
})

/** Servers of others have no name in front of their paths. */
function answerOf(path: readonly string[], body: string, says: string): object {
  if (path.at(-1) === "bundle") return bundleOf(body)
  if (path[0] === "classify")
    return [
      { label: "blue", score: 0.9 },
      { label: "red", score: 0.1 },
    ]
  return completionOf(path[0] === "v1" || path[0]?.startsWith("helper") === true ? says : "hi")
}

export interface Helper {
  readonly origin: string
  /** What the helper at `origin/NAME` does from now on. */
  fail(name: string, failure: Failure): void
  /** Gives the answers that were to be late. */
  answerLate(): void
  close(): Promise<void>
}

/** `says` is the text of the chat model. */
export async function startHelper(says: string): Promise<Helper> {
  const failing = new Map<string, Failure>()
  const server = createServer(async (request, response) => {
    const [, name = "", ...path] = (request.url ?? "").split("/")
    const body = await textOf(request)
    const answer = answerOf([name, ...path], body, says)
    const good = JSON.stringify(answer)
    const failure = failing.get(name)
    if (failure === undefined) json(response, 200, answer)
    else failure.misbehave(response, good)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (name, failure) => void failing.set(name, failure),
    answerLate: () => {
      for (const answer of afterReplies.splice(0)) answer()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ""
  for await (const piece of request) text += String(piece)
  return text
}
