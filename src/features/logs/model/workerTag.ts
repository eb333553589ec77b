import { oneLine } from '../../../text/shownText.ts';

/** Short name of a worker at the beginning of its lines, in a log of several workers. */
export interface WorkerTag {
  /** Letters, digits, `-`, and `_`. */
  readonly text: string;
  readonly color: TagColor;
}

const TAG_COLORS = ['tag1', 'tag2', 'tag3', 'tag4', 'tag5', 'tag6'] as const;
export type TagColor = (typeof TAG_COLORS)[number];

/** Minimum length of a tag, unless the ID is shorter. */
const LEAST_LENGTH = 4;
/** Maximum length of a tag, in characters. */
const MOST_LENGTH = 32;

/**
 * Returns a tag for each worker: the shortest end or beginning of its ID that no other tag equals. Consecutive workers have different
 * colors.
 *
 * @param workerIds in a stable order. A tag depends only on the workers before it, so an added worker does not change other tags.
 * @param known tags that stay as they are, such as those of workers that have ended since
 */
export function workerTags(
  workerIds: readonly string[],
  known: ReadonlyMap<string, WorkerTag> = new Map(),
): ReadonlyMap<string, WorkerTag> {
  const tags = new Map(known);
  const used = new Set([...known.values()].map(({ text }) => text));
  for (const id of workerIds) {
    if (tags.has(id)) continue;
    const text = freeTag(id, used);
    used.add(text);
    tags.set(id, { text, color: TAG_COLORS[tags.size % TAG_COLORS.length] ?? 'tag1' });
  }
  return tags;
}

function freeTag(id: string, used: ReadonlySet<string>): string {
  const name = oneLine(id.slice(0, MOST_LENGTH * 2))
    .replaceAll(/[^\w-]/g, '')
    .slice(-MOST_LENGTH);
  for (let length = Math.min(LEAST_LENGTH, name.length); length <= name.length && length > 0; length++) {
    const free = [name.slice(-length), name.slice(0, length)].find((tag) => !used.has(tag));
    if (free !== undefined) return free;
  }
  // IDs of the documented form never get here.
  let number = 1;
  while (used.has(`worker-${number}`)) number++;
  return `worker-${number}`;
}
