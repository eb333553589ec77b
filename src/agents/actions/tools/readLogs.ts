import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { LogSource, MAX_TAIL } from '../../../contract/workerLogs.ts';
import { ExpressionTooSlow, TimedMatcher } from '../../../features/logs/fullLog/actions/timedMatcher.ts';
import { parseSearch } from '../../../features/logs/fullLog/model/searchPattern.ts';
import { ToolError } from '../../model/toolError.ts';
import { FOREIGN, readTool } from '../agentTool.ts';
import { findEndpoint } from '../findEndpoint.ts';
import { type LogLine, newestThatFit, readLogLines, workersToRead } from '../readLogLines.ts';
import { endpointField, momentOf, sinceField, workerField } from './fields.ts';

const DEFAULT_LINES = 100;
const MAX_LINES = 500;
/** Maximum number of lines of a worker that a search reads. */
const MAX_SEARCHED = 50_000;
/** Longest text of a line that is searched, in UTF-16 code units. */
const LONGEST_LINE = 20_000;

export const readLogs = readTool({
  name: 'read_logs',
  title: 'Read Logs',
  summary: 'Reads the newest log lines of workers, or searches them for a text or a regular expression.',
  icon: 'output',
  description:
    'Reads the newest log lines of one worker, or of all active workers of an endpoint, oldest first. A worker ID also works for a worker that has ended. ' +
    'With query, returns only lines that contain a text, in any case, or match a regular expression such as /error|failed/i. ' +
    `A search reads the newest ${MAX_TAIL} lines of each worker, or with since all lines after that time, up to ${MAX_SEARCHED}. ` +
    `Returns at most ${MAX_LINES} lines, and says how many are left out. Lines with [system] come from the host, such as starts and exits. ` +
    'Use read_job for the lines of one job. Costs nothing.',
  input: z.strictObject({
    endpoint: endpointField,
    worker: workerField.optional(),
    query: z
      .string()
      .min(1)
      .max(2_000)
      .optional()
      .describe('Text, or a regular expression of JavaScript between slashes with flags. Default: all lines.'),
    lines: z
      .int()
      .min(1)
      .max(MAX_LINES)
      .default(DEFAULT_LINES)
      .describe(`Maximum number of lines, which are the newest. Default: ${DEFAULT_LINES}.`),
    since: sinceField.optional(),
    source: LogSource.optional(),
  }),
  commands: [
    'cloudCompute.logs.open',
    'cloudCompute.logs.openSince',
    'cloudCompute.logs.openFull',
    'cloudCompute.fullLog.find',
  ],
  progress: ({ endpoint, worker = endpoint, query }) =>
    query === undefined ? l10n.t`Reading the log of “${worker}”` : l10n.t`Searching the log of “${worker}”`,
  read: async ({ endpoint: wanted, worker, query, lines: count, since, source }, context) => {
    const { signal } = context;
    const expression = query === undefined ? undefined : expressionOf(query);
    const connection = context.connection();
    const endpoint = await findEndpoint(context, wanted);
    const { ids, leftOut: workersLeftOut } = await workersToRead(context, endpoint, worker);
    const from = since === undefined ? undefined : momentOf(since, context.clock.now());
    const searched = from === undefined ? MAX_TAIL : MAX_SEARCHED;
    const tail = expression ? searched : count;
    const { lines, withoutLog } = await readLogLines(connection, {
      ...{ endpointId: endpoint.id, workerIds: ids, tail, since: from, source, signal },
    });
    const { hits, tooSlow } = expression ? await hitsIn(lines, expression, signal) : { hits: lines, tooSlow: 0 };
    const newest = newestThatFit(hits.slice(-count));
    return {
      workers: ids,
      ...(ids.length === 0 && { hint: 'The endpoint has no active workers. A job or request starts one.' }),
      ...(withoutLog.length > 0 && { withoutLog }),
      ...(workersLeftOut > 0 && { workersLeftOut }),
      ...(expression && { searchedLines: lines.length, hits: hits.length }),
      ...(tooSlow > 0 && { linesTooSlowToSearch: tooSlow }),
      count: newest.lines.length,
      olderLinesLeftOut: hits.length - newest.lines.length,
      lines: newest.lines,
      note: FOREIGN,
    };
  },
});

/** @throws ToolError `invalidInput` */
function expressionOf(query: string): RegExp {
  const search = parseSearch(query);
  if ('problem' in search) throw new ToolError('invalidInput', `query: ${search.problem}`);
  return search.expression;
}

/** @throws ToolError `invalidInput` for an expression that takes too long */
async function hitsIn(
  lines: readonly LogLine[],
  expression: RegExp,
  signal: AbortSignal,
): Promise<{ readonly hits: readonly LogLine[]; readonly tooSlow: number }> {
  const matcher = new TimedMatcher(expression);
  const texts = lines.map(({ line }) => line.slice(0, LONGEST_LINE));
  const pause = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  };
  try {
    const results = await matcher.match(texts, pause);
    return {
      hits: lines.filter((_, index) => typeof results[index] === 'object'),
      tooSlow: results.filter((result) => result === 'tooSlow').length,
    };
  } catch (error) {
    if (!(error instanceof ExpressionTooSlow)) throw error;
    throw new ToolError('invalidInput', 'query: the expression takes too long for many lines. Use a simpler one.');
  }
}
