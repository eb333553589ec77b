// npm run bench [-- NAME …]: measures beside an alternative in the same run and prints ratios; machines differ, ratios less.
import process from 'node:process';

type Benchmark = () => Promise<void>;

/** Loaded one at a time, so that one benchmark's modules do not weigh on another. */
const benchmarks: Readonly<Record<string, () => Promise<{ run: Benchmark }>>> = {
  balancer: () => import('./balancer.ts'),
  billing: () => import('./billing.ts'),
  client: () => import('./client.ts'),
  explorer: () => import('./explorer.ts'),
  platform: () => import('./platform.ts'),
  queues: () => import('./queues.ts'),
  startup: () => import('./startup.ts'),
  logs: () => import('./logs.ts'),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benchmarks));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there is ${Object.keys(benchmarks).join(', ')}.`);
  process.exit(1);
}
for (const [name, load] of Object.entries(benchmarks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name}`);
  const { run } = await load();
  await run();
}
