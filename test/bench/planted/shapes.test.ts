import { expect, test } from "vitest"
import { plant, shapes } from "../../../bench/planted/shapes.ts"
import type { Parts, Writer } from "../../../bench/planted/texts.ts"

const writer: Writer = { write: (words) => Array.from({ length: words }, (_, word) => `${word} `), plant: () => "X " }
const writers = { prose: writer, markdown: writer, log: writer, file: writer }

test("every shape has the attack once, from the first to the last place of what may hold it", () => {
  for (const { name, slots: slotsOf } of shapes) {
    const slots = slotsOf(400)
    const texts: readonly Parts[] = slots.map(({ words }) => writer.write(words))
    const holders = slots.flatMap(({ isPlanted }, at) => (isPlanted ? [at] : []))
    const places = [0, 0.31, 0.5, 1].map((position) => {
      const planted = plant(texts, slots, writers, { attack: "X", position })
      expect(planted.join("").split("X"), `${name} at ${position}`).toHaveLength(2)
      return planted.findIndex((text) => text.includes("X"))
    })
    expect([places[0], places.at(-1)], name).toEqual([holders[0], holders.at(-1)])
    expect(
      places.every((place) => holders.includes(place)),
      name,
    ).toBe(true)
    const ends = [0, 1].map((position) => plant(texts, slots, writers, { attack: "X", position }))
    expect(ends[0]?.[holders[0] ?? 0], name).toMatch(/^X /)
    expect(ends[1]?.[holders.at(-1) ?? 0], name).toMatch(/ X $/)
  }
})
