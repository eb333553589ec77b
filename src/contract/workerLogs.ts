import * as z from 'zod';
import { DateTime, integerParameter, openEnum } from './schema.ts';

/* Worker log stream. */

export const LogSource = z.enum(['container', 'system']).meta({
  description: 'container: stdout and stderr. system: lifecycle messages of the host. Default: both.',
});
export type LogSource = z.infer<typeof LogSource>;

export const DEFAULT_TAIL = 100;
/** Maximum number of past lines that a stream can begin with. */
export const MAX_TAIL = 5000;

export const WorkerLogsQuery = z.strictObject({
  source: LogSource.optional(),
  tail: integerParameter({ min: 0, max: MAX_TAIL })
    .optional()
    .meta({
      description: `Number of past lines to send first. 0: only new lines. Default: ${DEFAULT_TAIL}.`,
      default: DEFAULT_TAIL,
    }),
  since: DateTime.optional().meta({ description: 'Time from which to send lines. tail is ignored.' }),
});

/** Request header with the ID of the last event. The stream resumes after that event. It takes precedence over `since` and `tail`. */
export const LAST_EVENT_ID_HEADER = 'Last-Event-ID';

/** JSON payload of an event. The event's ID is a timestamp too, but clients must treat it as an opaque string. */
export const LogEvent = z.looseObject({
  source: openEnum(['container', 'system']).meta({
    description: 'container: stdout and stderr. system: lifecycle messages of the host.',
  }),
  line: z.string().meta({ description: 'Log line without its line break.' }),
  ts: z.string().meta({ description: 'RFC 3339 date-time. Container lines have nanoseconds.' }),
});
export type LogEvent = z.infer<typeof LogEvent>;

/** Whether a value matches the schema `LogEvent`. Takes a third of the time of its `safeParse`, for streams of many events. */
export function isLogEvent(value: unknown): value is LogEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { source, line, ts } = value as Partial<LogEvent>;
  return typeof source === 'string' && typeof line === 'string' && typeof ts === 'string';
}
