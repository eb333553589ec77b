import * as z from 'zod';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import type { Engine } from '../../../machine/engine/engine.ts';
import { LogReplays } from './logReplays.ts';

/** A message of the log of a container: a line, or a part of a long one. */
export interface LogMessage {
  readonly stream: 'stdout' | 'stderr';
  /** The engine's time, such as `2026-11-23T03:57:45.620359009Z`. Podman's times have whole seconds. */
  readonly stamp: string;
  readonly bytes: Uint8Array;
}

/** Bytes before the content of a frame: the stream, three zeros, and the length. */
const HEADER_LENGTH = 8;
const SPACE = 0x20;

/** A part of the output of a container. */
export interface OutputFrame {
  readonly stream: LogMessage['stream'];
  readonly content: Buffer;
}

/** Splits a log with timestamps into messages. */
export async function* messagesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<LogMessage, void, undefined> {
  for await (const frame of framesIn(chunks)) yield messageOf(frame);
}

/** Splits a stream of the engine into frames. A chunk may end anywhere in a frame. */
export async function* framesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<OutputFrame, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (rest.length - at >= HEADER_LENGTH) {
      const end = at + HEADER_LENGTH + rest.readUInt32BE(at + 4);
      if (rest.length < end) break;
      yield { stream: rest[at] === 2 ? 'stderr' : 'stdout', content: rest.subarray(at + HEADER_LENGTH, end) };
      at = end;
    }
    rest = rest.subarray(at);
  }
}

function messageOf({ stream, content }: OutputFrame): LogMessage {
  const space = content.indexOf(SPACE);
  return { stream, stamp: content.toString('latin1', 0, space), bytes: content.subarray(space + 1) };
}

export interface LogReading {
  readonly position: LogPosition;
  readonly follow: boolean;
  /** Called if the engine no longer has the messages after the position, with the times of the next messages before and after the gap. */
  readonly onGap?: ((from: string, until: string) => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads the messages after a position, which the caller moves past each message that it delivers. With `follow`, continues until the
 * container ends.
 *
 * @throws EngineError; the signal's reason
 */
export async function* readLog(
  { api, prefix }: Engine,
  containerId: string,
  { position, follow, onGap, signal }: LogReading,
): AsyncGenerator<LogMessage, void, undefined> {
  const since = position.restart();
  const query = { stdout: true, stderr: true, timestamps: true, follow, since };
  const response = await api.stream({ path: `${prefix}/containers/${containerId}/logs`, query, signal });
  const replays = new LogReplays();
  // The first message is the one at the position, unless the engine has replaced its file.
  let mayHaveGap = since !== undefined;
  try {
    for await (const message of messagesIn(response)) {
      if (replays.has(message)) continue;
      const isNew = !position.repeats(message);
      if (mayHaveGap && isNew) onGap?.(new Date((Number(since) + OVERLAP_S) * 1000).toISOString(), message.stamp);
      mayHaveGap = false;
      if (isNew) yield message;
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new EngineError(`the log of the container ended early: ${(error as Error).message}`, { cause: error });
  } finally {
    response.destroy();
  }
}

/** Messages within this time before the latest one can be stored after it, because two streams are written at once. */
const OVERLAP_S = 1;
const NANO_DIGITS = 9;

const Latest = z.object({
  stamp: z.string(),
  /** Number of messages with this time. */
  count: z.int().min(1),
});
type Latest = z.infer<typeof Latest>;

/** Latest message of each stream. A JSON value. */
const StoredPosition = z.object({ stdout: Latest.optional(), stderr: Latest.optional() });
type StoredPosition = z.infer<typeof StoredPosition>;

/**
 * The position in a log up to which messages were delivered. After a reconnection, the log is read from a moment before it. The engine keeps
 * the messages of a stream in their order, so those up to the latest one of their stream were delivered.
 */
export class LogPosition {
  #latest: StoredPosition;
  /** The part of `#latest` that the current reading has not reached yet. */
  #repeated: StoredPosition = {};

  /** @param stored value of `toJSON`; default: the beginning of the log */
  constructor(stored?: unknown) {
    this.#latest = StoredPosition.safeParse(stored).data ?? {};
  }

  toJSON(): StoredPosition {
    return this.#latest;
  }

  /** Starts another reading of the log. Returns its start in seconds, or undefined for the beginning. */
  restart(): string | undefined {
    this.#repeated = this.#latest;
    const { stdout, stderr } = this.#latest;
    const [first, second] = [stdout, stderr].flatMap((one) => one?.stamp ?? []);
    if (first === undefined) return undefined;
    return secondsBefore(second !== undefined && isLater(second, first) ? second : first);
  }

  /** Returns true for a message that was delivered before this reading. */
  repeats({ stream, stamp }: LogMessage): boolean {
    const latest = this.#repeated[stream];
    if (!latest) return false;
    if (isLater(latest.stamp, stamp)) return true;
    const { count } = latest;
    const isSame = stamp === latest.stamp;
    // The rest of the stream is new.
    const rest = isSame && count > 1 ? { ...latest, count: count - 1 } : undefined;
    this.#repeated = { ...this.#repeated, [stream]: rest };
    return isSame;
  }

  /** Moves behind a message. Call it together with the delivery. */
  pass({ stream, stamp }: LogMessage): void {
    const latest = this.#latest[stream];
    const count = latest?.stamp === stamp ? latest.count + 1 : 1;
    this.#latest = { ...this.#latest, [stream]: { stamp, count } };
  }
}

/** Compares times of the same format. Podman's times have the offset of its time zone, which can change. */
function isLater(stamp: string, than: string): boolean {
  const difference = Date.parse(stamp) - Date.parse(than);
  return difference > 0 || (difference === 0 && stamp > than);
}

/** Returns the moment `OVERLAP_S` before a time as seconds with nine decimals, which engines read exactly. */
function secondsBefore(stamp: string): string {
  const seconds = Math.floor(Date.parse(stamp) / 1000) - OVERLAP_S;
  const decimals = /\.(\d+)/.exec(stamp)?.[1] ?? '';
  return `${seconds}.${decimals.padEnd(NANO_DIGITS, '0').slice(0, NANO_DIGITS)}`;
}

const WHOLE_SECOND = /:\d\d(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Returns the time of a message in ms since the epoch; undefined if it has none. A time in whole seconds becomes the latest one in that
 * second, because a line is usually read at once.
 *
 * @param now current time
 */
export function timeOf({ stamp }: LogMessage, now: number): number | undefined {
  const time = Date.parse(stamp);
  if (Number.isNaN(time)) return undefined;
  return WHOLE_SECOND.test(stamp) ? Math.max(time, Math.min(now, time + 999)) : time;
}
