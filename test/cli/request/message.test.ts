import { PassThrough } from "node:stream"
import { expect, test } from "vitest"
import { readMessage, type StandardInput } from "../../../ts/cli/request/message.ts"

function piped(
  text: string | undefined,
  kind: StandardInput["kind"] = "pipe",
): StandardInput & { stream: PassThrough } {
  const stream = new PassThrough()
  if (text !== undefined) stream.end(text)
  return { kind, stream, silentMs: 60_000 }
}

test("the words, what stands on standard input, or both", async () => {
  expect(await readMessage(["a", "b"], undefined, piped("", "other"))).toBe("a b")
  expect(await readMessage([], undefined, piped("x\ny\n"))).toBe("x\ny")
  expect(await readMessage([], undefined, piped("x\r\n", "other"))).toBe("x")
  expect(await readMessage(["Review", "this"], undefined, piped("+ é\n- e\n"))).toBe("Review this\n\n+ é\n- e")
  expect(await readMessage([], "Review this", piped("x", "file"))).toBe("Review this\n\nx")
  expect(await readMessage(["-"], undefined, piped("x\n", "terminal"))).toBe("x")
  expect(await readMessage(["Review", "-"], undefined, piped("x\n", "terminal"))).toBe("Review\n\nx")
  expect(await readMessage(["3", "-", "2"], undefined, piped("", "pipe"))).toBe("3 - 2")
  expect(await readMessage(["a"], undefined, piped(" \n", "pipe"))).toBe("a")
})

test("a pipe that nobody writes or closes does not hold the words, and that is told", async () => {
  const input = piped(undefined)
  const told: string[] = []
  expect(await readMessage(["a"], undefined, { ...input, silentMs: 1, warn: (text) => told.push(text) })).toBe("a")
  expect(told).toEqual([expect.stringMatching(/^Nothing came on standard input .* without it/)])
  expect(input.stream.destroyed).toBe(true)
})

test("what begins in time is read to its end, and a terminal is asked nothing", async () => {
  const input = piped(undefined)
  input.stream.write("one ")
  const message = readMessage(["a"], undefined, input)
  setTimeout(() => input.stream.end("two"), 20)
  expect(await message).toBe("a\n\none two")
  expect(await readMessage(["a"], undefined, piped(undefined, "terminal"))).toBe("a")
  expect(await readMessage(["a"], undefined, piped(undefined, "other"))).toBe("a")
})

test("a message without text is refused, and one that is given twice", async () => {
  await expect(readMessage([], undefined, piped("\n"))).rejects.toThrow("standard input has no text")
  await expect(readMessage([], undefined, piped(undefined, "terminal"))).rejects.toThrow("There is no message")
  await expect(readMessage([], " ", piped(undefined, "terminal"))).rejects.toThrow("There is no message")
  await expect(readMessage(["a"], "b", piped(""))).rejects.toThrow("both")
})
