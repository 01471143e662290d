// GET /api/v1/config/hash: which document serves, and what became of the newest one.

import { defineRoute, type KernelStatus, literals, operation, Type } from "../../kernel/index.ts"

const hash = Type.String({ description: "SHA-256 of the document's bytes, hex" })

export default defineRoute({
  about: "The configuration",
  listeners: ["management"],
  operations: [
    operation({
      id: "config.hash",
      method: "GET",
      path: "/api/v1/config/hash",
      about: "Hashes of the serving and of the newest document",
      permission: "config.read",
      sensitivity: "config",
      capability: "config",
      plane: "management",
      audiences: ["agent", "operator"],
      stability: "stable",
      replies: {
        200: {
          about: "The hashes",
          schema: Type.Object({
            source_config_hash: Type.Optional(hash),
            generated_runtime_hash: Type.Optional(hash),
            active_runtime_hash: Type.Optional(hash),
            active_version: Type.Optional(Type.Integer({ description: "Number of the serving generation" })),
            activation_status: literals(["active", "pending", "failed", "unknown"]),
          }),
        },
      },
      errors: "management",
      needs: ["status"],
      setup:
        ({ status }) =>
        () => ({ body: hashes(status()) }),
    }),
  ],
})

/** The document is served as it is written, so that its hash is also that of what runs. */
function hashes({ activation: { activeHash, observedHash, state, version } }: KernelStatus): object {
  return {
    ...(observedHash !== undefined && { source_config_hash: observedHash, generated_runtime_hash: observedHash }),
    ...(activeHash !== undefined && { active_runtime_hash: activeHash, active_version: version }),
    activation_status:
      activeHash === undefined
        ? "unknown"
        : activeHash === observedHash
          ? "active"
          : state === "failed"
            ? "failed"
            : "pending",
  }
}
