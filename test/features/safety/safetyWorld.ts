import assert from 'node:assert/strict';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { stringify } from 'yaml';
import {
  checkRetrySafety,
  type SafetyCheck,
  type SafetyEvent,
  type SafetyJob,
} from '../../../src/features/safety/actions/checkRetrySafety.ts';
import { readManifestFile } from '../../../src/features/manifest/model/manifestFile.ts';
import { readJobFile } from '../../../src/features/jobs/model/checkJobFile.ts';
import type { JobFile } from '../../../src/contract/jobFile.ts';
import { pointId } from '../../../src/features/safety/model/breakPoint.ts';
import { afterwards, repository } from '../../platform/support.ts';
import { PLATFORM_PROGRAM } from '../../support/programs.ts';

export const sampleFolder = path.join(repository, 'samples/retry-safety');
const serve = path.join(sampleFolder, 'worker/serve.mjs');

/** The parts of a check that a test chooses. */
type Choices = Partial<Pick<SafetyCheck, 'wants' | 'signal' | 'limitMs' | 'onEvent' | 'environment' | 'engineFlags'>>;

export interface Checked {
  readonly events: readonly SafetyEvent[];
  /** Messages of unsafe points by the ID of the point. */
  readonly unsafe: Readonly<Record<string, string>>;
  /** ID of the smallest reproduction. */
  readonly smallest: string | undefined;
  /** Outcomes by the ID of the point. */
  readonly outcomes: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
  readonly failure: string | undefined;
}

/** Checks a sample, with the Node.js and the Python of the test. */
export async function checkSample(name: string, choices: Choices = {}): Promise<Checked> {
  const text = await readFile(path.join(sampleFolder, `${name}.endpoint.yaml`), 'utf8');
  const job = readJobFile(await readFile(path.join(sampleFolder, `${name}.job.json`), 'utf8'));
  assert.ok(job.file);
  const own = text.replace('command: node ', `command: ${process.execPath} `);
  return check(own, sampleFolder, [{ path: `${name}.job.json`, file: job.file }], choices);
}

/**
 * Checks a worker of a test.
 *
 * @param handler body of the function that handles a job, with the parameters `job` and `progress`
 * @param safety `x-safety` of the manifest
 */
export async function checkWorker(
  handler: string,
  safety: object,
  { input = {}, files = {}, ...choices }: Choices & { input?: JobFile['input']; files?: Record<string, string> } = {},
): Promise<Checked> {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, 'worker'));
  await writeFile(path.join(folder, 'worker/worker.mjs'), workerSource(handler, serve));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  const manifest = {
    ...{ ...ENDPOINT, image: 'example.com/test:1', 'x-safety': safety },
    'x-local': { directory: 'worker', command: [process.execPath, 'worker.mjs'] },
  };
  return check(stringify(manifest), folder, [{ path: 'test.job.json', file: { input } }], choices);
}

const ENDPOINT = {
  ...{ name: 'test', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 } },
  ...{ cpu: [{ id: 'cpu3c', vcpuCount: 2 }], disk: 5, timeout: 60_000 },
};

/** Checks the worker of an image. @param parts further fields of the manifest */
export async function checkImage(
  image: string,
  parts: object,
  { input = {}, ...choices }: Choices & { input?: JobFile['input'] } = {},
): Promise<Checked> {
  const text = stringify({ ...ENDPOINT, image, ...parts });
  return check(text, await temporaryFolder(), [{ path: 'test.job.json', file: { input } }], choices);
}

/** Returns the source of a worker. @param loop path of the module with the loop of the worker */
export function workerSource(handler: string, loop: string): string {
  return `import { serve } from ${JSON.stringify(loop)};\nimport * as fs from 'node:fs';\nimport path from 'node:path';\nawait serve(async (job, progress) => {\n${handler}\n});\n`;
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-worker-'));
  afterwards(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function check(text: string, folder: string, jobs: readonly SafetyJob[], choices: Choices): Promise<Checked> {
  const { parts, problems } = readManifestFile(text, { language: 'yaml', target: 'local' });
  const [part] = parts;
  assert.deepEqual(
    problems.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    [],
  );
  assert.ok(part);
  const events: SafetyEvent[] = [];
  const results = await checkRetrySafety({
    ...{
      part,
      folder,
      jobs,
      platformScript: PLATFORM_PROGRAM,
      environment: process.env,
      signal: new AbortController().signal,
    },
    values: { variable: () => undefined, secret: () => Promise.resolve(undefined) },
    ...choices,
    onEvent: (event) => {
      events.push(event);
      choices.onEvent?.(event);
    },
  });
  const unsafe = results.filter(({ outcome }) => outcome === 'unsafe');
  const small = results.find(({ smallest }) => smallest);
  return {
    events,
    unsafe: Object.fromEntries(unsafe.map(({ point, message }) => [pointId(point), message])),
    smallest: small && pointId(small.point),
    outcomes: Object.fromEntries(results.map(({ point, outcome }) => [pointId(point), outcome])),
    notes: events.flatMap((event) => (event.kind === 'note' ? [event.text] : [])),
    failure: events.flatMap((event) => (event.kind === 'failed' ? [event.reason] : []))[0],
  };
}
