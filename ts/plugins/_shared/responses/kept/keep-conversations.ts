// What clients can do with conversations, beside going on with them in a response.

import { type OperationInput, type RouteHost, RtrError, type WireObject } from "../../../../kernel/index.ts"
import { checkedItems, createConversationStore, type KeptConversation } from "./conversation-store.ts"
import { type PageQuery, pageOfItems } from "./input-items.ts"
import { withoutThinker } from "./thoughts.ts"
import { openKept, ownerOf } from "./open-kept.ts"

type Asker = Pick<OperationInput<unknown, unknown, unknown>, "principal" | "hold">
type Metadata = Readonly<Record<string, string>> | null | undefined

export interface KeptConversations {
  create(asker: Asker, fields: { items?: readonly object[] | null; metadata?: Metadata }): Promise<WireObject>
  read(id: string, asker: Asker): Promise<WireObject>
  update(id: string, asker: Asker, metadata: Metadata): Promise<WireObject>
  remove(id: string, asker: Asker): Promise<WireObject>
  items(id: string, asker: Asker, query: PageQuery): Promise<WireObject>
  addItems(id: string, asker: Asker, items: readonly object[]): Promise<WireObject>
  readItem(id: string, asker: Asker, itemId: string): Promise<WireObject>
  removeItem(id: string, asker: Asker, itemId: string): Promise<WireObject>
}

/** Undefined where the document says that nothing is kept. */
export async function keepConversations(host: RouteHost): Promise<KeptConversations | undefined> {
  const opened = await openKept(host)
  if (opened === undefined) return undefined
  const store = createConversationStore(opened.values("conversations"), { ...opened.settings, clock: host.clock })
  return {
    create: async (asker, { items, metadata }) =>
      store.create(ownerOf(asker), { items: checkedItems(items ?? []), metadata: metadata ?? {} }),
    read: async (id, asker) => (await store.find(id, ownerOf(asker))).conversation,
    update: async (id, asker, metadata) =>
      (await store.change(id, ownerOf(asker), () => ({ metadata: metadata ?? {} }), asker.hold)).conversation,
    async remove(id, asker) {
      await store.remove(id, ownerOf(asker))
      return { id, object: "conversation.deleted", deleted: true }
    },
    items: async (id, asker, query) => pageOfItems((await store.find(id, ownerOf(asker))).items, query),
    async addItems(id, asker, items) {
      const added = checkedItems(items)
      await store.change(id, ownerOf(asker), (kept) => ({ items: [...kept.items, ...added] }), asker.hold)
      return pageOfItems(added, { order: "asc", limit: added.length })
    },
    async readItem(id, asker, itemId) {
      const { items } = await store.find(id, ownerOf(asker))
      const item = items.find((each) => each["id"] === itemId)
      if (item === undefined) throw noItem()
      return withoutThinker(item)
    },
    async removeItem(id, asker, itemId) {
      const without = ({ items }: KeptConversation): { readonly items: readonly WireObject[] } => {
        const left = items.filter((each) => each["id"] !== itemId)
        if (left.length === items.length) throw noItem()
        return { items: left }
      }
      const { conversation } = await store.change(id, ownerOf(asker), without, asker.hold)
      return conversation
    },
  }
}

const noItem = (): RtrError => new RtrError("not_found", "Cannot find the item: the conversation has none with this id")
