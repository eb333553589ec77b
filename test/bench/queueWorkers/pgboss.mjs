import { PgBoss } from 'pg-boss';
import { openTally } from './tally.mjs';

const { SERVER_PORT, CONCURRENCY } = process.env;
const tally = openTally();
const boss = new PgBoss({
  host: '127.0.0.1',
  port: Number(SERVER_PORT),
  user: 'postgres',
  database: 'postgres',
  useListenNotify: true,
});
boss.on('error', () => undefined);
await boss.start();
await boss.createQueue('bench', { notify: true });
// The fastest configuration: notifications from the database, several pollers, and no pause after a full batch.
const options = {
  batchSize: Number(CONCURRENCY),
  pollingIntervalSeconds: 0.5,
  burstWhenBatchFull: true,
  localConcurrency: 2,
};
await boss.work('bench', options, (jobs) => {
  for (const { data } of jobs) tally.done(tally.since(data.at));
  return Promise.resolve();
});
console.log('ready');
process.stdin.on('end', () => process.exit()).resume();
