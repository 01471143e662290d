// A model in another API than that of chats, at the same hosts and with the same keys.

import { RtrError } from "../../error.ts"
import type { OtherApi } from "../../types/capability.ts"
import type { ModelTarget, TargetBackend } from "../../types/plan.ts"
import type { ProviderBackend } from "../../types/provider.ts"

/** The same model with its backends that have the API. Throws `unsupported_surface` when none has. */
export function inApi({ path, ...wire }: OtherApi, model: ModelTarget): ModelTarget {
  const backends = model.backends.filter(isLikeOpenAi).map((backend): TargetBackend => {
    const toRequest: ProviderBackend["toRequest"] = (input) => {
      const request = backend.provider.toRequest(input)
      const url = new URL(request.url)
      url.pathname = url.pathname.replace(chatPath, path)
      return { ...request, url: url.href }
    }
    return { ...backend, dialect: { ...backend.dialect, ...wire }, provider: { toRequest } }
  })
  if (backends.length > 0) return { ...model, backends }
  throw new RtrError(
    "unsupported_surface",
    `Model "${model.name}" has no ${path}: none of its backends has the paths of OpenAI's API`,
  )
}

function isLikeOpenAi({ provider }: TargetBackend): boolean {
  const { url } = provider.toRequest({ body: {}, stream: false, headers: {} })
  return chatPath.test(new URL(url).pathname)
}

const chatPath = /\/(?:chat\/completions|responses)$/
