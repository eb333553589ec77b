/** Number of messages of each stream that are remembered. A file of the engine's log has fewer. */
const MAX_REMEMBERED = 2 ** 19;
const FIRST_SIZE = 1_024;
/** Times are remembered as nanoseconds modulo 97 days, which numbers represent exactly. */
const MODULO_S = 2 ** 23;
const NANO = 1e9;

interface Stamped {
  readonly stream: 'stdout' | 'stderr';
  /** The engine's time. */
  readonly stamp: string;
}

/**
 * Recognizes messages that one reading of a log repeats. Docker reads a file of the log again after it has replaced that file, and at the
 * end of the container. Its times have nanoseconds, and increase within a stream, so a repeated message has an earlier time that the
 * stream has had before. An earlier time alone is no repetition, because a clock can be set back.
 */
export class LogReplays {
  readonly #streams = { stdout: new Times(), stderr: new Times() };

  /** Returns whether the reading has had the message before. Otherwise, remembers it. */
  has({ stream, stamp }: Stamped): boolean {
    return this.#streams[stream].repeats(stamp);
  }
}

/** The times of the newest messages of a stream. */
class Times {
  #ring = new Float64Array(FIRST_SIZE);
  /** Number of messages so far. */
  #count = 0;
  #newest = -Infinity;
  /** Number of the message that a repetition has next; undefined outside of a repetition. */
  #next: number | undefined;
  /** The last time without its decimals, and its value. */
  #second = { text: '', value: 0 };

  repeats(stamp: string): boolean {
    const time = this.#valueOf(stamp);
    if (time === undefined) return false;
    if (this.#next !== undefined && this.#next < this.#count && this.#ring[this.#next % this.#ring.length] === time) {
      this.#next++;
      return true;
    }
    this.#next = time < this.#newest ? this.#after(time) : undefined;
    if (this.#next !== undefined) return true;
    this.#add(time);
    return false;
  }

  /** Returns undefined for a time in whole seconds, which many messages share. */
  #valueOf(stamp: string): number | undefined {
    const dot = stamp.indexOf('.');
    if (dot < 0) return undefined;
    const zone = stamp.slice(dot + 1).search(/\D/);
    if (zone < 0) return undefined;
    const end = dot + 1 + zone;
    const text = stamp.slice(0, dot) + stamp.slice(end);
    if (text !== this.#second.text) this.#second = { text, value: ((Date.parse(text) / 1000) % MODULO_S) * NANO };
    return (
      this.#second.value +
      Number(
        stamp
          .slice(dot + 1, end)
          .padEnd(9, '0')
          .slice(0, 9),
      )
    );
  }

  /** Returns the number of the message after the one with this time; undefined if none has it. */
  #after(time: number): number | undefined {
    const { length } = this.#ring;
    const index = this.#ring.subarray(0, Math.min(this.#count, length)).indexOf(time);
    if (index < 0) return undefined;
    const oldest = Math.max(0, this.#count - length);
    return oldest + ((((index - oldest) % length) + length) % length) + 1;
  }

  #add(time: number): void {
    const { length } = this.#ring;
    if (this.#count === length && length < MAX_REMEMBERED) {
      const larger = new Float64Array(length * 2);
      larger.set(this.#ring);
      this.#ring = larger;
    }
    this.#ring[this.#count % this.#ring.length] = time;
    this.#count++;
    this.#newest = time;
  }
}
