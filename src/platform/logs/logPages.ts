import type { LogEvent, LogSource } from '../../contract/workerLogs.ts';
import type { LogBlock, LogQuery, LogStore } from '../store/logStore.ts';
import { addNanoseconds, nanosecondsBetween } from './timestamp.ts';

/** What a page holds: whole blocks, and at least one. */
const PAGE = { lines: 512, bytes: 65_536 };
/** Bytes of pages that are kept for the next reader. */
const KEPT_BYTES = 8_388_608;

/** Lines that follow a cursor, as they go to readers (interface document, Events). */
export interface LogPage {
  readonly bytes: Uint8Array;
  /** Timestamp of its last line: the cursor of the next page. */
  readonly last: string;
}

/**
 * Reads logs page by page. What follows a cursor never changes, so a page is written once and its bytes are shared by all who read
 * there: those who follow live, and those who are behind by as much.
 */
export class LogPages {
  readonly #store: LogStore;
  /** The one used last comes last. */
  readonly #kept = new Map<string, LogPage>();
  #keptBytes = 0;

  constructor(store: LogStore) {
    this.#store = store;
  }

  /** Memory taken by the pages kept for the next reader. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** @returns undefined when there is nothing after the cursor yet */
  after(query: LogQuery, cursor: string): LogPage | undefined {
    const key = `${query.workerId} ${query.source ?? ''} ${cursor}`;
    const kept = this.#kept.get(key);
    if (kept) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const blocks = this.#store.after(query, cursor, PAGE);
    const last = blocks.at(-1)?.lastTs;
    if (last === undefined) return undefined;
    const page = { bytes: Buffer.from(blocks.map((block) => framesAfter(block, cursor)).join('')), last };
    this.#keep(key, page);
    return page;
  }

  #keep(key: string, page: LogPage): void {
    this.#kept.set(key, page);
    this.#keptBytes += page.bytes.length;
    for (const [oldKey, old] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES) break;
      this.#kept.delete(oldKey);
      this.#keptBytes -= old.bytes.length;
    }
  }
}

/** The block's lines after the cursor as server-sent events. */
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
