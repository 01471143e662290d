// A kernel with modules of a test: what its clients got, what its backends got, and the records of its calls.

import {
  type CallRecord,
  definePlugin,
  type PluginCall,
  type PluginHook,
  type PluginHooks,
  type PluginModule,
  Type,
} from "rtr"
import { onTestFinished } from "vitest"
import { documentWith } from "./document.ts"
import { dataOf } from "./event-stream.ts"
import { chat, createFakeKernel, type FakeKernel } from "./kernel.ts"
import { type FakeReply, type FakeTransport } from "./transport.ts"

export interface WatchedKernel {
  readonly kernel: FakeKernel
  readonly transport: FakeTransport
  readonly records: readonly CallRecord[]
  /** Errors that are bugs, with the module or the request that they are of. */
  readonly told: readonly (readonly [error: unknown, about: string])[]
  /** Asks for a whole reply. */
  ask(text: string, changes?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Asks for a stream and reads it to its end. */
  stream(text: string, changes?: object): Promise<Answer & { readonly events: readonly unknown[] }>
  /** The bodies that the backends got. */
  sent(): readonly Readonly<Record<string, unknown>>[]
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- the wire form, which each test reads its own way
  readonly body: any
}

export interface WatchedOptions extends Partial<Parameters<typeof createFakeKernel>[0] & object> {
  /** Changes of the small document, whose decision `rush` matches the word "urgent". */
  readonly changes?: Readonly<Record<string, unknown>>
  readonly transport?: FakeTransport
}

export async function watchedKernel({ changes = {}, ...options }: WatchedOptions = {}): Promise<WatchedKernel> {
  const records: CallRecord[] = []
  const told: (readonly [unknown, string])[] = []
  const kernel = await createFakeKernel({
    config: documentWith(changes),
    onInternalError: (error, about) => told.push([error, about]),
    ...options,
    onRecord: (record) => records.push(structuredCloneOf(record)),
  })
  onTestFinished(() => kernel.close())
  const fetch = async (request: Request): Promise<Answer> => {
    const response = await kernel.fetch(request)
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }
  return {
    kernel,
    transport: kernel.transport,
    records,
    told,
    ask: (text, body, headers) => fetch(chat(text, body, headers)),
    async stream(text, body) {
      const answer = await fetch(chat(text, { ...body, stream: true }))
      return { ...answer, events: dataOf(answer.text) }
    },
    sent: () => kernel.transport.requests.map(({ body }) => JSON.parse(body ?? "{}") as Record<string, unknown>),
  }
}

/** The record as it is when it is told; nothing may change afterwards. */
function structuredCloneOf(record: CallRecord): CallRecord {
  return { ...record, plugins: [...record.plugins], attempts: record.attempts.map((attempt) => ({ ...attempt })) }
}

/** A plugin with these hooks; they get the call that they were opened for. */
export function hookPlugin<Hook extends PluginHook>(
  open: (call: PluginCall) => Pick<PluginHooks, Hook>,
  changes: Partial<PluginModule<ReturnType<typeof Type.Object>, Hook>> & { readonly hooks: readonly Hook[] },
): PluginModule {
  const made = definePlugin({
    about: "Does what a test says",
    options: Type.Object({}),
    hooks: changes.hooks,
    setup: () => ({ open }),
  })
  return { ...made, ...changes } as unknown as PluginModule
}

/** Watched kernel whose decision `rush` lists these plugins, outermost first. */
export function kernelWithPlugins(
  plugins: Readonly<Record<string, PluginModule>>,
  { changes = {}, ...options }: WatchedOptions = {},
): Promise<WatchedKernel> {
  return watchedKernel({
    modules: plugins,
    changes: {
      "routing.decisions.0.plugins": Object.keys(plugins).map((type) => ({ type, configuration: {} })),
      ...changes,
    },
    ...options,
  })
}

/** One chunk of a streamed reply with this text. */
export const chunk = (content: string, changes: object = {}): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "upstream-model",
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...changes,
})

/** The last chunk of a streamed reply, with its usage. */
export const lastChunk = (changes: object = {}): object =>
  chunk("", {
    choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    ...changes,
  })

export interface GatedReply {
  readonly reply: FakeReply
  /** Lets one piece of the body come. */
  send(piece: string | object): void
  /** Ends the body. */
  end(): void
}

/** A streamed reply whose pieces come when the test says so. */
export function gatedReply(): GatedReply {
  const pieces: (string | undefined)[] = []
  let wake: (() => void) | undefined
  const push = (piece: string | undefined): void => {
    pieces.push(piece)
    wake?.()
  }
  return {
    reply: {
      headers: { "content-type": "text/event-stream" },
      async pull() {
        while (pieces.length === 0) await new Promise<void>((resolve) => (wake = resolve))
        return pieces.shift()
      },
      onCancel: () => push(undefined),
    },
    send: (piece) => push(typeof piece === "string" ? piece : `data: ${JSON.stringify(piece)}\n\n`),
    end: () => push(undefined),
  }
}
