// The name of an operation for generators of clients.

import type { OperationInfo } from "../types/route.ts"

/** `get_api_v1_status`: method and path as one word. */
export function operationId({ method, path }: Pick<OperationInfo, "method" | "path">): string {
  const words = path.replaceAll(/[{}]/g, "").replaceAll(/[/.-]/g, "_").replace(/^_/, "")
  return `${method.toLowerCase()}_${words}`
}
