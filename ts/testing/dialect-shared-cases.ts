// What every dialect must do, whether it has clients or only calls backends.

import { type DialectModule, maxEventBytes } from "../kernel/index.ts"
import { type ContractCase, contractCase, expectThat } from "./case.ts"
import { expectError } from "./dialect-streams.ts"

export const describesItself = (module: DialectModule): ContractCase =>
  contractCase("says what it does in one line", async () => {
    expectThat(module.kind === "dialect", "a module made by defineDialect")
    expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
    expectThat(/^[\w-]+\/[\w.+-]+/.test(module.streamType), "the content type of a stream")
    // The OpenAPI document has the shapes of every dialect.
    const { request, reply, error } = await module.schemas()
    for (const schema of [request, reply, error])
      expectThat(typeof schema === "object" && schema !== null, "schemas of request, reply and error")
  })

/** Whatever the reader is for, it must not keep an event without end. */
export const boundsEvents = (module: DialectModule): ContractCase =>
  contractCase("bounds the size of an event", () => {
    const piece = new Uint8Array(256 * 1024).fill(120)
    for (const events of [true, false]) {
      const reader = module.reader({ events })
      expectError(
        () => {
          for (let size = 0; size <= maxEventBytes; size += piece.length) reader.read(piece)
        },
        "upstream_error",
        "an event without end",
      )
    }
  })
