import * as z from 'zod';

/* The platform logs JSON lines; people read sentences with levels. */

/** What all lines have; the rest is about what happened. */
const Line = z.looseObject({ level: z.number(), msg: z.string().default(''), time: z.unknown() });
const Failure = z.looseObject({ message: z.string(), stack: z.string().optional() });

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

export interface LogEntry {
  readonly level: LogLevel;
  readonly text: string;
}

/** A line of the platform's log as a sentence, with what it is about; undefined for a line that is none. */
export function readLogLine(line: string): LogEntry | undefined {
  const parsed = Line.safeParse(parseJson(line));
  if (!parsed.success) return undefined;
  const { level, msg, time, err, ...about } = parsed.data;
  const facts = Object.entries(about).map(([name, value]) => `${name}=${plain(value)}`);
  const failure = Failure.safeParse(err).data;
  const text = [msg, ...facts].filter((part) => part !== '').join(' ');
  return { level: levelOf(level), text: failure ? `${text}\n${failure.stack ?? failure.message}` : text };
}

function levelOf(level: number): LogLevel {
  if (level >= 50) return 'error';
  if (level >= 40) return 'warn';
  if (level >= 30) return 'info';
  return level >= 20 ? 'debug' : 'trace';
}

function plain(value: unknown): string {
  return typeof value === 'string' && !/\s|"/.test(value) ? value : JSON.stringify(value);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
