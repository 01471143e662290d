// Attacks and personal data asked about texts of several lengths, beside bare forwards of as many tokens.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { BenchOptions } from "../_shared/options.ts"
import { interleave } from "../_shared/rounds.ts"
import { ratio, type Spread, spreadOf, spreadOfPairs } from "../_shared/statistics.ts"
import { ask, modelName, packageFolder, type Worker } from "../inference/worker.ts"
import { bareGraph } from "./bare-graph.ts"
import { type BareForward, startBareForward } from "./bare-forward.ts"
import type { Prose } from "./prose.ts"

export interface SizeFigures {
  readonly words: number
  /** Of the text, without what windows share. */
  readonly tokens: number
  /** Of all rows that the worker computed. */
  readonly processedTokens: number
  readonly guardsMs: Spread
  readonly guardsCpuMs: Spread
  readonly bareMs: Spread
  readonly bareCpuMs: Spread
  readonly ratio: Spread
  readonly cpuRatio: Spread
}

export interface Sizes {
  /** Rows of a bare forward: the number that took the least time. */
  readonly rowsPerForward: number
  readonly byWords: Readonly<Record<string, SizeFigures>>
}

interface Sample {
  readonly ms: number
  readonly cpuMs: number
}

interface Counted {
  readonly tokens: number
  readonly processedTokens: number
}

/** No text of a request is longer, because the package scans no more of one text. */
const mostWordsOfText = 16_000
/** Short texts are asked about several times, so that the accounting of processor time has enough to count. */
const leastWordsOfSample = 4000

export async function measureSizes(
  options: BenchOptions,
  worker: Worker,
  prose: Prose,
  words: readonly number[],
): Promise<Sizes> {
  const bare = await startBare(options, worker)
  const byWords: Record<string, SizeFigures> = {}
  for (const count of words) {
    const repeats = Math.max(1, Math.floor(leastWordsOfSample / count))
    const counted: Counted[] = []
    const guards = async (): Promise<Sample> => {
      const inputs = Array.from({ length: repeats }, () => textsOf(prose, count))
      const cpuBefore = worker.cpuMs()
      const startedAt = performance.now()
      for (const input of inputs) counted.push(await askGuards(worker, input))
      const ms = (performance.now() - startedAt) / repeats
      return { ms, cpuMs: (worker.cpuMs() - cpuBefore) / repeats }
    }
    const forward = async (): Promise<Sample> => {
      const { tokens } = counted.at(-1) ?? { tokens: count }
      const cpuBefore = process.cpuUsage()
      const startedAt = performance.now()
      for (let repeat = 0; repeat < repeats; repeat++) await bare.read(tokens)
      const ms = (performance.now() - startedAt) / repeats
      const { user, system } = process.cpuUsage(cpuBefore)
      return { ms, cpuMs: (user + system) / 1000 / repeats }
    }
    const contenders = [
      { name: "guards", measure: guards },
      { name: "bare", measure: forward },
    ]
    const samples = await interleave<Sample>(
      `guards, ${count} words`,
      options.rounds,
      contenders,
      ({ ms, cpuMs }) => `${ms.toFixed(1)} ms (${cpuMs.toFixed(0)} ms of processor)`,
    )
    const of = (name: string, figure: keyof Sample): readonly number[] =>
      (samples.get(name) ?? []).map((sample) => sample[figure])
    byWords[count] = {
      words: count,
      ...(counted.at(-1) as Counted),
      guardsMs: spreadOf(of("guards", "ms")),
      guardsCpuMs: spreadOf(of("guards", "cpuMs")),
      bareMs: spreadOf(of("bare", "ms")),
      bareCpuMs: spreadOf(of("bare", "cpuMs")),
      ratio: spreadOfPairs(of("guards", "ms"), of("bare", "ms"), ratio),
      cpuRatio: spreadOfPairs(of("guards", "cpuMs"), of("bare", "cpuMs"), ratio),
    }
  }
  return { rowsPerForward: bare.rowsPerForward, byWords }
}

const textsOf = (prose: Prose, words: number): readonly string[] =>
  Array.from({ length: Math.ceil(words / mostWordsOfText) }, (_, index) =>
    prose.ofWords(Math.min(mostWordsOfText, words - index * mostWordsOfText)),
  )

/** Asks both guards as the router does. Rejects where one of them did not read everything. */
export async function askGuards({ address }: Pick<Worker, "address">, input: readonly string[]): Promise<Counted> {
  const task = (head: string): object => ({
    id: head,
    classify: { model: modelName, head, input, options: { overflow: "window" } },
  })
  const { status, body } = await ask(address, "POST", "/v1/bundle", { tasks: [task("jailbreak"), task("pii")] })
  const { results = [] } = body as { results?: readonly Answered[] }
  const items = results.flatMap(({ classify }) => classify?.results ?? [])
  const counts = items.map(({ input: counted }) => counted)
  if (status !== 200 || counts.length !== 2 * input.length || counts.some((each) => each?.truncated !== false))
    throw new Error(`The guards did not read the texts: status ${status}, ${JSON.stringify(body).slice(0, 500)}`)
  const sum = (figure: "tokens" | "processed_tokens"): number =>
    counts.slice(0, input.length).reduce((total, each) => total + (each?.[figure] ?? 0), 0)
  return { tokens: sum("tokens"), processedTokens: sum("processed_tokens") }
}

interface Answered {
  readonly classify?: {
    readonly results: readonly {
      readonly input?: { readonly tokens: number; readonly processed_tokens: number; readonly truncated: boolean }
    }[]
  }
}

/** Bare forwards, whose vectors agree with those of the worker, so that both compute the same. */
async function startBare({ threads }: BenchOptions, { address }: Worker): Promise<BareForward> {
  const settings = JSON.parse(readFileSync(join(packageFolder, "rtrun.json"), "utf8")) as { max_tokens: number }
  const graph = bareGraph(packageFolder)
  const bare = await startBareForward({ graph, threads, rowTokens: settings.max_tokens })
  const word = "the"
  const { body } = await ask(address, "POST", "/v1/embeddings", { model: modelName, input: [word] })
  const [{ embedding = [] } = {}] = (body as { data: readonly { embedding?: readonly number[] }[] }).data
  const ids = Int32Array.from([101, idOf(word), 102])
  const vectors = await bare.run([ids])
  const mean = embedding.map((_, at) =>
    ids.reduce((sum, _id, token) => sum + (vectors[token * graph.width + at] ?? 0), 0),
  )
  const found = cosine(mean, embedding)
  if (!(found > 0.998))
    throw new Error(`The bare forward computes something else: its cosine to the worker is ${found}`)
  return bare
}

function idOf(word: string): number {
  const file = JSON.parse(readFileSync(join(packageFolder, "tokenizer.json"), "utf8")) as {
    readonly model: { readonly vocab: Readonly<Record<string, number>> }
  }
  return file.model.vocab[word] ?? 0
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other))
}
