import { describe, expect, test } from "vitest"
import { findHead, headProblem, type PackageHead } from "../../../ts/kernel/config/package-heads.ts"

const head = (name: string, kind: PackageHead["kind"] = "sequence"): PackageHead => ({ name, kind, labels: ["a", "b"] })
const bound = (name: string | undefined, answers: "classes" | "spans" | "decisions" = "classes") =>
  ({ binding: "prompt_guard", deployment: "d", head: name, answers }) as const

describe("a bound head", () => {
  const both = [head("jailbreak"), head("pii", "token")]

  test.each([
    ["that the model has", bound("jailbreak"), both],
    ["of spans", bound("pii", "spans"), both],
    ["of independent labels", bound("many"), [head("many", "scores")]],
    ["without a name where there is one head", bound(undefined), [head("jailbreak")]],
    ["of typed questions", bound(undefined, "decisions"), [head("decisions", "decisions")]],
  ])("%s is right", (_, asked, heads) => expect(headProblem(asked, heads)).toBeUndefined())

  test.each([
    [
      "that is misspelt",
      bound("jailbrake"),
      both,
      '"jailbrake" is not a head of deployment "d" that answers with classes: there is "jailbreak" (did you mean "jailbreak"?)',
    ],
    [
      "of typed questions where there are heads only",
      bound(undefined, "decisions"),
      both,
      '"d" must answer typed questions, and its package does not; use one that does, such as decide',
    ],
    [
      "where there are typed questions only",
      bound("jailbreak"),
      [head("decisions", "decisions")],
      '"jailbreak" is not a head of deployment "d" that answers with classes: there is none',
    ],
    [
      "of another kind",
      bound("pii"),
      both,
      '"pii" is not a head of deployment "d" that answers with classes: there is "jailbreak"',
    ],
    [
      "of a model without heads",
      bound("jailbreak"),
      [],
      '"jailbreak" is not a head of deployment "d" that answers with classes: there is none',
    ],
    [
      "without a name among several",
      bound(undefined),
      both,
      'is missing; it must name a head of deployment "d" that answers with classes: there is "jailbreak"',
    ],
    [
      "without a name, of another kind",
      bound(undefined),
      [head("pii", "token")],
      'is missing; it must name a head of deployment "d" that answers with classes: there is none',
    ],
  ])("%s is refused", (_, asked, heads, problem) => expect(headProblem(asked, heads)).toBe(problem))

  test("is found among those of its model", () => {
    expect(findHead(bound("pii"), both)).toBe(both[1])
    expect(findHead(bound("none"), both)).toBeUndefined()
    expect(findHead(bound(undefined), [head("only")])?.name).toBe("only")
  })
})
