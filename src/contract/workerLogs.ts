import * as z from 'zod';
import { DateTime } from './dateTime.ts';
import { integerParameter, openEnum } from './schema.ts';

/* Worker log stream (interface document, operation 9 and Events). */

export const LogSource = z.enum(['container', 'system']).meta({
  description: 'container: stdout and stderr. system: what the host says about the worker.',
});
export type LogSource = z.infer<typeof LogSource>;

export const DEFAULT_TAIL = 100;

export const WorkerLogsQuery = z.strictObject({
  source: LogSource.optional(),
  tail: integerParameter({ min: 0, max: 5000 }).optional().meta({ default: DEFAULT_TAIL }),
  since: DateTime.optional(),
});

/** Header with the id of the last event seen. It wins over `since`, and `since` over `tail`; resuming is exclusive. */
export const LAST_EVENT_ID_HEADER = 'Last-Event-ID';

/** The JSON payload of one event. The event's id is a timestamp too, but is to be echoed as an opaque text. */
export const LogEvent = z.looseObject({
  source: openEnum(['container', 'system']),
  line: z.string(),
  ts: z.string().meta({ description: 'RFC 3339 date-time; container lines carry nanoseconds' }),
});
export type LogEvent = z.infer<typeof LogEvent>;
