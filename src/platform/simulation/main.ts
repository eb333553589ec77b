import { once } from 'node:events';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { SIMULATION_EXIT_CODES, SimulationRequest, type SimulationEvent } from '../../contract/launch/simulation.ts';
import { simulateAll, serveThread } from './simulationThreads.ts';

/* The process that simulates an endpoint (src/contract/launch/simulation.ts). Its threads have the same entry point. */

/** Maximum size of a request, in bytes. */
const MAX_REQUEST_BYTES = 128 * 1_048_576;

/** A request that cannot be simulated. Its message is a sentence. */
class BadRequest extends Error {}

/** Resolves once all earlier events are printed. */
let printed = Promise.resolve();

if (isMainThread) await main();
else serveThread();

async function main(): Promise<void> {
  // Nobody reads the results any more.
  process.stdout.on('error', () => process.exit(SIMULATION_EXIT_CODES.failed));
  try {
    const request = parsed(await readRequest());
    await simulateAll(request, (result) => print({ type: 'result', result }));
    await print({ type: 'end' });
  } catch (error) {
    const isBad = error instanceof BadRequest;
    process.stderr.write(`${isBad ? error.message : `The simulation failed: ${(error as Error).message}`}\n`);
    process.exitCode = isBad ? SIMULATION_EXIT_CODES.badRequest : SIMULATION_EXIT_CODES.failed;
  }
}

/** Prints an event after the earlier ones. Resolves once the reader keeps up. */
function print(event: SimulationEvent): Promise<void> {
  return (printed = printed.then(async () => {
    if (!process.stdout.write(`${JSON.stringify(event)}\n`)) await once(process.stdout, 'drain');
  }));
}

async function readRequest(): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_REQUEST_BYTES) throw new BadRequest(`The request has more than ${MAX_REQUEST_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): SimulationRequest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BadRequest('The request is not valid JSON.');
  }
  const { data, error } = SimulationRequest.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  throw new BadRequest(`The request is invalid at '${issue?.path.join('.')}': ${issue?.message}.`);
}
