import { perList } from './perList.ts';

interface WithId {
  readonly id: string;
}

const index = perList((items: readonly WithId[]) => {
  const byId = new Map<string, WithId>();
  // The first of several items with one id counts.
  for (const item of items) if (!byId.has(item.id)) byId.set(item.id, item);
  return byId;
});

/** The item with this id. The list is searched once, however many of its items are asked for. */
export function itemById<Item extends WithId>(items: readonly Item[], id: string): Item | undefined {
  return index(items).get(id) as Item | undefined;
}
