// npm run bench [-- NAME[:PART] …]: compares the platform and the extension with alternatives in the same run. Prints ratios, because they
// differ less between machines than absolute values.
import process from 'node:process';
import { exitGracefully } from '../../scripts/editor/shutdown.ts';
import { reportHeading } from './compare.ts';

/** @param part one measurement of the benchmark; default: all of them */
type Benchmark = (part?: string) => Promise<void>;

interface Loaded {
  readonly run: Benchmark;
  /** Parts that run one after another, each with a timeout of its own. Default: the benchmark has one timeout. */
  readonly parts?: readonly string[];
}

/** Timeout of a benchmark, in ms. The number of rounds is chosen so that a benchmark ends well before it. */
const TIMEOUT_MS = 240_000;

/** Benchmarks by name. Each is loaded just before it runs, so that its modules do not affect the others. */
const benchmarks: Readonly<Record<string, () => Promise<Loaded>>> = {
  accept: () => import('./accept.ts'),
  jobs: () => import('./jobs.ts'),
  runsync: () => import('./runsync.ts'),
  balancer: () => import('./balancer.ts'),
  'fan-out': () => import('./fanOut.ts'),
  start: () => import('./start.ts'),
  growth: () => import('./growth.ts'),
  activation: () => import('./activation.ts'),
  explorer: () => import('./explorer.ts'),
  client: () => import('./client.ts'),
  logs: () => import('./logs.ts'),
  'logs-view': () => import('./logsView.ts'),
  flood: () => import('./flood.ts'),
  billing: () => import('./billing.ts'),
  'billing-view': () => import('./billingView.ts'),
  'metrics-cost': () => import('./metricsCost.ts'),
  'metrics-view': () => import('./metricsView.ts'),
  scale: () => import('./scale.ts'),
  engines: () => import('./engines.ts'),
  manifest: () => import('./manifest.ts'),
  reload: () => import('./reload.ts'),
  daily: () => import('./daily.ts'),
  simulation: () => import('./simulation.ts'),
  predictions: () => import('./predictions.ts'),
};

/** Earlier names of benchmarks. */
const aliases: Readonly<Record<string, string>> = { platform: 'accept', queues: 'jobs', startup: 'start' };

const wanted = new Map(
  process.argv.slice(2).map((argument): [string, string | undefined] => {
    const [name = '', part] = argument.split(':');
    return [aliases[name] ?? name, part];
  }),
);
const unknown = [...wanted.keys()].filter((name) => !(name in benchmarks));
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Available: ${Object.keys(benchmarks).join(', ')}.`);
  process.exit(1);
}
process.on('uncaughtException', stopAndFail);
for (const [name, load] of Object.entries(benchmarks)) {
  if (wanted.size > 0 && !wanted.has(name)) continue;
  console.log(`\n${name}`);
  const { run, parts = [undefined] } = await load();
  reportHeading();
  const part = wanted.get(name);
  for (const one of part === undefined ? parts : [part]) {
    const deadline = setTimeout(() => stopAndFail(new Error(`${name} did not end in time`)), TIMEOUT_MS);
    await run(one);
    clearTimeout(deadline);
  }
}
// Exits explicitly, because a library can keep a connection open.
await exitGracefully(0);

/** Stops all processes that the benchmarks started, then exits with an error. */
function stopAndFail(failure: unknown): void {
  console.error(failure);
  void exitGracefully(1);
}
