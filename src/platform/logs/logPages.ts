import type { LogEvent, LogSource } from '../../contract/workerLogs.ts';
import type { LogBlock, LogQuery, LogStore } from '../store/logStore.ts';
import { addNanoseconds, nanosecondsBetween } from './timestamp.ts';

/** Size of a page. A page contains whole blocks, and at least one. */
const PAGE = { lines: 512, bytes: 65_536 };
/** Maximum size of the page cache, in bytes. */
const MAX_CACHED_BYTES = 8_388_608;

/** Lines after a cursor, as server-sent events. */
export interface LogPage {
  readonly bytes: Uint8Array;
  /** Timestamp of the last line, which is the cursor of the next page. */
  readonly last: string;
}

/**
 * Reads logs page by page. The lines after a cursor never change, so a page is serialized once and shared by all readers at the same
 * position.
 */
export class LogPages {
  readonly #store: LogStore;
  /** Cached pages, the most recently used one last. */
  readonly #cache = new Map<string, LogPage>();
  #cachedBytes = 0;

  constructor(store: LogStore) {
    this.#store = store;
  }

  /** Size of the cached pages, in bytes. */
  get cachedBytes(): number {
    return this.#cachedBytes;
  }

  /** @returns undefined if there are no lines after the cursor yet */
  after(query: LogQuery, cursor: string): LogPage | undefined {
    const key = `${query.workerId} ${query.source ?? ''} ${cursor}`;
    const cached = this.#cache.get(key);
    if (cached) {
      this.#cache.delete(key);
      this.#cache.set(key, cached);
      return cached;
    }
    const blocks = this.#store.after(query, cursor, PAGE);
    const last = blocks.at(-1)?.lastTs;
    if (last === undefined) return undefined;
    const page = { bytes: Buffer.from(blocks.map((block) => framesAfter(block, cursor)).join('')), last };
    this.#addToCache(key, page);
    return page;
  }

  #addToCache(key: string, page: LogPage): void {
    this.#cache.set(key, page);
    this.#cachedBytes += page.bytes.length;
    for (const [oldKey, old] of this.#cache) {
      if (this.#cachedBytes <= MAX_CACHED_BYTES) break;
      this.#cache.delete(oldKey);
      this.#cachedBytes -= old.bytes.length;
    }
  }
}

/** Returns the block's lines after the cursor as server-sent events. */
function framesAfter({ source, firstTs, lines }: LogBlock, cursor: string): string {
  const skip = cursor < firstTs ? 0 : nanosecondsBetween(firstTs, cursor) + 1;
  let ts = addNanoseconds(firstTs, skip);
  let text = '';
  for (let index = skip; index < lines.length; index++) {
    text += frame(source, lines[index] ?? '', ts);
    ts = addNanoseconds(ts, 1);
  }
  return text;
}

function frame(source: LogSource, line: string, ts: string): string {
  return `id: ${ts}\ndata: ${JSON.stringify({ source, line, ts } satisfies LogEvent)}\n\n`;
}
