// What is learned from recorded outcomes: linear layers, a small network, groups of texts. Seeded, so that runs agree.

import { createRandom } from "../../inference/random.ts"

type Vector = Float32Array

/** `weight` has a row for each output. */
export interface Layer {
  readonly weight: readonly Float64Array[]
  readonly bias: Float64Array
}

/** What an output should have been, and by how much the score has to change. */
export type Slope = (score: number, target: boolean) => number

/** Of a chance. */
export const logistic: Slope = (score, target) => 1 / (1 + Math.exp(-score)) - (target ? 1 : 0)
/** Of a margin: right answers above 1, wrong ones below -1. */
export const hinge: Slope = (score, target) => {
  const sign = target ? 1 : -1
  return sign * score < 1 ? -sign : 0
}

export interface Training {
  readonly vectors: readonly Vector[]
  /** [rows][outputs] */
  readonly right: readonly (readonly boolean[])[]
}

const seed = 20_260_102
const rate = { start: 0.5, end: 0.02 }
const epochs = 12

/** One output for each model, by stochastic descent with a penalty on the squared weights. */
export function fitLinear({ vectors, right }: Training, slope: Slope, penalty: number): Layer {
  const random = createRandom(seed)
  const width = vectors[0]?.length ?? 0
  const outputs = right[0]?.length ?? 0
  const weight = Array.from({ length: outputs }, () => new Float64Array(width))
  const bias = new Float64Array(outputs)
  const steps = epochs * vectors.length
  for (let step = 0; step < steps; step++) {
    const speed = rate.start * (rate.end / rate.start) ** (step / steps)
    const row = Math.floor(random() * vectors.length)
    const vector = vectors[row] as Vector
    for (let output = 0; output < outputs; output++) {
      const weights = weight[output] as Float64Array
      const change = slope(scoreOf(weights, vector, bias[output] as number), right[row]?.[output] === true)
      for (let index = 0; index < width; index++) {
        const value = weights[index] as number
        weights[index] = value - speed * (change * (vector[index] as number) + 2 * penalty * value)
      }
      bias[output] = (bias[output] as number) - 0.1 * speed * change
    }
  }
  return { weight, bias }
}

function scoreOf(weights: Float64Array, vector: Vector, bias: number): number {
  let score = bias
  for (let index = 0; index < vector.length; index++) score += (weights[index] as number) * (vector[index] as number)
  return score
}

export interface Network {
  readonly hidden: Layer
  readonly output: Layer
}

const hiddenSize = 32

/** Outputs are the chances themselves, by least squares, so that a cost can be taken off them. */
export function fitNetwork({ vectors, right }: Training, penalty: number): Network {
  const random = createRandom(seed)
  const width = vectors[0]?.length ?? 0
  const outputs = right[0]?.length ?? 0
  const small = (size: number) => Float64Array.from({ length: size }, () => (random() - 0.5) * Math.sqrt(12 / width))
  const hidden = { weight: Array.from({ length: hiddenSize }, () => small(width)), bias: new Float64Array(hiddenSize) }
  const share = Array.from({ length: outputs }, (_, output) => meanOf(right.map((row) => Number(row[output]))))
  const output = {
    weight: Array.from({ length: outputs }, () => new Float64Array(hiddenSize)),
    bias: Float64Array.from(share),
  }
  const steps = epochs * vectors.length
  for (let step = 0; step < steps; step++) {
    const speed = 0.1 * rate.start * (rate.end / rate.start) ** (step / steps)
    const row = Math.floor(random() * vectors.length)
    const vector = vectors[row] as Vector
    const active = hidden.weight.map((weights, unit) =>
      Math.max(0, scoreOf(weights, vector, hidden.bias[unit] as number)),
    )
    const back = new Float64Array(hiddenSize)
    for (let model = 0; model < outputs; model++) {
      const weights = output.weight[model] as Float64Array
      let error = (output.bias[model] as number) - Number(right[row]?.[model])
      for (let unit = 0; unit < hiddenSize; unit++) error += (weights[unit] as number) * (active[unit] as number)
      for (let unit = 0; unit < hiddenSize; unit++) {
        const value = weights[unit] as number
        back[unit] = (back[unit] as number) + error * value
        weights[unit] = value - speed * (error * (active[unit] as number) + penalty * value)
      }
      output.bias[model] = (output.bias[model] as number) - 0.1 * speed * error
    }
    for (let unit = 0; unit < hiddenSize; unit++) {
      if (active[unit] === 0) continue
      const weights = hidden.weight[unit] as Float64Array
      const change = back[unit] as number
      for (let index = 0; index < width; index++) {
        const value = weights[index] as number
        weights[index] = value - speed * (change * (vector[index] as number) + penalty * value)
      }
      hidden.bias[unit] = (hidden.bias[unit] as number) - speed * change
    }
  }
  return { hidden, output }
}

/** Centres of groups of vectors, and the group of each vector. */
export function fitGroups(vectors: readonly Vector[], count: number): { centres: Float64Array[]; group: number[] } {
  const random = createRandom(seed)
  let centres: Float64Array[] = Array.from({ length: count }, () =>
    Float64Array.from(vectors[Math.floor(random() * vectors.length)] as Vector),
  )
  let group: number[] = []
  for (let round = 0; round < 20; round++) {
    group = vectors.map((vector) => nearest(centres, vector))
    const sums = centres.map((centre) => ({ total: new Float64Array(centre.length), members: 0 }))
    vectors.forEach((vector, row) => {
      const sum = sums[group[row] as number]
      if (sum === undefined) return
      sum.members += 1
      vector.forEach((value, index) => {
        sum.total[index] = (sum.total[index] as number) + value
      })
    })
    centres = sums.map(({ total, members }, index) =>
      members === 0 ? (centres[index] as Float64Array) : total.map((value) => value / members),
    )
  }
  return { centres, group: vectors.map((vector) => nearest(centres, vector)) }
}

function nearest(centres: readonly Float64Array[], vector: Vector): number {
  let [best, least] = [0, Infinity]
  centres.forEach((centre, index) => {
    let distance = 0
    for (let place = 0; place < centre.length; place++)
      distance += ((centre[place] as number) - (vector[place] as number)) ** 2
    if (distance < least) [best, least] = [index, distance]
  })
  return best
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
