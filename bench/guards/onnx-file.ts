// ONNX models as bytes: as much of the protobuf schema as a graph of named nodes over constant weights needs.

export interface GraphNode {
  readonly operator: string
  /** `com.microsoft` for the fused operators of ONNX Runtime; the standard ones when left out. */
  readonly domain?: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** Whole numbers, and floats as strings. */
  readonly attributes?: Readonly<Record<string, number | { readonly float: number }>>
}

export interface GraphParts {
  readonly nodes: readonly GraphNode[]
  readonly weights: ReadonlyMap<string, { readonly shape: readonly number[]; readonly values: Float32Array }>
  /** 32-bit integers, `[batch, tokens]`. */
  readonly inputs: readonly string[]
  /** 32-bit floats, `[batch, tokens, width]`. */
  readonly outputs: readonly string[]
  readonly width: number
}

/** Field numbers and values are those of onnx.proto, version 8 of the format with operators of version 17. */
export function onnxModel({ nodes, weights, inputs, outputs, width }: GraphParts): Uint8Array {
  const grid = (name: string, type: number, sizes: readonly (string | number)[]): Buffer => {
    const dimensions = sizes.map((size) => bytes(1, typeof size === "number" ? whole(1, size) : text(2, size)))
    const tensor = bytes(1, whole(1, type), bytes(2, ...dimensions))
    return Buffer.concat([text(1, name), bytes(2, tensor)])
  }
  const graph = [
    ...nodes.map((node) => bytes(1, ...nodeParts(node))),
    text(2, "bench"),
    ...Array.from(weights, ([name, { shape, values }]) =>
      bytes(
        5,
        ...shape.map((size) => whole(1, size)),
        whole(2, float32),
        text(8, name),
        bytes(9, Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
      ),
    ),
    ...inputs.map((name) => bytes(11, grid(name, int32, ["batch", "tokens"]))),
    ...outputs.map((name) => bytes(12, grid(name, float32, ["batch", "tokens", width]))),
  ]
  const standard = bytes(8, whole(2, 17))
  const fused = bytes(8, text(1, "com.microsoft"), whole(2, 1))
  return Buffer.concat([whole(1, 8), bytes(7, ...graph), standard, fused])
}

const float32 = 1
const int32 = 6

function nodeParts({ operator, domain, inputs, outputs, attributes = {} }: GraphNode): readonly Buffer[] {
  return [
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, operator),
    ...Object.entries(attributes).map(([name, value]) =>
      typeof value === "number"
        ? bytes(5, text(1, name), whole(3, value), whole(20, 2))
        : bytes(5, text(1, name), float(2, value.float), whole(20, 1)),
    ),
    ...(domain === undefined ? [] : [text(7, domain)]),
  ]
}

function varint(value: number): Buffer {
  const found: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...found, rest])
    found.push((rest % 128) | 128)
  }
}

const whole = (field: number, value: number): Buffer => Buffer.concat([varint(field * 8), varint(value)])

function float(field: number, value: number): Buffer {
  const stored = Buffer.alloc(4)
  stored.writeFloatLE(value)
  return Buffer.concat([varint(field * 8 + 5), stored])
}

function bytes(field: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([varint(field * 8 + 2), varint(length), ...parts])
}

const text = (field: number, value: string): Buffer => bytes(field, Buffer.from(value))
