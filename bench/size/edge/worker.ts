// What an edge host ships for keyword rules: a worker with the chat route, one dialect, one provider and the signals that ask no model.

import { createBareKernel, type Kernel } from "rtr/edge"
import chatCompletions from "rtr/plugins/dialects/chat-completions"
import vllm from "rtr/plugins/providers/vllm"
import chat from "rtr/plugins/routes/chat"
import staticSelector from "rtr/plugins/selectors/static"
import context from "rtr/plugins/signals/context"
import keyword from "rtr/plugins/signals/keyword"
import language from "rtr/plugins/signals/language"
import structure from "rtr/plugins/signals/structure"
import memory from "rtr/plugins/stores/memory"

interface Bindings {
  /** A v0.3 document as JSON. */
  readonly CONFIG: object
}

const modules = {
  chat_completions: chatCompletions,
  vllm,
  chat,
  static: staticSelector,
  context,
  keyword,
  language,
  structure,
  memory,
}

let making: Promise<Kernel> | undefined

export default {
  async fetch(request: Request, { CONFIG }: Bindings): Promise<Response> {
    const kernel = await (making ??= createBareKernel({ config: CONFIG, modules }))
    return kernel.fetch(request)
  },
}
