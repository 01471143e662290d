// Fields that are read on first use.

/**
 * Makes what gives a node such a field: `read` makes its value from the source, once. `{ ...node, change }` copies it as any
 * other field. All nodes share one getter: V8 keeps a getter of each node's own outside of the young generation, with all that
 * it refers to, and collecting that costs a tenth of a request.
 */
export function lazyField<const Name extends string, Source, Value>(
  name: Name,
  read: (source: Source) => Value,
): <Node extends object>(node: Node, source: Source) => Node & Readonly<Record<Name, Value>> {
  class Lazy extends Itself {
    readonly #source: Source
    #value: Value | undefined

    constructor(node: object, source: Source) {
      super(node)
      this.#source = source
    }

    static readonly field: PropertyDescriptor = {
      enumerable: true,
      configurable: true,
      get(this: Lazy) {
        return (this.#value ??= read(this.#source))
      },
    }
  }
  return (node, source) => Object.defineProperty(new Lazy(node, source), name, Lazy.field) as never
}

/** A class that derives from it puts its private fields into the node. */
const Itself = function (node: object) {
  return node
} as unknown as new (node: object) => object
