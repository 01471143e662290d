import { expect, test } from "vitest"
import type { Asker } from "../../../../bench/accuracy/asker.ts"
import { readSets } from "../../../../bench/accuracy/sets.ts"
import { tasks } from "../../../../bench/accuracy/tasks/index.ts"
import { withPrevious } from "../../../../bench/accuracy/tasks/feedback.ts"
import type { HeadCard } from "../../../../bench/inference/worker.ts"

const most = 40
/** The second guard is a package of its own, whose task is that of the first. */
const ofFirst = tasks.filter(({ name }) => name !== "guard" && name !== "cascade")

interface Row {
  readonly text?: string
  readonly previous?: string
  readonly label?: string
  readonly context?: string
  readonly question?: string
  readonly answer?: unknown
  readonly state?: string
  readonly spans?: readonly object[]
}

const heads: readonly HeadCard[] = [
  { name: "jailbreak", labels: ["jailbreak", "benign"], default_threshold: 0.5, thresholds: { jailbreak: 0.05 } },
  { name: "domain", labels: labelsOf("domain"), default_threshold: 0.5 },
  { name: "fact_check", labels: ["no_fact_check", "fact_check"], default_threshold: 0.5 },
  { name: "feedback", labels: labelsOf("feedback"), default_threshold: 0.5 },
  { name: "modality", labels: labelsOf("modality"), default_threshold: 0.5 },
  { name: "pii", labels: ["O"], default_threshold: 0.5 },
  { name: "hallucination", labels: ["O"], default_threshold: 0.5 },
]

function rowsOf(task: string): readonly Row[] {
  return readSets<Row>(task, most).flatMap(({ rows }) => rows)
}

function labelsOf(task: string): readonly string[] {
  return [...new Set(rowsOf(task).map(({ label = "" }) => label))].toSorted()
}

/** Knows every row, says what is right in it with 90 %, and remembers how it was asked. */
function createOracle(): { readonly asker: Asker; readonly overflows: ReadonlyMap<string, string> } {
  const overflows = new Map<string, string>()
  const card = { heads, question_types: ["choice", "noul", "score"], model_sha256: "" }
  const post = async (path: string, body: object): Promise<unknown> => {
    if (path === "/v1/decisions") return answerStates(body as { states: Record<string, { state: string }> })
    const { head, input, options } = body as {
      head: string
      input: readonly (string | Row)[]
      options: { overflow: string }
    }
    overflows.set(head, options.overflow)
    const known = new Map(rowsOf(head).map((row) => [keyOf(row), row]))
    const { labels = [] } = heads.find(({ name }) => name === head) ?? {}
    const results = input.map((asked) => {
      const row = known.get(typeof asked === "string" ? asked : keyOf(asked))
      expect(row, "the head is asked about a row of its sets").toBeDefined()
      if (row?.spans !== undefined) return { spans: row.spans.map((span) => ({ ...span, probability: 1 })) }
      const rest = 0.1 / (labels.length - 1)
      return { label: row?.label, probabilities: labels.map((label) => (label === row?.label ? 0.9 : rest)) }
    })
    return { results }
  }
  return {
    asker: { card: { ...card, limits: { truncate_tokens: 1 }, golden: { status: "matched" } }, post },
    overflows,
  }
}

/** What a request says of a row. */
function keyOf({ text, previous, context, question, answer }: Row): string {
  if (context !== undefined) return JSON.stringify([context, question, answer])
  return withPrevious({ text: text ?? "", ...(previous !== undefined && { previous }) })
}

function answerStates({ states }: { readonly states: Readonly<Record<string, { readonly state: string }>> }): object {
  const known = rowsOf("decide")
  return {
    states: Object.fromEntries(
      Object.entries(states).map(([id, asked]) => {
        const { questions } = asked as unknown as { questions: { asked: { instructions: string; type: string } } }
        const row = known.find((one) => one.state === asked.state && matches(one, questions.asked))
        const { answer } = row ?? {}
        const said =
          typeof answer === "boolean"
            ? { type: "noul", noul: answer ? 0.9 : 0.1 }
            : { type: questions.asked.type, probabilities: { other: 0.1, [String(answer)]: 0.9 } }
        return [id, { answers: { asked: said } }]
      }),
    ),
  }
}

function matches(
  row: object,
  { instructions, type }: { readonly instructions: string; readonly type: string },
): boolean {
  const own = row as { readonly instructions: string; readonly type: string }
  return own.instructions === instructions && own.type === type
}

// What patterns add to an answer that is right already can only be wrong, so it has a test of its own.
test.each(ofFirst.filter(({ name }) => name !== "pii").map((task) => [task.name, task] as const))(
  "who knows all of %s is right everywhere",
  async (_, task) => {
    const { asker } = createOracle()
    expect(task.isServedBy(asker.card)).toBe(true)
    expect(task.isServedBy({ ...asker.card, heads: [], question_types: [] })).toBe(false)
    const { figures } = await task.measure(asker, most)
    for (const [name, { failed, figures: found }] of Object.entries(figures.sets)) {
      const valuesOf = (wanted: readonly string[]): readonly (readonly [string, string, number])[] =>
        Object.entries(found)
          .filter(([figure]) => wanted.includes(figure))
          .map(([figure, { value }]) => [name, figure, value])
      const perfect = valuesOf([
        "macro_f1",
        "accuracy",
        "auc",
        "recall",
        "micro_f1",
        "default_f1",
        "people_found",
        "character_f1",
        "skill",
        "auc_by_set",
      ])
      const none = valuesOf(["texts_with_findings", "people_false", "lost_AR"])
      expect([failed, perfect.length + none.length > 0]).toEqual([0, true])
      expect(none).toEqual(none.map(([set, figure]) => [set, figure, 0]))
      expect(perfect).toEqual(perfect.map(([set, figure]) => [set, figure, 1]))
      const stated = valuesOf(["calibration_error"])
      expect(stated).toEqual(stated.map(([set, figure]) => [set, figure, 0.1]))
    }
    expect(Object.values(figures.sets).some((set) => (set.figures[figures.shown[0] ?? ""]?.baseline ?? 1) < 1)).toBe(
      true,
    )
  },
)

// Kinds with a form come from patterns alone, so that what their checks refuse is lost. Names in scripts without spaces are
// not counted for the model of the product, which does not know them.
test("patterns, points and whole words cost little to who knows all personal data", async () => {
  const { asker } = createOracle()
  const found = await tasks.find(({ name }) => name === "pii")?.measure(asker, most)
  const below = Object.entries(found?.figures.sets ?? {}).flatMap(([name, { figures }]) =>
    (figures["micro_f1"]?.value ?? 1) > 0.9 ? [] : [name],
  )
  // Invented numbers that are no valid ones, and names in scripts without spaces.
  expect(below.toSorted()).toEqual(["chinese", "language", "pii_syn_nano", "together"])
})

test("patterns find what the model does not", async () => {
  const silent = { ...createOracle().asker, post: async () => ({ results: [{ spans: [] }] }) }
  const [found, alone] = await Promise.all(
    ["pii", "pii_model"].map(async (name) => tasks.find((task) => task.name === name)?.measure(silent, 1)),
  )
  const recalls = (measured: typeof found): readonly (number | undefined)[] =>
    Object.values(measured?.figures.sets ?? {}).map(({ figures }) => figures["recall"]?.value)
  expect(recalls(alone).every((recall) => recall === 0 || recall === undefined)).toBe(true)
  expect(recalls(found).some((recall) => (recall ?? 0) > 0)).toBe(true)
})

test("positives are counted at the router's threshold, not at the package's", async () => {
  const { asker } = createOracle()
  const measured = await tasks.find(({ name }) => name === "jailbreak")?.measure(asker, most)
  // Every row has 10 % for the wrong label; the package's threshold is 5 %, the router's 70 %.
  const { recall, false_positives: wrong } = measured?.figures.sets["together"]?.figures ?? {}
  expect([recall?.value, wrong?.value]).toEqual([1, 0])
})

test("the baseline is held to the threshold of the router", async () => {
  const { asker } = createOracle()
  const measured = await tasks.find(({ name }) => name === "jailbreak")?.measure(asker, most)
  const positives = readSets<Row & { readonly bag_of_words: { readonly label: string; readonly probability: number } }>(
    "jailbreak",
    most,
  )
    .filter(({ kind }) => kind === "unseen")
    .flatMap(({ rows }) => rows.filter(({ label }) => label === "jailbreak"))
  const found = positives.filter(
    ({ bag_of_words: { label, probability } }) => label === "jailbreak" && probability >= 0.7,
  )
  const baseline = measured?.figures.sets["together"]?.figures["recall"]?.baseline
  expect(baseline).toBeCloseTo(found.length / positives.length, 4)
})

test("what guards is read to its end, and everything else from its beginning", async () => {
  const { asker, overflows } = createOracle()
  for (const task of ofFirst) await task.measure(asker, 2)
  expect(Object.fromEntries(overflows)).toEqual({
    domain: "truncate",
    fact_check: "truncate",
    feedback: "truncate",
    modality: "truncate",
    jailbreak: "window",
    pii: "window",
    hallucination: "window",
  })
})
