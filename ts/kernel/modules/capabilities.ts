// The table of capabilities: what each name grants to a module. No kind of module has a list of its own.

import { RtrError } from "../error.ts"
import type { Call, Outcome } from "../types/call.ts"
import type {
  Capabilities,
  Capability,
  HttpClient,
  KeptDocument,
  Log,
  ModelCaller,
  OtherRequests,
} from "../types/capability.ts"
import type { ChatRequest } from "../types/chat.ts"
import type { BatchedQuestions, ImageInput, Inference } from "../types/inference.ts"
import type { Metrics } from "../types/metrics.ts"
import type { Plan } from "../types/plan.ts"
import type { OperationInfo } from "../types/route.ts"
import type { ReadDocumentFile } from "../types/signal.ts"
import type { KernelStatus, ModelEntry, Preview, PreviewOptions } from "../types/status.ts"
import type { KeyValueStore, RecordStore, VectorStore } from "../types/store.ts"

/** Everything that capabilities are made from. One object for each generation; a service that its host lacks is undefined. */
export interface Services {
  readonly inference: Inference | undefined
  /** Vectors of fixed texts by one deployment. */
  readonly embedAll: (deployment: string, texts: readonly (string | ImageInput)[]) => Promise<readonly Float32Array[]>
  readonly models: ModelCaller
  readonly http: HttpClient
  readonly kv: (name: string) => KeyValueStore
  readonly records: (name: string) => RecordStore
  readonly vectors: (name: string, dimensions: number) => VectorStore
  readonly metrics: Metrics
  readonly log: Log
  readonly clock: () => number
  readonly random: () => number
  readonly run: (call: Call) => Promise<Outcome>
  readonly preview: (call: Call, options?: PreviewOptions) => Promise<Preview>
  readonly other: () => OtherRequests
  readonly readChat: (dialect: string, body: unknown) => ChatRequest
  readonly readFile?: ReadDocumentFile | undefined
  readonly plan: () => Plan | undefined
  readonly modelList: (listener: string) => readonly ModelEntry[]
  readonly status: () => KernelStatus
  readonly document?: KeptDocument | undefined
  readonly operations: () => readonly OperationInfo[]
  /** What routes have opened, by their ids. */
  readonly opened?: ReadonlyMap<string, unknown> | undefined
  readonly metricsText: () => Promise<{ contentType: string; text: string } | undefined>
}

/** Who asks: equal names share their stores. */
export interface Grantee {
  /** `kind:id`. */
  readonly name: string
  /** Deployment of its fixed texts' vectors. */
  readonly vectors?: string | undefined
}

interface Row<Name extends Capability> {
  readonly setup?: (services: Services, grantee: Grantee) => Capabilities[Name]["setup"]
  /** Functions of a request's batched questions that the signal may call. */
  readonly question?: keyof BatchedQuestions
}

const table: { readonly [Name in Capability]: Row<Name> } = {
  "inference.classify": { question: "classify" },
  "inference.spans": { question: "spans" },
  "inference.embed": {
    setup: ({ embedAll }, { vectors }) => ({
      embedAll: async (texts) => {
        if (vectors === undefined) throw new RtrError("invalid_config", "Cannot embed: these rules ask no model")
        return embedAll(vectors, texts)
      },
    }),
    question: "embed",
  },
  "inference.decide": { question: "decide" },
  "inference.rerank": { question: "rerank" },
  inference: {
    setup: ({ inference }, { name }) => {
      if (inference === undefined)
        throw new RtrError("invalid_config", `Cannot set up ${name}: it asks models, and this kernel has no inference`)
      return { inference }
    },
  },
  models: { setup: ({ models }) => ({ models }) },
  http: { setup: ({ http }) => ({ http }) },
  "store.kv": { setup: ({ kv }, { name }) => ({ kv: kv(name) }) },
  "store.workflows": { setup: ({ kv }) => ({ workflows: kv("suspended") }) },
  "store.records": { setup: ({ records }, { name }) => ({ records: records(name) }) },
  "store.vectors": {
    setup: ({ vectors }, { name }) => ({ vectors: ({ dimensions }) => vectors(name, dimensions) }),
  },
  metrics: { setup: ({ metrics }) => ({ metrics }) },
  log: { setup: ({ log }) => ({ log }) },
  clock: { setup: ({ clock }) => ({ clock }) },
  random: { setup: ({ random }) => ({ random }) },
  "routing.run": { setup: ({ run }) => ({ run }) },
  "routing.preview": { setup: ({ preview }) => ({ preview }) },
  "routing.other": { setup: ({ other }) => ({ other }) },

  dialects: { setup: ({ readChat }) => ({ readChat }) },
  plan: { setup: ({ plan }) => ({ plan }) },
  "models.list": { setup: ({ modelList }) => ({ modelList }) },
  status: { setup: ({ status }) => ({ status }) },
  document: { setup: ({ document }) => ({ document }) },
  operations: { setup: ({ operations }) => ({ operations }) },
  exposition: { setup: ({ metricsText }) => ({ metricsText }) },
}

export const capabilityNames = Object.keys(table) as readonly Capability[]

/** The host of a module's `setup`. Throws `invalid_module` for a need that is not in the table. */
export function grantSetup(needs: readonly Capability[], services: Services, grantee: Grantee): object {
  const granted: object = {}
  for (const need of needs) {
    const row = rowOf(need, grantee)
    Object.assign(granted, row.setup?.(services, grantee as never))
  }
  return granted
}

/** Names of the questions that a signal with these needs may ask. */
export function grantedQuestions(needs: readonly Capability[], grantee: Grantee): readonly (keyof BatchedQuestions)[] {
  return needs.flatMap((need) => {
    const { question } = rowOf(need, grantee)
    return question === undefined ? [] : [question]
  })
}

function rowOf(need: Capability, { name }: Grantee): Row<Capability> {
  const row = Object.hasOwn(table, need) ? (table[need] as Row<Capability>) : undefined
  if (row === undefined)
    throw new RtrError(
      "invalid_module",
      `Cannot set up ${name}: it needs "${String(need)}", and there are only ${capabilityNames.join(", ")}`,
    )
  return row
}
