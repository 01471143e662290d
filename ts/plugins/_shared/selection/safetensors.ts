// Tensors of a `safetensors` file, as far as small layers have them: F16 and F32.

export interface Tensor {
  readonly shape: readonly number[]
  readonly values: Float64Array
}

/** A layer of a predictor has some thousand numbers. */
const maxHeaderBytes = 1_000_000

/** Throws a `TypeError` that says what is wrong with the file. */
export function readTensor(file: Uint8Array, name: string): Tensor {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const headerBytes = file.byteLength < 8 ? Infinity : Number(view.getBigUint64(0, true))
  if (headerBytes > Math.min(maxHeaderBytes, file.byteLength - 8))
    throw new TypeError("its weights are no safetensors file")
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + headerBytes))) as Readonly<
    Record<
      string,
      { readonly dtype: string; readonly shape: readonly number[]; readonly data_offsets: readonly number[] }
    >
  >
  const { dtype, shape = [], data_offsets: [start = 0, end = 0] = [] } = header[name] ?? {}
  const size = dtype === "F16" ? 2 : 4
  if (dtype !== "F16" && dtype !== "F32") throw new TypeError(`its weights have no tensor ${name} in F16 or F32`)
  const count = shape.reduce((product, length) => product * length, 1)
  const first = 8 + headerBytes + start
  if (!(start >= 0) || end - start !== count * size || 8 + headerBytes + end > file.byteLength)
    throw new TypeError(`the tensor ${name} of its weights is cut off`)
  const values = Float64Array.from({ length: count }, (_, index) =>
    size === 2 ? halfOf(view.getUint16(first + index * 2, true)) : view.getFloat32(first + index * 4, true),
  )
  return { shape, values }
}

/** Of the bits of a float16: a sign, five of the exponent, ten of the fraction. */
function halfOf(bits: number): number {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 0x1f, bits & 0x3ff]
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
