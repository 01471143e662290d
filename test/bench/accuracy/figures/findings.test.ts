import { expect, test } from "vitest"
import { countFindings, findingFigures } from "../../../../bench/accuracy/figures/findings.ts"

const isDefault = (kind: string): boolean => kind !== "GPE"
const span = (label: string, start: number, end: number) => ({ label, start, end })

test("kinds that nobody asked for neither count as findings nor against the figure of the default kinds", () => {
  const said = [span("PERSON", 0, 3), span("GPE", 5, 9)]
  const figures = findingFigures([countFindings([span("PERSON", 0, 3)], said, undefined, isDefault)])
  expect(figures["default_f1"]).toBe(1)
})

test("of texts that have none, those with a finding are counted, together and by kind", () => {
  const none = [[span("GPE", 0, 4)], [span("PERSON", 0, 4), span("PERSON", 6, 9)], [span("AGE", 0, 2)], []]
  const some = countFindings([span("AGE", 0, 2)], [span("PERSON", 3, 5)], undefined, isDefault)
  const figures = findingFigures([some, ...none.map((said) => countFindings([], said, undefined, isDefault))])
  expect(figures).toMatchObject({ texts_with_findings: 0.5, texts_with_PERSON: 0.25, texts_with_AGE: 0.25 })
})

test("a source that marks only some kinds says nothing about the others", () => {
  const figures = findingFigures([countFindings([], [span("AGE", 0, 2)], ["PERSON"], isDefault)])
  expect(figures["texts_with_findings"]).toBe(0)
})

test("people are found at least in part, and false where nobody is", () => {
  const marked = [span("PERSON", 0, 9), span("PERSON", 20, 25), span("AGE", 30, 32)]
  const said = [span("PERSON", 4, 9), span("PERSON", 30, 32)]
  const figures = findingFigures([countFindings(marked, said, undefined, isDefault)])
  expect(figures).toMatchObject({ people_found: 0.5, people_false: 0.5 })
})

test("where nothing is marked there is no share of it", () => {
  const figures = findingFigures([countFindings([], [span("PERSON", 0, 2)], undefined, isDefault)])
  for (const name of ["default_f1", "default_precision", "default_recall", "people_found", "people_false"])
    expect(figures[name], name).toBeNaN()
})

test("what a rule does not count is no finding, and a person it does not count is found all the same", () => {
  const said = [span("PERSON", 0, 3)]
  const inNone = countFindings([], said, undefined, isDefault, [])
  const inSome = countFindings(said, said, undefined, isDefault, [])
  expect(findingFigures([inNone, inSome])).toMatchObject({ texts_with_findings: 0, people_found: 1, people_counted: 0 })
})
