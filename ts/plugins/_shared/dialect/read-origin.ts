// What a node of the canonical form was read from.

import type { Origin } from "../../../kernel/index.ts"

/**
 * Leads from a node back to what it was read from; it travels with `{ ...node, change }`. The fields are private, because a
 * `WeakMap` entry for every message of every request costs more in garbage collection than reading it.
 */
export class ReadOrigin<Original, Node extends object> implements Origin {
  readonly dialect: string
  readonly #original: Original
  #node: Node | undefined

  constructor(dialect: string, original: Original) {
    this.dialect = dialect
    this.#original = original
  }

  /** Undefined for a mark of another dialect, and for a copy that came through JSON. */
  static find<Original, Node extends object>(
    origin: Origin | undefined,
    dialect: string,
  ): ReadOrigin<Original, Node> | undefined {
    return origin !== undefined && #original in origin && origin.dialect === dialect
      ? (origin as unknown as ReadOrigin<Original, Node>)
      : undefined
  }

  get original(): Original {
    return this.#original
  }

  /** The node as it was read: another one is a changed copy. */
  get node(): Node {
    return this.#node as Node
  }

  /** Names the node that was read, which holds this origin. */
  of(node: Node): Node {
    this.#node = node
    return node
  }
}
