import { cachePerList } from './cachePerList.ts';

interface WithId {
  readonly id: string;
}

const index = cachePerList((items: readonly WithId[]) => {
  const byId = new Map<string, WithId>();
  // Keeps the first of several items with the same ID.
  for (const item of items) if (!byId.has(item.id)) byId.set(item.id, item);
  return byId;
});

/** Returns the item with this ID. Indexes each list only once. */
export function itemById<Item extends WithId>(items: readonly Item[], id: string): Item | undefined {
  return index(items).get(id) as Item | undefined;
}
