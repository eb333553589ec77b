import * as z from 'zod';
import type { LogEvent } from '../contract/workerLogs.ts';

const SavedPlace = z.object({
  resumeAfter: z.string().optional(),
  last: z.string().optional(),
  seen: z.array(z.tuple([z.string(), z.number()])),
});

/** JSON form of a position, which is stored across restarts. */
export type SavedLogPlace = z.infer<typeof SavedPlace>;

/** Request parameters that resume a stream. */
export interface Resumption {
  readonly lastEventId?: string;
  readonly since?: string;
}

/**
 * Position of a reader in a worker's log. It spans reconnections, so that the reader receives each line once.
 *
 * A stream resumes after the event ID in the request. If the IDs are the timestamps of lines, several lines can share an ID. Resuming
 * after such an ID loses its remaining lines. The stream therefore resumes after the previous ID, and lines that were
 * already received are skipped. Any other ID is opaque and identifies one line.
 */
export class LogPlace {
  /** ID to resume after. All lines up to it were received. */
  #resumeAfter: string | undefined;
  /** ID of the last line. */
  #last: string | undefined;
  /** Number of times that each line was received since `#resumeAfter`, excluding the lines in `#uncounted`. */
  #counted = new Map<string, number>();
  /** Later lines with the ID `#last`, which are counted on demand. The next line usually discards them. */
  #uncounted: LogEvent[] = [];
  /** Received lines that the current stream can still repeat. Lines that a service does not repeat remain here without effect. */
  #expected = new Map<string, number>();

  constructor(saved?: SavedLogPlace) {
    this.#resumeAfter = saved?.resumeAfter;
    this.#last = saved?.last;
    this.#counted = new Map(saved?.seen);
  }

  /** Returns the position after the line with this ID. */
  static after(id: string): LogPlace {
    return new LogPlace({ resumeAfter: id, last: id, seen: [] });
  }

  /** Restores a position that `save` returned. Returns the beginning of the log if the value is invalid. */
  static restore(saved: unknown): LogPlace {
    return new LogPlace(SavedPlace.safeParse(saved).data);
  }

  save(): SavedLogPlace {
    return { resumeAfter: this.#resumeAfter, last: this.#last, seen: [...this.#seen()] };
  }

  /** Returns the parameters to resume with, or undefined at the beginning. The result changes only when a line is taken. */
  resume(): Resumption | undefined {
    this.#expected = new Map(this.#seen());
    if (this.#resumeAfter !== undefined) return { lastEventId: this.#resumeAfter };
    // All received lines share the first timestamp, so there is no earlier ID, and only a time can precede them.
    return this.#last === undefined ? undefined : { since: justBefore(this.#last) };
  }

  /** Records an ID without a line. All lines up to it were received. */
  advance(id: string): void {
    this.#resumeAfter = id;
    this.#last = id;
    this.#uncounted = [];
    this.#counted.clear();
    this.#expected.clear();
  }

  /** Records a line and returns true if it is new. `id` is `''` if the event has none. */
  take(event: LogEvent, id: string): boolean {
    if (this.#expected.size > 0 && this.#isRepeated(event, id)) return false;
    if (id === '') return true;
    if (id === event.ts && id === this.#last) {
      this.#uncounted.push(event);
      return true;
    }
    this.#resumeAfter = id === event.ts ? this.#last : id;
    this.#last = id;
    if (this.#counted.size > 0) this.#counted.clear();
    // A new array of one costs less than an emptied one.
    this.#uncounted = [event];
    return true;
  }

  #seen(): Map<string, number> {
    for (const event of this.#uncounted) {
      const key = keyOf(event, this.#last ?? '');
      this.#counted.set(key, (this.#counted.get(key) ?? 0) + 1);
    }
    this.#uncounted = [];
    return this.#counted;
  }

  #isRepeated(event: LogEvent, id: string): boolean {
    const key = keyOf(event, id);
    const left = this.#expected.get(key) ?? 0;
    if (left > 1) this.#expected.set(key, left - 1);
    else if (left === 1) this.#expected.delete(key);
    if (left > 0) return true;
    // A stream that resumes at a time can begin with lines from before that time.
    return this.#resumeAfter === undefined && this.#last !== undefined && isBefore(id, this.#last);
  }
}

function keyOf({ source, line }: LogEvent, id: string): string {
  return `${id}\n${source}\n${line}`;
}

function isBefore(id: string, other: string): boolean {
  return Date.parse(id) < Date.parse(other);
}

/** Returns the time one millisecond earlier, because some services do not store finer times. */
function justBefore(timestamp: string): string {
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? timestamp : new Date(ms - 1).toISOString();
}
