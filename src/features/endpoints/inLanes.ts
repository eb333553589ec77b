/**
 * Does the work for each item, at most so many at a time. @throws what the first failure threw, after which no further item is
 * begun
 */
export async function inLanes<Item>(
  lanes: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  const lane = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      try {
        await work(item);
      } catch (error) {
        rest.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, rest.length) }, lane));
}
