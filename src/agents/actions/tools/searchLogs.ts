import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { LogSource, MAX_TAIL } from '../../../contract/workerLogs.ts';
import { ExpressionTooSlow, TimedMatcher } from '../../../features/logs/fullLog/actions/timedMatcher.ts';
import { parseSearch } from '../../../features/logs/fullLog/model/searchPattern.ts';
import { ToolError } from '../../model/toolError.ts';
import { agentTool, type CallContext } from '../agentTool.ts';
import { findEndpoint } from '../findEndpoint.ts';
import { FOREIGN } from '../foreignData.ts';
import { newestThatFit, readLogLines, type LogLine } from '../readLogLines.ts';
import { workersToRead } from '../workersOf.ts';
import { endpointField, momentOf, sinceField, workerField } from './fields.ts';

/** Maximum number of lines of a worker that a search reads. */
const MAX_SEARCHED = 50_000;
const DEFAULT_HITS = 50;
const MAX_HITS = 200;
/** Longest text of a line that is searched, in UTF-16 code units. */
const LONGEST_LINE = 20_000;

export const searchLogs = agentTool({
  name: 'search_logs',
  title: 'Search Logs',
  summary: 'Finds a text or a regular expression in the logs of workers.',
  icon: 'search',
  description:
    'Finds a text, in any case, or a regular expression such as /error|failed/i in the logs of one worker, or of all active workers of an endpoint. ' +
    `Searches the newest ${MAX_TAIL} lines of each worker, or with since all lines after that time, up to ${MAX_SEARCHED}. Returns the newest hits, oldest first. Costs nothing.`,
  input: z.strictObject({
    endpoint: endpointField,
    worker: workerField.optional(),
    query: z
      .string()
      .min(1)
      .max(2_000)
      .describe('Text, or a regular expression of JavaScript between slashes with flags.'),
    hits: z.int().min(1).max(MAX_HITS).optional().describe(`Maximum number of hits. Default: ${DEFAULT_HITS}.`),
    since: sinceField.optional(),
    source: LogSource.optional(),
  }),
  effect: 'read',
  commands: ['cloudCompute.fullLog.find'],
  progress: ({ endpoint, worker }) => l10n.t`Searching the log of “${worker ?? endpoint}”`,
  run: async ({ endpoint: wanted, worker, query, hits: count = DEFAULT_HITS, since, source }, context) => {
    const search = parseSearch(query);
    if ('problem' in search) throw new ToolError('invalidInput', `query: ${search.problem}`);
    const connection = context.connection();
    const endpoint = await findEndpoint(context, wanted);
    const { ids, leftOut: workersLeftOut } = await workersToRead(context, endpoint, worker);
    const from = since === undefined ? undefined : momentOf(since, context.clock.now());
    const { lines, withoutLog } = await readLogLines(connection, {
      ...{ endpointId: endpoint.id, workerIds: ids, since: from, source, signal: context.signal },
      tail: from === undefined ? MAX_TAIL : MAX_SEARCHED,
    });
    const { hits, tooSlow } = await hitsIn(lines, search.expression, context);
    const newest = newestThatFit(hits.slice(-count));
    return {
      workers: ids,
      ...(withoutLog.length > 0 && { withoutLog }),
      ...(workersLeftOut > 0 && { workersLeftOut }),
      searchedLines: lines.length,
      ...(tooSlow > 0 && { linesTooSlowToSearch: tooSlow }),
      hits: hits.length,
      olderHitsLeftOut: hits.length - newest.lines.length,
      lines: newest.lines,
      note: FOREIGN,
    };
  },
});

/** @throws ToolError `invalidInput` for an expression that takes too long */
async function hitsIn(
  lines: readonly LogLine[],
  expression: RegExp,
  { signal }: CallContext,
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
