// npm run bench [-- NAME …]: measures beside an alternative in the same run and prints ratios; machines differ, ratios less.
import process from 'node:process';
import { leave } from '../../scripts/editor/shutdown.ts';
import { reportHeading } from './compare.ts';

type Benchmark = () => Promise<void>;

/** Time after which a benchmark is given up, in ms. Their rounds are chosen to end well before. */
const LONGEST_MS = 120_000;

/** Loaded one at a time, so that one benchmark's modules do not weigh on another. */
const benchmarks: Readonly<Record<string, () => Promise<{ run: Benchmark }>>> = {
  accept: () => import('./accept.ts'),
  jobs: () => import('./jobs.ts'),
  balancer: () => import('./balancer.ts'),
  'fan-out': () => import('./fanOut.ts'),
  start: () => import('./start.ts'),
  activation: () => import('./activation.ts'),
  explorer: () => import('./explorer.ts'),
  client: () => import('./client.ts'),
  logs: () => import('./logs.ts'),
  flood: () => import('./flood.ts'),
  billing: () => import('./billing.ts'),
};

/** Names that benchmarks had before. */
const formerNames: Readonly<Record<string, string>> = { platform: 'accept', queues: 'jobs', startup: 'start' };

const wanted = process.argv.slice(2).map((name) => formerNames[name] ?? name);
const unknown = wanted.filter((name) => !(name in benchmarks));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there is ${Object.keys(benchmarks).join(', ')}.`);
  process.exit(1);
}
process.on('uncaughtException', giveUp);
for (const [name, load] of Object.entries(benchmarks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name}`);
  const deadline = setTimeout(() => giveUp(new Error(`${name} has not ended within two minutes`)), LONGEST_MS);
  const { run } = await load();
  reportHeading();
  await run();
  clearTimeout(deadline);
}
// A connection that a library keeps open does not keep this process.
await leave(0);

/** Ends this process after everything that benchmarks have started. */
function giveUp(failure: unknown): void {
  console.error(failure);
  void leave(1);
}
