import { expect, test } from "vitest"
import { compileOutput } from "../../../../ts/kernel/config/sections/output-contract.ts"
import { canonical, documentWith, problemsOf } from "../../../fakes/document.ts"
import { compileWith } from "../../../fakes/services.ts"

const at = "routing.decisions.0"
const both = { [`${at}.modelRefs`]: [{ model: "small" }, { model: "large" }] }
const ratings = { ...both, [`${at}.algorithm`]: { type: "ratings" } }

const looperOf = async (changes: object) =>
  (await compileWith(canonical({ ...ratings, ...changes }))).plan.decisions[0]?.looper

test("budget, limits of calls and the output contract are in the plan", async () => {
  expect(
    await looperOf({
      [`${at}.algorithm`]: { type: "ratings", budget: { deadline: "1m30s", max_calls: 4, max_cost: 0.5 } },
      [`${at}.output_contract`]: " One letter. ",
      "global.integrations.looper": { timeout_seconds: 5, max_response_bytes_mb: 2, headers: { "X-Team": "a" } },
    }),
  ).toMatchObject({
    budget: { deadlineMs: 90_000, maxCalls: 4, maxCost: 0.5 },
    callTimeoutMs: 5000,
    maxReplyBytes: 2_097_152,
    headers: { "x-team": "a" },
    contract: "One letter.",
  })
  expect(await looperOf({ "global.integrations.looper": { timeout_seconds: 0 } })).toMatchObject({
    callTimeoutMs: 30_000,
  })
  expect(await looperOf({})).toMatchObject({ budget: {}, headers: {}, contract: undefined, output: undefined })
})

test("what the schema cannot find is refused", () => {
  const spec = (value: object) => documentWith({ ...ratings, [`${at}.output_contract_spec`]: value })
  const cases: readonly (readonly [object, string])[] = [
    [spec({ type: "choice" }), "output_contract_spec.choice_set: is missing; type choice needs its values"],
    [
      spec({ type: "choice", choice_set: { values: ["a", "A"] } }),
      "choice_set.values: must differ by more than upper case",
    ],
    [spec({ type: "structured_json" }), "json_schema: is missing"],
    [spec({ choice_set: { values: ["a"] } }), "choice_set: belongs to type choice"],
    [spec({}), "type: is missing, or postprocess"],
    [
      spec({ type: "choice", choice_set: { values: ["a"] }, render: { mode: "template", template: "x" } }),
      "render.template: must have {choice} or {{choice}}",
    ],
    [
      documentWith({ ...ratings, [`${at}.algorithm`]: { type: "ratings", minimum_candidates: 3 } }),
      "modelRefs: must have 3 models, as algorithm.minimum_candidates says; got 2",
    ],
  ]
  for (const [document, message] of cases) expect(problemsOf(document).join("\n")).toContain(message)
})

test("templates keep their names where other texts have variables", () => {
  const template = "{{range $i, $r := .ReferenceResponses}}{{$r.Content}}{{end}} $USER_NAME"
  const document = canonical(
    { ...both, [`${at}.algorithm`]: { type: "remom", remom: { breadth_schedule: [1], synthesis_template: template } } },
    { USER_NAME: "me" },
  )
  expect(document.routing?.decisions?.[0]?.algorithm).toMatchObject({
    remom: { synthesis_template: "{{range $i, $r := .ReferenceResponses}}{{$r.Content}}{{end}} me" },
  })
})

// ── output contracts ──

const said = (text: string, reasoning = "") => ({ model: "m", text, reasoning })

test("a choice is the exact value, from where the contract looks", () => {
  const { read } = compileOutput({ type: "choice", choice_set: { values: ["A", "B"] } })
  expect([read(said(" A "), []), read(said("a"), []), read(said("A."), [said("A")])]).toEqual([
    "A",
    undefined,
    undefined,
  ])
  const everywhere = compileOutput({
    type: "choice",
    choice_set: { values: ["A", "B"] },
    extract: { sources: ["content", "reasoning_content", "candidate_responses"] },
    render: { mode: "template", template: " The answer is {{choice}}. " },
  })
  expect(everywhere.read(said("?", "B"), [])).toBe("The answer is B.")
  // Two against one; of equals the first.
  expect(everywhere.read(said("?"), [said("A"), said("", "B"), said("B")])).toBe("The answer is B.")
  expect(everywhere.read(said("?"), [said("B"), said("A")])).toBe("The answer is B.")
  expect(everywhere.read(said("?"), [said("none")])).toBeUndefined()
})

test("an action of a terminal is completed, with its fields in order", () => {
  const exact = compileOutput({ type: "structured_json" })
  expect(exact.read(said('{"task_complete": true, "note": 1, "plan": "p"}'), [])).toBe(
    '{"analysis":"Continue from the current state.","plan":"p","commands":[],"task_complete":true,"note":1}',
  )
  expect(exact.read(said('Here: {"task_complete": true}'), [])).toBeUndefined()
  expect(exact.read(said('{"analysis": "x"}'), [])).toBeUndefined()
  const object = compileOutput({
    type: "structured_json",
    extract: { mode: "json_object", sources: ["content", "candidate_responses"] },
    normalize: { field_order: ["commands", "plan"], defaults: { plan: "go", analysis: "" } },
  })
  const commands = '{"commands": [{"keystrokes": "ls\\n", "duration": 0.1}, {"keystrokes": "x", "duration": 3}]}'
  const expected =
    '{"commands":[{"keystrokes":"ls\\n","duration":1},{"keystrokes":"x","duration":3}],"plan":"go","analysis":"","task_complete":false}'
  expect(object.read(said(`Sure:\n${commands}`), [])).toBe(expected)
  expect(object.read(said("no"), [said("none"), said(`\`\`\`json\n${commands}\n\`\`\``)])).toBe(expected)
  expect(object.read(said('{"commands": [{"keys": "ls"}]}'), [])).toBeUndefined()
})

test("a reference is the response that it names", () => {
  const responses = [said("one"), said(" two "), said("", "three")]
  const { read } = compileOutput({
    type: "reference_selection",
    postprocess: [{ type: "dereference_selected_reference" }],
  })
  expect([
    read(said("2"), responses),
    read(said("3"), responses),
    read(said("4"), responses),
    read(said("Reference 2"), responses),
  ]).toEqual(["two", "three", undefined, undefined])
  const named = compileOutput({ type: "reference_selection", reference: { id_format: "reference_number" } })
  expect([named.read(said("reference 1"), responses), named.read(said("1"), responses)]).toEqual(["1", undefined])
})
