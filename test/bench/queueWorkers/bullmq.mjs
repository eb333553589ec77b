import { Worker } from 'bullmq';
import { openTally } from './tally.mjs';

const { SERVER_PORT, CONCURRENCY } = process.env;
const tally = openTally();
const latencies = new Map();
const worker = new Worker(
  'bench',
  (job) => {
    latencies.set(job.id, tally.since(job.data.at));
    return Promise.resolve(null);
  },
  {
    connection: { host: '127.0.0.1', port: Number(SERVER_PORT) },
    concurrency: Number(CONCURRENCY),
    removeOnComplete: { count: 1000 },
  },
);
worker.on('completed', (job) => {
  tally.done(latencies.get(job.id));
  latencies.delete(job.id);
});
await worker.waitUntilReady();
console.log('ready');
process.stdin.on('end', () => process.exit()).resume();
