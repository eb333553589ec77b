import { exec } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pino from 'pino';
import { temporaryFolderVariables } from '../../scripts/editor/temporaryFolder.ts';
import { EngineApi } from '../../src/machine/engine/engineApi.ts';
import { clusterAccess } from '../../src/platform/runtimes/kubernetes/access/clusterAccess.ts';
import { kubernetesRuntime } from '../../src/platform/runtimes/kubernetes/kubernetes.ts';
import type { KubernetesOptions } from '../../src/platform/runtimes/kubernetes/kubernetesCluster.ts';
import type { Runtime, WorkerGate } from '../../src/platform/runtimes/runtime.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { importNodeImage, NODE_IMAGE } from '../engines/images.ts';

/* The cluster under test. README.md describes its variables. */

const ENGINES = 'CLOUD_COMPUTE_NODE_ENGINES';

/** Returns the APIs of the container engines of the nodes. */
export function nodeEngines(): EngineApi[] {
  const addresses = (process.env[ENGINES] ?? '').split(',').filter((address) => address !== '');
  return addresses.map((name) => {
    const socketPath = name.replace(/^unix:\/\//, '');
    return new EngineApi({ name, tls: false, options: { socketPath } });
  });
}

let imported: Promise<unknown> | undefined;

/** Skips the tests without a cluster, and gives `NODE_IMAGE` to its nodes. */
export function needsCluster(): void {
  before(async function () {
    this.timeout(5 * 60_000);
    if (!process.env['KUBECONFIG']) this.skip();
    imported ??= Promise.all(nodeEngines().map(importMissing));
    await imported;
  });
}

async function importMissing(engine: EngineApi): Promise<void> {
  const images = await engine.json<{ RepoTags: string[] | null }[]>({ path: '/v1.41/images/json' });
  if (!images.some(({ RepoTags }) => RepoTags?.includes(NODE_IMAGE))) await importNodeImage(engine);
}

/** A gate for workers that do not connect to the platform. */
const closedGate: WorkerGate = { open: (address) => Promise.resolve(`http://${address}:1/worker/v2`) };

/** Time after which lost nodes are given up, in seconds. */
const NODE_LOSS_SECONDS = 1;

/** Creates a runtime on the cluster. The nodes have the images already. */
export function runtimeForTest(changes: Partial<KubernetesOptions> = {}): Runtime {
  return kubernetesRuntime({
    ...{ clock: systemClock, log: pino({ enabled: false }), owner: 'conformance', gate: closedGate },
    ...{ imagePull: 'ifNotPresent', nodeLossSeconds: NODE_LOSS_SECONDS, environment: process.env },
    ...changes,
  });
}

/** Sends a request to the cluster. @param path behind its address, such as /api/v1/nodes */
export async function cluster<T>(
  path: string,
  request: { method?: 'GET' | 'DELETE'; query?: Record<string, string> } = {},
) {
  const { connection } = await clusterAccess({ environment: process.env, clock: systemClock });
  return new EngineApi(connection).json<T>({ path, ...request });
}

/** Runs a command that the environment names, such as the one that ends a node. @param node name of the node */
export async function nodeCommand(variable: string, node: string): Promise<void> {
  const command = process.env[variable];
  if (!command) throw new Error(`${variable} is not set`);
  // The node outlives the tests and their temporary folder.
  const variables = temporaryFolderVariables(path.dirname(tmpdir()));
  await promisify(exec)(command, { env: { ...process.env, ...variables, NODE: node } });
}

/** Returns the name of a context if the kubeconfig has it. */
export async function contextOf(name: string): Promise<string | undefined> {
  return clusterAccess({ environment: process.env, clock: systemClock, context: name }).then(
    () => name,
    () => undefined,
  );
}
