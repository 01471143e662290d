// What ends with a test, or with its file where a hook of the file began it.

import { afterAll, onTestFinished, TestRunner } from "vitest"

type End = () => unknown

const shared: End[] = []
afterAll(async () => {
  for (const end of shared.toReversed()) await end()
})

/** Runs `end` when the test is over. What `beforeAll` started is shared by the tests of its file and ends with them. */
export function atEnd(end: End): void {
  if (TestRunner.getCurrentTest() === undefined) shared.push(end)
  else onTestFinished(async () => void (await end()))
}
