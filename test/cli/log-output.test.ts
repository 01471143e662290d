import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createLogOutput, type LogOutputOptions } from "../../ts/cli/log-output.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** An output whose writes end when the test says so. */
function watched(options: Partial<LogOutputOptions> = {}) {
  const writes: string[] = []
  const done: ((error?: Error) => void)[] = []
  const output = createLogOutput({
    sink(bytes, end) {
      writes.push(bytes.toString())
      done.push(end)
    },
    lost: (lines) => `lost ${lines}`,
    everyMs: 20,
    ...options,
  })
  return { output, writes, end: (error?: Error) => done.shift()?.(error) }
}

test("lines of one moment are one write, and one write at a time is on its way", () => {
  const { output, writes, end } = watched()
  output.write("a")
  output.write("b")
  expect(writes).toEqual([])
  vi.advanceTimersByTime(20)
  expect(writes).toEqual(["a\nb\n"])
  output.write("c")
  vi.advanceTimersByTime(1000)
  expect(writes).toHaveLength(1)
  end()
  vi.advanceTimersByTime(20)
  expect(writes).toEqual(["a\nb\n", "c\n"])
})

test("a reader that stops costs lines and no memory; their number is told when it goes on", () => {
  const { output, writes, end } = watched({ maxWaiting: 10 })
  output.write("first")
  vi.advanceTimersByTime(20)
  for (let line = 0; line < 1000; line++) output.write("1234")
  end()
  vi.advanceTimersByTime(20)
  end()
  output.write("last")
  vi.advanceTimersByTime(20)
  end()
  expect(writes).toEqual(["first\n", "lost 998\n1234\n1234\n", "last\n"])
})

test("lines that cannot be written are counted, also when the disk is full for long", () => {
  const { output, writes, end } = watched()
  for (const line of ["a", "b", "c"]) {
    output.write(line)
    vi.advanceTimersByTime(20)
    end(new Error("ENOSPC"))
  }
  output.write("d")
  vi.advanceTimersByTime(20)
  end()
  output.write("e")
  vi.advanceTimersByTime(20)
  expect(writes.slice(3)).toEqual(["lost 3\nd\n", "e\n"])
})

test("long lines, and many, are whole", () => {
  const { output, writes } = watched()
  const lines = ["ä".repeat(50_000), ...Array.from({ length: 5000 }, (_, at) => `line ${at} 🙂`)]
  for (const line of lines) output.write(line)
  vi.advanceTimersByTime(20)
  expect(writes).toEqual([`${lines.join("\n")}\n`])
})

test("closing waits for the reader, but not for ever", async () => {
  const { output, writes, end } = watched()
  output.write("a")
  let closed = false
  const closing = output.close(1000).then((isDrained) => (closed = isDrained))
  await vi.advanceTimersByTimeAsync(1)
  expect([writes, closed]).toEqual([["a\n"], false])
  end()
  expect([await closing, closed]).toEqual([true, true])
  output.write("b")
  const late = output.close(1000)
  await vi.advanceTimersByTimeAsync(1000)
  expect(await late).toBe(false)
  expect(writes).toEqual(["a\n", "b\n"])
})
