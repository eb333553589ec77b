import * as z from 'zod';
import type { LogEvent } from '../contract/workerLogs.ts';

const SavedPlace = z.object({
  resumeAfter: z.string().optional(),
  last: z.string().optional(),
  seen: z.array(z.tuple([z.string(), z.number()])),
});

/** A place as it is kept over restarts: JSON, to be given back as it was. */
export type SavedLogPlace = z.infer<typeof SavedPlace>;

/** How a stream is asked for what comes next. */
export interface Resumption {
  readonly lastEventId?: string;
  readonly since?: string;
}

/**
 * Where somebody is in a worker's log, over any number of streams, so that each line is seen once.
 *
 * Resuming is exclusive: what comes first is what follows the id that was sent. Where ids are the lines' timestamps several lines
 * share one, and resuming after it would lose those that had not arrived. There the stream is resumed after the id before, and
 * the lines that were seen since are expected once more and left out (facts, section 3c). Any other id is taken as the name of
 * one line; it is opaque.
 */
export class LogPlace {
  /** Id to resume after: everything up to it was seen. */
  #resumeAfter: string | undefined;
  /** Id of the last line. */
  #last: string | undefined;
  /** Lines seen since `#resumeAfter`, and how often each, but for those in `#uncounted`. */
  #counted = new Map<string, number>();
  /** Lines seen after those. Most are forgotten with the next line: they are counted when the counts are asked for. */
  #uncounted: { readonly event: LogEvent; readonly id: string }[] = [];
  /** Those of them the current stream may still repeat; what a service does not repeat stays here, and does no harm. */
  #expected = new Map<string, number>();

  constructor(saved?: SavedLogPlace) {
    this.#resumeAfter = saved?.resumeAfter;
    this.#last = saved?.last;
    this.#counted = new Map(saved?.seen);
  }

  /** The place after the line with this id, where nothing else is known of it. */
  static after(id: string): LogPlace {
    return new LogPlace({ resumeAfter: id, last: id, seen: [] });
  }

  /** What `save` returned, from a storage; the beginning when that is not readable. */
  static restore(saved: unknown): LogPlace {
    return new LogPlace(SavedPlace.safeParse(saved).data);
  }

  save(): SavedLogPlace {
    return { resumeAfter: this.#resumeAfter, last: this.#last, seen: [...this.#seen()] };
  }

  /** Says how to ask for what comes next; until another line is taken the answer is the same. Undefined at the beginning. */
  resume(): Resumption | undefined {
    this.#expected = new Map(this.#seen());
    if (this.#resumeAfter !== undefined) return { lastEventId: this.#resumeAfter };
    // The first lines of all have one timestamp: nothing came before them that could be named but the time itself.
    return this.#last === undefined ? undefined : { since: justBefore(this.#last) };
  }

  /** An id came without a line: there is nothing up to it that was not sent. */
  advance(id: string): void {
    this.#resumeAfter = id;
    this.#last = id;
    this.#forgetSeen();
    this.#expected.clear();
  }

  /** Takes a line, and says whether it is a new one. `id` is `''` where the service gave none. */
  take(event: LogEvent, id: string): boolean {
    if (this.#expected.size > 0 && this.#isRepeated(event, id)) return false;
    if (id === '') return true;
    if (id !== event.ts) {
      this.#resumeAfter = id;
      this.#forgetSeen();
    } else if (id !== this.#last) {
      this.#resumeAfter = this.#last;
      this.#forgetSeen();
    }
    this.#last = id;
    this.#uncounted.push({ event, id });
    return true;
  }

  #seen(): Map<string, number> {
    for (const { event, id } of this.#uncounted) {
      const key = keyOf(event, id);
      this.#counted.set(key, (this.#counted.get(key) ?? 0) + 1);
    }
    this.#uncounted = [];
    return this.#counted;
  }

  #forgetSeen(): void {
    this.#uncounted.length = 0;
    if (this.#counted.size > 0) this.#counted.clear();
  }

  #isRepeated(event: LogEvent, id: string): boolean {
    const key = keyOf(event, id);
    const left = this.#expected.get(key) ?? 0;
    if (left > 1) this.#expected.set(key, left - 1);
    else if (left === 1) this.#expected.delete(key);
    if (left > 0) return true;
    // Resumed by time, the stream may begin with lines from before the first one that was asked for.
    return this.#resumeAfter === undefined && this.#last !== undefined && isBefore(id, this.#last);
  }
}

function keyOf({ source, line }: LogEvent, id: string): string {
  return `${id}\n${source}\n${line}`;
}

function isBefore(id: string, other: string): boolean {
  return Date.parse(id) < Date.parse(other);
}

/** A millisecond before that time: not all services keep what is finer. */
function justBefore(timestamp: string): string {
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? timestamp : new Date(ms - 1).toISOString();
}
