// Kernels that ask a helper over HTTP: one whose deadline is short and one whose deadline is long.

import { type CallRecord, requestLine } from "rtr"
import { createKernel, createNodeTransport, createRemoteInference } from "rtr/node"
import { documentWith } from "../fakes/document.ts"
import { chat, post } from "../fakes/kernel.ts"
import { type Failure, type Helper, startHelper } from "./_helper.ts"

/** Deadlines of the stage in milliseconds: one that ends waits, and one that nothing here reaches. */
const [short, long] = [60, 20_000]

/** What a client, the log and a preview got. */
export interface Outcome {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly record: CallRecord | undefined
  readonly line: Readonly<Record<string, unknown>>
  // oxlint-disable-next-line typescript/no-explicit-any -- the wire form of the preview
  readonly preview: any
}

export interface Served {
  /** Asks while the helper fails so; as it should be without a failure. */
  ask(failure?: Failure): Promise<Outcome>
  close(): Promise<void>
}

export interface ServedOptions {
  /** `port` is that of servers of others. */
  readonly changes: Readonly<Record<string, unknown>> | ((port: number) => Readonly<Record<string, unknown>>)
  readonly messages?: readonly object[] | undefined
  /** The model name that clients ask for; `MoM` when left out. */
  readonly model?: string
  /** Only the deployment of this name fails, which answers beside the others. */
  readonly failing?: string
  /** What a chat model that is asked says. */
  readonly says?: string
}

const colours = { labels: { red: { exemplars: ["red"] }, blue: { exemplars: ["blue"] } } }

/** Tells helpers of one server apart. */
let serial = 0

export async function serve(options: ServedOptions): Promise<Served> {
  const [helper, leaving] = await Promise.all([startHelper(options.says ?? ""), startHelper(options.says ?? "")])
  const backends = helper.origin
  const kernels = await Promise.all([
    open({ helper, backends, deadlineMs: short, ...options }),
    open({ helper, backends, deadlineMs: long, ...options }),
    open({ helper: leaving, backends, deadlineMs: long, ...options }),
  ])
  const [impatient, patient, left] = kernels as [Opened, Opened, Opened]
  await leaving.close()
  return {
    ask: async (failure) => {
      const opened = failure?.gone === true ? left : failure?.late === true ? impatient : patient
      return opened.ask(failure)
    },
    async close() {
      await Promise.all(kernels.map(({ close }) => close()))
      await helper.close()
    },
  }
}

interface Opened {
  ask(failure: Failure | undefined): Promise<Outcome>
  close(): Promise<void>
}

async function open({
  helper,
  backends,
  deadlineMs,
  changes,
  messages,
  model: asked = "MoM",
  failing,
}: ServedOptions & {
  readonly helper: Helper
  readonly backends: string
  readonly deadlineMs: number
}): Promise<Opened> {
  serial += 1
  const [worker, model] = [`worker-${serial}`, `helper-${serial}`]
  const backend = (name: string, origin = backends): readonly object[] => [
    { base_url: `${origin}/${name}/v1`, provider: "openai", api_key: "key" },
  ]
  const records: CallRecord[] = []
  const transport = createNodeTransport()
  const kernel = await createKernel({
    config: documentWith({
      "providers.models": [
        { name: "small", backend_refs: backend("small") },
        { name: "large", backend_refs: backend("large") },
        { name: "helper", backend_refs: backend(model, helper.origin) },
      ],
      "global.model_catalog.signal_timeout_ms": deadlineMs,
      ...(typeof changes === "function" ? changes(Number(new URL(helper.origin).port)) : changes),
    }),
    transport,
    readFile: async () => JSON.stringify(colours),
    inference: createRemoteInference({
      deployments: ["default", "decisions", "colours", ...(failing === undefined ? [] : [failing])].map((name) => ({
        name,
        servedName: name,
        origin: `${helper.origin}/${name === failing ? `${worker}-${name}` : worker}`,
        overflow: "truncate",
      })),
      transport,
      status: () => [],
    }),
    onRecord: (record) => records.push(record),
  })
  const body = { model: asked, ...(messages !== undefined && { messages }) }
  const text = "Ann says that it is blue"
  return {
    async ask(failure) {
      const names = failing === undefined ? [worker, model, "classify", "v1"] : [`${worker}-${failing}`]
      if (failure !== undefined) for (const name of names) helper.fail(name, failure)
      const reply = await kernel.fetch(chat(text, body))
      const outcome = { status: reply.status, headers: reply.headers, text: await reply.text() }
      const previewed = { messages: [{ role: "user", content: text }], ...body }
      const preview = await kernel.management.fetch(post("/api/v1/routing/preview?trace=true", previewed))
      const said: unknown = await preview.json()
      // Nobody has waited for these.
      helper.answerLate()
      const record = records.at(-1)
      const line = record === undefined ? {} : (JSON.parse(requestLine(record)) as Outcome["line"])
      return { ...outcome, record, line, preview: said }
    },
    close: () => kernel.close(),
  }
}
