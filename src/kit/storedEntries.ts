import type * as z from 'zod';

/** Entries of a stored list. */
export interface StoredEntries<Entry> {
  readonly entries: readonly Entry[];
  /** Entries that cannot be read, such as those of a newer version. They are stored again, so that no version deletes those of another. */
  readonly others: readonly unknown[];
}

/** Reads a stored list entry by entry, so that one that cannot be read does not hide the rest. */
export function storedEntries<Schema extends z.ZodType>(
  schema: Schema,
  stored: unknown,
): StoredEntries<z.output<Schema>> {
  const entries: z.output<Schema>[] = [];
  const others: unknown[] = [];
  for (const one of Array.isArray(stored) ? (stored as readonly unknown[]) : []) {
    const { success, data } = schema.safeParse(one);
    if (success) entries.push(data);
    else others.push(one);
  }
  return { entries, others };
}
