import { expect, test } from "vitest"
import { decisionFigures } from "../../../../bench/accuracy/figures/decisions.ts"
import { guess, toQuestion } from "../../../../bench/accuracy/tasks/decide.ts"

const asked = { state: "It rains.", instructions: "What is it?" }

test("options of a choice keep their order, with the descriptions that they have", () => {
  const options = [
    ["2", null],
    ["1", "sun"],
  ] as const
  expect(toQuestion({ ...asked, type: "choice", options, answer: "2", bag_of_words: "1" })).toEqual({
    type: "choice",
    instructions: "What is it?",
    choices: [{ key: "2" }, { key: "1", description: "sun" }],
  })
})

test("levels of a score are texts, lowest first", () => {
  const row = { ...asked, type: "score", options: ["none", "much"], answer: 1, bag_of_words: 0 } as const
  expect(toQuestion(row)).toEqual({ type: "score", instructions: "What is it?", levels: ["none", "much"] })
})

test("a noul says what its answers mean where the row does; instructions that are empty are left out", () => {
  const meanings = [
    ["false", "it is dry"],
    ["true", "it is wet"],
  ] as const
  const row = { state: "It rains.", instructions: "", type: "noul", answer: true, bag_of_words: false } as const
  expect(toQuestion({ ...row, options: meanings })).toEqual({
    type: "noul",
    choices: [
      { key: "false", description: "it is dry" },
      { key: "true", description: "it is wet" },
    ],
  })
  expect(
    toQuestion({
      ...row,
      options: [
        ["false", null],
        ["true", null],
      ],
    }),
  ).toEqual({ type: "noul" })
})

test("questions of a type that a package refuses have no skill, however often one answer is right", () => {
  const options = [
    ["false", null],
    ["true", null],
  ] as const
  const cases = [true, false, false, false].map((answer) =>
    guess({ ...asked, type: "noul", options, answer, bag_of_words: false }, "set"),
  )
  expect(decisionFigures(cases)).toEqual({ skill: 0, skill_noul: 0, accuracy: 0.75, accuracy_noul: 0.75 })
})
