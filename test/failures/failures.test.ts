import { expect, onTestFinished, test } from "vitest"
import { registry } from "../fakes/registry.ts"
import { type Failure, failures, services } from "./_helper.ts"
import { replyRows, type Row, selectorRows, type SignalRow, signalRows } from "./_rows.ts"
import { serve } from "./_served.ts"

const titleOf = ({ id, method }: Row): string => (method === undefined ? id : `${id} (${method})`)
const failuresOf = ({ asks, unharmedBy = [] }: Row): readonly Failure[] =>
  failures.filter(({ name, asked }) => asked?.includes(asks) !== false && !unharmedBy.includes(name))

test("every signal and selector that asks a model has its rows, and no other", () => {
  const asking = (needs: readonly string[] = []): boolean =>
    needs.some((need) => need.startsWith("inference") || need === "models" || need === "http")
  for (const [kind, rows] of [
    ["signal", [...signalRows, ...replyRows]],
    ["selector", selectorRows],
  ] as const) {
    const found = registry.all(kind).filter(({ module }) => asking(module.needs as readonly string[] | undefined))
    expect(
      [...new Set(rows.map(({ id }) => id))].toSorted(),
      `Add a row to test/failures/_rows.ts for each ${kind}`,
    ).toEqual(found.map(({ id }) => id).toSorted())
  }
})

/** `plain` matches what the signal finds, `open` what it cannot tell. */
const decisionsFor = ({ condition }: SignalRow): readonly object[] => [
  { name: "plain", priority: 2, rules: condition, modelRefs: [{ model: "large" }] },
  { name: "open", priority: 1, rules: { ...condition, on_error: "match" }, modelRefs: [{ model: "small" }] },
]

for (const row of signalRows)
  test(`signal ${titleOf(row)}: whatever its helper does, the fact is unknown and the policy decides`, async () => {
    const { condition, changes, messages, guard = false, answers = {} } = row
    const served = await serve({
      messages,
      changes: (port) => ({
        "routing.decisions": decisionsFor(row),
        ...(typeof changes === "function" ? changes(port) : changes),
      }),
      ...(row.says !== undefined && { says: row.says }),
      ...(row.failing !== undefined && { failing: row.failing }),
    })
    onTestFinished(() => served.close())
    const good = await served.ask()
    expect([good.status, good.record?.decision, good.headers.get("x-rtr-unknown-signals")]).toEqual([
      200,
      "plain",
      null,
    ])
    const names = (row.facts ?? [condition.name]).map((fact) => `${condition.type}:${fact}`)
    const [said, found]: [unknown[], unknown[]] = [[], []]
    for (const failure of failuresOf(row)) {
      const { status, headers, text, record, line, preview } = await served.ask(failure)
      const reason = services.includes(row.asks) ? (failure.ofServices ?? failure.reason) : failure.reason
      const isAnswer = answers[failure.name] !== undefined
      said.push({
        failure: failure.name,
        status: 200,
        // A guard that did not read the request counts as if it had found something.
        decision: guard || isAnswer ? "plain" : "open",
        unknown: isAnswer ? null : names.map((name) => `${name}=${reason}`).join(),
        unscanned: guard && !isAnswer ? `${condition.type}=${reason}` : null,
        level: isAnswer ? "info" : "warning",
        line: isAnswer ? undefined : names.map((name) => `${name} ${reason}`),
        trace: isAnswer ? undefined : reason,
        secret: false,
      })
      found.push({
        failure: failure.name,
        status,
        decision: record?.decision,
        unknown: headers.get("x-rtr-unknown-signals"),
        unscanned: headers.get("x-rtr-unscanned"),
        level: line["level"],
        line: line[guard ? "unscanned" : "unknown"],
        trace: preview.eval_trace[0].root_trace.children[0].reason,
        secret: JSON.stringify([text, line, preview, [...headers]]).includes("secret"),
      })
    }
    expect(found).toEqual(said)
  })

for (const row of replyRows)
  test(`signal ${titleOf(row)}: whatever its helper does, the reply goes on without a warning`, async () => {
    const { id, plugin, binding, changes, messages } = row
    const served = await serve({
      messages,
      failing: "judge",
      changes: {
        "routing.decisions": [
          {
            name: "all",
            rules: { operator: "AND", conditions: [] },
            modelRefs: [{ model: "large" }],
            plugins: [plugin],
          },
        ],
        "global.model_catalog.deployments.judge": { provider: "model_runtime", artifact: "signals" },
        [`global.model_catalog.bindings.${binding}`]: { deployment: "judge", head: id },
        ...changes,
      },
    })
    onTestFinished(() => served.close())
    const good = await served.ask()
    expect([good.status, good.headers.get("x-rtr-response-warnings")]).toEqual([200, id])
    const [said, found]: [unknown[], unknown[]] = [[], []]
    for (const failure of failuresOf(row)) {
      const { status, headers, text, line } = await served.ask(failure)
      const { name, reason } = failure
      // With the whole helper gone nobody says whether the reply has to be judged.
      const type = failure.gone === true ? "fact_check:needs_fact_check" : `${id}:${id}`
      said.push({ name, status: 200, warnings: null, line: [`${type} ${reason}`], level: "warning", secret: false })
      found.push({
        name,
        status,
        warnings: headers.get("x-rtr-response-warnings"),
        line: line["unknown"],
        level: line["level"],
        secret: JSON.stringify([text, line, [...headers]]).includes("secret"),
      })
    }
    expect(found).toEqual(said)
  })

for (const row of selectorRows)
  test(`selector ${titleOf(row)}: whatever its helper does, the request is answered`, async () => {
    const { algorithm, changes } = row
    const served = await serve({
      says: JSON.stringify({ selected_model: "large", rationale: "It is blue." }),
      changes: {
        "routing.signals.keywords.0.keywords": ["blue"],
        "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "large" }],
        "routing.decisions.0.algorithm": algorithm,
        ...changes,
      },
    })
    onTestFinished(() => served.close())
    const good = await served.ask()
    expect([good.status, good.record?.model, good.headers.get("x-rtr-unknown-signals")]).toEqual([200, "large", null])
    const [said, found]: [unknown[], unknown[]] = [[], []]
    for (const failure of failuresOf(row)) {
      const { status, headers, text, record, line, preview } = await served.ask(failure)
      const { reason } = failure
      said.push({
        failure: failure.name,
        status: 200,
        model: "small",
        reason: row.withoutHelper ?? `the selector failed: ${reason}`,
        unknown: `selector:${row.id}=${reason}`,
        level: "warning",
        line: [`selector:${row.id} ${reason}`],
        preview: row.asks === "chat" ? undefined : (row.withoutHelper ?? `the selector failed: ${reason}`),
        secret: false,
      })
      found.push({
        failure: failure.name,
        status,
        model: record?.model,
        reason: record?.selection?.reason,
        unknown: headers.get("x-rtr-unknown-signals"),
        level: line["level"],
        line: line["unknown"],
        preview: preview.selection_reason,
        secret: JSON.stringify([text, line, preview, [...headers]]).includes("secret"),
      })
    }
    expect(found).toEqual(said)
  })

test("a guard that has found something says so, although its model does not answer", async () => {
  const rules = [
    { name: "any", on_unscanned: "allow" },
    { name: "names", on_unscanned: "allow", pii_types_allowed: ["EMAIL_ADDRESS"] },
  ]
  const served = await serve({
    messages: [{ role: "user", content: "Write to ann@example.com" }],
    changes: {
      "routing.signals.pii": rules,
      "routing.decisions": [{ name: "found", rules: { type: "pii", name: "any" }, modelRefs: [{ model: "large" }] }],
    },
  })
  onTestFinished(() => served.close())
  for (const failure of failures.filter(({ late }) => late === true)) {
    const { record, headers } = await served.ask(failure)
    expect([failure.name, record?.decision, headers.get("x-rtr-unknown-signals")]).toEqual([
      failure.name,
      "found",
      "pii:names=timeout",
    ])
  }
})

test("a guard of a recipe, and a band over a signal, are blocked and told as those of the document", async () => {
  const routing = {
    signals: {
      jailbreak: [{ name: "attack" }],
      embeddings: [{ name: "near", threshold: 0.9, candidates: ["red"] }],
    },
    projections: {
      scores: [{ name: "weight", method: "weighted_sum", inputs: [{ type: "embedding", name: "near", weight: 1 }] }],
      mappings: [
        { name: "effort", source: "weight", method: "threshold_bands", outputs: [{ name: "heavy", gte: 0.5 }] },
      ],
    },
    decisions: [
      { name: "guard", priority: 2, rules: { type: "jailbreak", name: "attack" }, modelRefs: [{ model: "small" }] },
      { name: "heavy", priority: 1, rules: { type: "projection", name: "heavy" }, modelRefs: [{ model: "large" }] },
    ],
  }
  const served = await serve({
    model: "acme/private",
    changes: {
      recipes: [{ name: "private", routing }],
      entrypoints: [{ model_names: ["acme/private"], recipe: "private" }],
    },
  })
  onTestFinished(() => served.close())
  const [said, found]: [unknown[], unknown[]] = [[], []]
  for (const { name, reason, ...failure } of failures.filter(({ asked }) => asked === undefined)) {
    const { status, headers, record, line } = await served.ask({ name, reason, ...failure })
    const unknown = ["embedding:near", "jailbreak:attack", "projection:heavy"]
    said.push([name, 200, "private", "guard", `jailbreak=${reason}`, [`jailbreak:attack ${reason}`], unknown])
    found.push([
      name,
      status,
      record?.recipe,
      record?.decision,
      headers.get("x-rtr-unscanned"),
      line["unscanned"],
      (headers.get("x-rtr-unknown-signals") ?? "")
        .split(",")
        .map((each) => each.split("=")[0])
        .toSorted(),
    ])
  }
  expect(found).toEqual(said)
})
