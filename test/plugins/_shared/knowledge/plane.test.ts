import { workOn } from "rtr"
import { expect, test } from "vitest"
import { toPlane } from "../../../../ts/plugins/_shared/knowledge/plane.ts"

const plane = async (...vectors: readonly (readonly number[])[]) =>
  workOn("", toPlane(vectors.map((vector) => Float32Array.from(vector))))
const near = (points: readonly (readonly [number, number])[]) =>
  points.map(([x, y]) => [expect.closeTo(x, 9), expect.closeTo(y, 9)])

test("points lie along the two directions in which vectors differ most", async () => {
  // The mean is (2, 1, 5): 2 to either side along the first axis, 1 along the second, which is found upside down, and nothing along the third.
  expect(await plane([0, 0, 5], [4, 0, 5], [0, 2, 5], [4, 2, 5])).toEqual(
    near([
      [-2, 1],
      [2, 1],
      [-2, -1],
      [2, -1],
    ]),
  )
})

test("vectors that do not differ are one point, and those of a line have no second number", async () => {
  expect(await plane([1, 2], [1, 2])).toEqual([
    [0, 0],
    [0, 0],
  ])
  expect(await plane([0, 1], [3, 1])).toEqual(
    near([
      [-1.5, 0],
      [1.5, 0],
    ]),
  )
  expect(await plane()).toEqual([])
})
