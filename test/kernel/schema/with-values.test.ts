import { expect, test } from "vitest"
import { withValuesAt } from "../../../ts/kernel/schema/with-values.ts"

test("values stand at their places, and the value itself stays as it is", () => {
  const root = { list: [{ a: 1 }, { a: 2 }], other: { b: 3 } }
  const changed = withValuesAt(root, [
    [["list", 0, "a"], "one"],
    [["list", 1], "two"],
  ]) as typeof root
  expect(changed).toEqual({ list: [{ a: "one" }, "two"], other: { b: 3 } })
  expect(changed.other).toBe(root.other)
  expect(root.list[0]).toEqual({ a: 1 })
  expect(withValuesAt(root, [])).toBe(root)
  expect(withValuesAt(root, [[[], "all"]])).toBe("all")
})

test("a list is copied once, however many of its items change", () => {
  let copies = 0
  const list = Array.from({ length: 100 }, () => 0)
  Object.defineProperty(list, Symbol.iterator, {
    value() {
      copies += 1
      return Array.prototype.values.call(this)
    },
  })
  withValuesAt(
    list,
    list.map((_, index) => [[index], index]),
  )
  expect(copies).toBe(1)
})
