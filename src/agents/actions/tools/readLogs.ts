import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { LogSource, MAX_TAIL } from '../../../contract/workerLogs.ts';
import { agentTool } from '../agentTool.ts';
import { findEndpoint } from '../findEndpoint.ts';
import { FOREIGN } from '../foreignData.ts';
import { newestThatFit, readLogLines } from '../readLogLines.ts';
import { workersToRead } from '../workersOf.ts';
import { endpointField, momentOf, sinceField, workerField } from './fields.ts';

const DEFAULT_LINES = 100;
const MAX_LINES = 500;

export const readLogs = agentTool({
  name: 'read_logs',
  title: 'Read Logs',
  summary: 'Reads the newest lines of the logs of workers.',
  icon: 'output',
  description:
    'Reads the newest log lines of one worker, or of all active workers of an endpoint, oldest first. A worker ID also works for a worker that has ended. ' +
    `Returns at most ${MAX_LINES} lines, and says how many are left out. Lines with [system] come from the host, such as starts and exits. ` +
    'Use search_logs to find a text in more lines, and read_job for the lines of one job. Costs nothing.',
  input: z.strictObject({
    endpoint: endpointField,
    worker: workerField.optional(),
    lines: z.int().min(1).max(MAX_LINES).optional().describe(`Number of the newest lines. Default: ${DEFAULT_LINES}.`),
    since: sinceField.optional(),
    source: LogSource.optional(),
  }),
  effect: 'read',
  commands: ['cloudCompute.logs.open', 'cloudCompute.logs.openSince', 'cloudCompute.logs.openFull'],
  progress: ({ endpoint, worker }) => l10n.t`Reading the log of “${worker ?? endpoint}”`,
  run: async ({ endpoint: wanted, worker, lines: count = DEFAULT_LINES, since, source }, context) => {
    const connection = context.connection();
    const endpoint = await findEndpoint(context, wanted);
    const { ids, leftOut: workersLeftOut } = await workersToRead(context, endpoint, worker);
    const from = since === undefined ? undefined : momentOf(since, context.clock.now());
    const { lines, withoutLog } = await readLogLines(connection, {
      ...{ endpointId: endpoint.id, workerIds: ids, since: from, source, signal: context.signal },
      tail: Math.min(count, MAX_TAIL),
    });
    const newest = newestThatFit(lines.slice(-count));
    return {
      workers: ids,
      ...(ids.length === 0 && { hint: 'The endpoint has no active workers. A job or request starts one.' }),
      ...(withoutLog.length > 0 && { withoutLog }),
      ...(workersLeftOut > 0 && { workersLeftOut }),
      count: newest.lines.length,
      olderLinesLeftOut: newest.leftOut,
      lines: newest.lines,
      note: FOREIGN,
    };
  },
});
