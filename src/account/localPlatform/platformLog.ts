import * as z from 'zod';
import { parseJson } from '../../contract/parsedJson.ts';

/* Converts the platform's JSON log lines to text with a level. */

/** Members of every line. Other members describe the event. */
const Line = z.looseObject({ level: z.number(), msg: z.string().default(''), time: z.unknown() });
const Failure = z.looseObject({ message: z.string(), stack: z.string().optional() });

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

export interface LogEntry {
  readonly level: LogLevel;
  readonly text: string;
}

/** Parses a line of the platform's log. Returns its message and its other members as text, or undefined for an invalid line. */
export function readLogLine(line: string): LogEntry | undefined {
  const parsed = Line.safeParse(parseJson(line));
  if (!parsed.success) return undefined;
  const { level, msg, time, err, ...members } = parsed.data;
  const details = Object.entries(members).map(([name, value]) => `${name}=${plain(value)}`);
  const failure = Failure.safeParse(err).data;
  const text = [msg, ...details].filter((part) => part !== '').join(' ');
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
