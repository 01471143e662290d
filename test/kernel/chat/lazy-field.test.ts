import { describe, expect, test } from "vitest"
import { lazyField } from "../../../ts/kernel/chat/lazy-field.ts"

interface Words {
  readonly text: string
  reads: number
}

const withWords = lazyField("words", (source: Words) => {
  source.reads += 1
  return source.text.split(" ")
})

const sourceOf = (text: string): Words => ({ text, reads: 0 })

describe("a field that is read on first use", () => {
  test("is read once, and not before", () => {
    const source = sourceOf("a b")
    const node = withWords({ id: 1 }, source)
    expect(source.reads).toBe(0)
    expect(node.words).toEqual(["a", "b"])
    expect(node.words).toBe(node.words)
    expect(source.reads).toBe(1)
  })

  test("is each node's own", () => {
    const nodes = [withWords({}, sourceOf("a")), withWords({}, sourceOf("b"))]
    expect(nodes.map(({ words }) => words)).toEqual([["a"], ["b"]])
  })

  test("is copied as any other field", () => {
    const source = sourceOf("a b")
    const copy = { ...withWords({ id: 1 }, source), id: 2 }
    expect(copy).toEqual({ id: 2, words: ["a", "b"] })
    expect(Object.getOwnPropertyDescriptor(copy, "words")).toMatchObject({ value: ["a", "b"] })
    expect(JSON.stringify(withWords({ id: 1 }, source))).toBe('{"id":1,"words":["a","b"]}')
  })

  test("has one getter for all nodes", () => {
    const getters = [sourceOf("a"), sourceOf("b")].map(
      (source) => Object.getOwnPropertyDescriptor(withWords({}, source), "words")?.get,
    )
    expect(getters[0]).toBeTypeOf("function")
    expect(getters[0]).toBe(getters[1])
  })
})
