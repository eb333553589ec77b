/**
 * A function that makes something from a list, once for each list. A list that a platform answers can be long, and every row of a view
 * asks about it: a search for each row would take the square of its length.
 */
export function perList<Item, Result>(make: (items: readonly Item[]) => Result): (items: readonly Item[]) => Result {
  const made = new WeakMap<readonly Item[], { readonly result: Result }>();
  return (items) => {
    const known = made.get(items) ?? { result: make(items) };
    made.set(items, known);
    return known.result;
  };
}
