import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { createClient, type Client } from '../../../../src/client/client.ts';
import { systemClock } from '../../../../src/client/clock.ts';
import type { Fetch } from '../../../../src/client/context.ts';
import type { Manifest } from '../../../../src/contract/manifest.ts';
import {
  deploySteps,
  type DeployedStep,
  type Deployment as Deploying,
} from '../../../../src/features/manifest/actions/deploySteps.ts';
import {
  deployingSteps,
  type DeploymentFile,
  type Step,
} from '../../../../src/features/manifest/model/deployment/deploymentPlan.ts';
import { afterwards, fixtures } from '../../../platform/support.ts';
import type { Deployment } from './deployment.ts';
import { tests } from './tests.ts';

/** Commands of workers, in the folder of the fixtures. */
export const COMMANDS = {
  works: [process.execPath, 'worker.mjs'],
  crashes: [process.execPath, '-e', 'console.error("no model file"); process.exit(3)'],
  /** Runs, but never asks for a job. */
  idles: [process.execPath, '-e', 'setInterval(() => undefined, 1_000)'],
} as const;

/** Returns the text of a manifest whose worker runs at once. */
export function runningManifest(name: string, command: readonly string[], more: Partial<Manifest> = {}): string {
  return JSON.stringify({
    name,
    type: 'QUEUE',
    scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
    cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    workers: { min: 1, max: 1 },
    'x-local': { directory: fixtures, command: [...command] },
    ...more,
  });
}

/** Returns a client of the same platform whose requests go through a function. */
export function clientThrough({ client }: Pick<Deployment, 'client'>, fetch: Fetch): Client {
  return createClient({ connection: client.context.connection, fetch });
}

export const methodOf = (init: RequestInit | undefined): string => init?.method ?? 'GET';

/** Plans the files, and deploys the steps of `chosen`. Default: those of the plan. */
export async function deploy(
  deployment: Deployment,
  files: readonly DeploymentFile[],
  {
    chosen,
    signal = new AbortController().signal,
    ...changes
  }: Partial<Deploying> & { readonly chosen?: readonly Step[]; readonly signal?: AbortSignal } = {},
): Promise<readonly DeployedStep[]> {
  const { client = deployment.client } = changes;
  const plan = () => deployment.plan(files, { client, signal });
  return deploySteps(
    {
      ...{ client, store: deployment.store, platform: 'local', verifyMs: 120_000, revertsFailures: false, tests },
      readPlan: async () => ({ plan: await plan(), values: [] }),
      starting: () => undefined,
      deployed: () => Promise.resolve(),
      onState: () => undefined,
      ...changes,
    },
    chosen ?? deployingSteps(await deployment.plan(files)),
    signal,
  );
}

/** Returns results such as `a: created ready`. */
export function resultsOf(results: readonly DeployedStep[]): readonly string[] {
  return results.map((result) => {
    const verification = 'verification' in result ? ` ${result.verification.outcome}` : '';
    return `${result.step.name}: ${result.outcome}${verification}`;
  });
}

/** A response of a platform, or `reset` to end the connection without one. */
export type StandInAnswer = { readonly status?: number; readonly body: unknown } | 'reset';

/** Starts a server that stands in for a hosted platform, until `cleanUp`. @returns a client whose waits take no time */
export async function standIn(answer: (method: string, path: string) => StandInAnswer): Promise<Client> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '', 'http://stand.in');
    const given = answer(request.method ?? '', pathname);
    if (given === 'reset') {
      request.socket.destroy();
      return;
    }
    response.writeHead(given.status ?? 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(given.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let now = 0;
  return createClient({
    connection: {
      ...{ baseUrl, restUrl: baseUrl, queueUrl: `${baseUrl}/v2`, apiKey: 'key' },
      endpointHost: `${baseUrl}/{endpoint_id}`,
    },
    fetch: globalThis.fetch,
    clock: {
      now: () => now,
      // Time limits of requests.
      after: (ms, action) => systemClock.after?.(ms, action) ?? (() => undefined),
      sleep: (ms, signal) => {
        now += ms;
        signal?.throwIfAborted();
        return Promise.resolve();
      },
    },
  });
}
