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
