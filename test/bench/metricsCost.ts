import { readdir, readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './children.ts';
import { report } from './compare.ts';
import { runJobs, startPlatform } from './jobs.ts';
import { openTally } from './tally.ts';

const JOBS = 40_000;
/** Part of the processor time of a job that its metrics may take. */
const ALLOWED_SHARE = 0.05;
/** Sources that exist only because of the metrics. */
const METRICS =
  /\/platform\/(metrics\/|store\/sqlite\/sqliteMetrics\.ts$|domain\/(measured|durationSketch|jobMetrics|metricBuckets)\.ts$)/;

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** A profile of V8, with times in µs. */
interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame; readonly children?: number[] }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/**
 * Compares the processor time that metrics take with the limit. The time comes from a profile of the platform while jobs run from
 * submission to result, because two runs with and without metrics differ by more than the metrics on a busy machine.
 */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const profiles = path.join(folder, 'profiles');
  const tally = await openTally();
  const stops: (() => unknown)[] = [() => tally.close()];
  try {
    const options = ['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', profiles];
    const platform = await startPlatform({ folder, tally, stops }, options);
    await runJobs(platform, tally, JOBS);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
  const [file] = await readdir(profiles);
  if (file === undefined) throw new Error('The platform wrote no profile.');
  const { metrics, total } = await processorTime(
    JSON.parse(await readFile(path.join(profiles, file), 'utf8')) as Profile,
  );
  report({
    name: 'Metrics of a job / 5 % of its processor time',
    unit: 'µs',
    ours: [metrics / JOBS],
    alternative: [(ALLOWED_SHARE * total) / JOBS],
    note: `${((100 * metrics) / total).toFixed(1)} %`,
  });
  if (metrics > ALLOWED_SHARE * total) throw new Error('The metrics take more than 5 % of the processor time.');
}

/** Returns the time of all functions, and that of the metrics with all functions that they call. */
async function processorTime({ nodes, samples, timeDeltas }: Profile) {
  const own = new Map<number, number>();
  for (const [index, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  const isMetric = await metricsFilter(nodes.map(({ callFrame }) => callFrame));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const time = { metrics: 0, total: 0 };
  const add = (id: number, isWithin: boolean): void => {
    const node = byId.get(id);
    if (!node || node.callFrame.functionName === '(idle)') return;
    const isMetrics = isWithin || isMetric(node.callFrame);
    const spent = own.get(id) ?? 0;
    time.total += spent;
    if (isMetrics) time.metrics += spent;
    for (const child of node.children ?? []) add(child, isMetrics);
  };
  const root = nodes[0];
  if (root) add(root.id, false);
  if (time.metrics === 0) throw new Error('The profile contains no metrics.');
  return time;
}

/** Finds the sources of functions with the source maps of the bundle. */
async function metricsFilter(frames: readonly CallFrame[]): Promise<(frame: CallFrame) => boolean> {
  const maps = new Map<string, SourceMap>();
  for (const url of new Set(frames.map((frame) => frame.url).filter((one) => one.includes('/dist/')))) {
    const text = await readFile(`${fileURLToPath(url)}.map`, 'utf8');
    maps.set(url, new SourceMap(JSON.parse(text) as ConstructorParameters<typeof SourceMap>[0]));
  }
  return ({ url, lineNumber, columnNumber }) => {
    const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
    return entry !== undefined && 'originalSource' in entry && METRICS.test(entry.originalSource);
  };
}
