// Reads and writes safetensors files, as far as the packages of this bench need it.

import { readFileSync, writeFileSync } from "node:fs"

/** 32-bit floats, row after row. */
export interface Tensor {
  readonly shape: readonly number[]
  readonly values: Float32Array
}

export type Tensors = ReadonlyMap<string, Tensor>

interface Entry {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data_offsets: readonly [number, number]
}

/**
 * All tensors in 32 bits. I8 tensors are multiplied by the scales of their rows, which stand in `<tensor>_scale` and are
 * left out themselves. Throws for types that the embedded packages do not have.
 */
export function readTensors(path: string): Tensors {
  const file = readFileSync(path)
  const dataAt = 8 + Number(file.readBigUInt64LE(0))
  const header = JSON.parse(file.toString("utf8", 8, dataAt)) as Record<string, Entry>
  const read = (name: string): Float32Array => {
    const { dtype, data_offsets: range } = header[name] as Entry
    // A copy, because numbers of several bytes have to begin at a multiple of their size.
    const { buffer } = Uint8Array.from(file.subarray(dataAt + range[0], dataAt + range[1]))
    if (dtype === "F32") return new Float32Array(buffer)
    if (dtype === "F16") return Float32Array.from(new Float16Array(buffer))
    if (dtype === "I8") return Float32Array.from(new Int8Array(buffer))
    throw new Error(`Cannot read tensor "${name}" of ${path}: its type is ${dtype}, not F32, F16 or I8`)
  }
  const names = Object.keys(header).filter((name) => name !== "__metadata__" && !name.endsWith("_scale"))
  return new Map(
    names.map((name) => {
      const values = read(name)
      const scales = `${name}_scale` in header ? read(`${name}_scale`) : undefined
      if (scales !== undefined) scaleRows(values, scales)
      return [name, { shape: header[name]?.shape ?? [], values }]
    }),
  )
}

function scaleRows(values: Float32Array, scales: Float32Array): void {
  const columns = values.length / scales.length
  for (let at = 0; at < values.length; at++) values[at] = (values[at] ?? 0) * (scales[Math.floor(at / columns)] ?? 0)
}

export function writeTensors(path: string, tensors: Tensors): void {
  let offset = 0
  const header: Record<string, Entry> = {}
  for (const [name, { shape, values }] of tensors) {
    header[name] = { dtype: "F32", shape, data_offsets: [offset, offset + values.byteLength] }
    offset += values.byteLength
  }
  const text = JSON.stringify(header)
  const head = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(head.length))
  const data = [...tensors.values()].map(({ values }) =>
    Buffer.from(values.buffer, values.byteOffset, values.byteLength),
  )
  writeFileSync(path, Buffer.concat([length, head, ...data]))
}
