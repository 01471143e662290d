import { expect, test } from "vitest"
import { feedbackText } from "../../../ts/plugins/_shared/feedback-text.ts"

test("the answer stands behind the text, both trimmed", () => {
  expect(feedbackText(" That is wrong. ", "\n It is 5.\n")).toBe("That is wrong.\n\nassistant: It is 5.")
})

test.each([
  ["letters", "x"],
  ["characters of two code units", "🙂"],
])("600 %s of the answer are read", (_, character) => {
  expect(feedbackText("no", character.repeat(601))).toBe(`no\n\nassistant: ${character.repeat(600)}`)
  expect(feedbackText("no", ` ${character.repeat(600)}`)).toBe(`no\n\nassistant: ${character.repeat(600)}`)
})
