/**
 * Returns a function that caches the result of `make` for each list. Each row of a view looks up data in a list that can be long, and a
 * search for each row would take quadratic time.
 */
export function cachePerList<Item, Result>(
  make: (items: readonly Item[]) => Result,
): (items: readonly Item[]) => Result {
  const made = new WeakMap<readonly Item[], { readonly result: Result }>();
  return (items) => {
    const known = made.get(items) ?? { result: make(items) };
    made.set(items, known);
    return known.result;
  };
}

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
