// What the router says of a preview, in the words of whoever asked for it.

/** Hands on what `asking` rejects with. `userId` is what stands there for `preview_context.user_id` of the management API. */
export async function withOwnNames<Reply>(asking: Promise<Reply>, userId: string): Promise<Reply> {
  try {
    return await asking
  } catch (error) {
    const { isRtrError, RtrError } = await import("rtr")
    if (!isRtrError(error) || !apiName.test(error.message)) throw error
    const { code, hint } = error
    throw new RtrError(code, error.message.replace(apiName, userId), {
      cause: error,
      ...(hint !== undefined && { hint }),
    })
  }
}

const apiName = /(?:body\.)?preview_context\.user_id/
