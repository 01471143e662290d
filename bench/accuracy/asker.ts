// Asks the worker about many rows, a batch at a time.

import type { Address } from "../_shared/load/address.ts"
import { ask, type ModelCard } from "../inference/worker.ts"

/** One worker that serves one package. */
export interface Asker {
  readonly card: ModelCard
  /** Rejects with status and reason where the answer is not 200. */
  post(path: string, body: object): Promise<unknown>
}

const rowsPerRequest = 32

export function createAsker(address: Address, card: ModelCard): Asker {
  return {
    card,
    async post(path, body) {
      const { status, body: answer } = await ask(address, "POST", path, body)
      if (status !== 200)
        throw new Error(`The worker answered ${path} with status ${status}, not 200: ${JSON.stringify(answer)}`)
      return answer
    },
  }
}

/** Results of a head, one for each input. `window` reads texts to their end, as the router has it done for what guards. */
export async function classify<Result>(
  asker: Asker,
  head: string,
  inputs: readonly (string | object)[],
  overflow: "truncate" | "window",
): Promise<readonly (Result | undefined)[]> {
  return inBatches(inputs, async (input) => {
    const body = { head, input, options: { overflow } }
    const { results } = (await asker.post("/v1/classify", body)) as { results: readonly (Result | { error: object })[] }
    return results.map((result) => (typeof result === "object" && result && "error" in result ? undefined : result))
  })
}

/** Answers of `answer` to all items, asked for some at a time. Rejects where it does not give one for each. */
export async function inBatches<Item, Answer>(
  items: readonly Item[],
  answer: (items: readonly Item[]) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let first = 0; first < items.length; first += rowsPerRequest) {
    const batch = items.slice(first, first + rowsPerRequest)
    const found = await answer(batch)
    if (found.length !== batch.length)
      throw new Error(`The worker gave ${found.length} answers to ${batch.length} inputs; there must be one for each`)
    answers.push(...found)
  }
  return answers
}
