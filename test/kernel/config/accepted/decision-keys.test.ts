import { expect, test } from "vitest"
import { ConfigError } from "../../../../ts/kernel/config/config-error.ts"
import { loadDocument } from "../../../../ts/kernel/generations/prepare.ts"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { documentWith } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

/** What is said of the small document with these changes: warnings, or what it is refused for. */
async function said(changes: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const line = (kind: string) => (problem: { readonly path: readonly (string | number)[]; readonly message: string }) =>
    `${kind} ${formatPath(problem.path).replace("routing.decisions[0].", "")}: ${problem.message}`
  try {
    const { warnings } = await loadDocument(
      { environment: () => ({}), loadRegistry: async () => registry, missingParts: "tell" },
      { text: "", source: "config.yaml", value: documentWith(changes) },
    )
    return warnings.map(line("warning"))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(line("error"))
  }
}

const decision = "routing.decisions.0"

test("annotations and other keys for people are taken without a word, within their limits", async () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]))
  expect(await said({ [`${decision}.annotations`]: { owner: { team: "search" } } })).toEqual([])
  expect(await said({ [`${decision}.annotations`]: keys(32) })).toEqual([])
  expect(await said({ [`${decision}.annotations`]: keys(33) })).toEqual([expect.stringContaining("error annotations")])
  // {"a":"…"} has eight bytes beside the letters.
  expect(await said({ [`${decision}.annotations`]: { a: "x".repeat(4088) } })).toEqual([])
  expect(await said({ [`${decision}.annotations`]: { a: "x".repeat(4089) } })).toEqual([
    "error annotations: has 4097 bytes as JSON; annotations have at most 4096",
  ])
  expect(await said({ [`${decision}.modelRefs.0.reasoning_description`]: "for proofs" })).toEqual([])
})

test("emits are told of, once for each kind, and contradictions are refused", async () => {
  const emits = (...retentions: readonly object[]) => ({
    [`${decision}.emits`]: retentions.map((retention) => ({ kind: "retention", retention })),
  })
  const told = "warning emits: is not supported yet; there is no cache of replies, and learning does not read the hints"
  expect(await said(emits({ drop: true }))).toEqual([told])
  expect(await said(emits({ drop: true, ttl_turns: 0 }))).toEqual([told])
  expect(await said(emits({}))).toEqual(["warning emits[0]: says nothing about retention", told])
  expect(await said(emits({ drop: true, ttl_turns: 1 }))).toEqual([
    "error emits[0].retention.ttl_turns: contradicts drop: what is dropped is kept for no turn",
  ])
  expect(await said(emits({ drop: true }, { ttl_turns: 2 }))).toEqual([
    'error emits[1].kind: "retention" stands twice; write one entry for each kind',
  ])
  expect(await said(emits({ keep: true }))).toEqual([expect.stringContaining("error emits[0].retention.keep: ")])
})

test("a policy that records requests is told of, and one that records none holds", async () => {
  expect(await said({ "routing.data_policy": { replay: false } })).toEqual([])
  expect(await said({ "routing.data_policy": { replay: true } })).toEqual([
    "warning routing.data_policy: is not supported yet; no request is recorded",
  ])
})
