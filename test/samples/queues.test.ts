import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { isTerminal } from '../../src/contract/job.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { StreamText } from '../../src/features/jobs/results/streamText.ts';
import { parseTap, type TapTest } from '../cli/tapParser.ts';
import { hasPythonSdk } from '../platform/pythonSdk.ts';
import { cleanUp, eventually, platformForTest, repository, type Api } from '../platform/support.ts';
import { copySamples, createBody, createVirtualEnvironment, inputOf, promisedOutput } from './support.ts';

interface QueueSample {
  readonly name: string;
  /** Base name of the manifest and its job file. */
  readonly file: string;
  readonly language: 'node' | 'python';
  /** Variables and input that make the job fast. They do not change its output. */
  readonly fast?: { readonly env?: Record<string, string>; readonly input?: object };
  /** Whether the README shows the stream of the job instead of its output. */
  readonly streams?: boolean;
}

const queueSamples: readonly QueueSample[] = [
  { name: 'hello-queue', file: 'hello', language: 'node', fast: { env: { LOAD_SECONDS: '0' }, input: { seconds: 0 } } },
  { name: 'streaming', file: 'reader', language: 'node', fast: { env: { WORD_MS: '1' } }, streams: true },
  { name: 'python-queue', file: 'even', language: 'python' },
  {
    name: 'python-streaming',
    file: 'countdown',
    language: 'python',
    fast: { env: { STEP_SECONDS: '0.01' } },
    streams: true,
  },
];

const hasSdk = hasPythonSdk();
const runs = ({ language }: QueueSample): boolean => language === 'node' || hasSdk;

/** Runs the tests of all job files below a folder, as the README of each sample describes. */
async function testOnCommandLine(folder: string): Promise<readonly TapTest[]> {
  const program = path.join(repository, 'test/cli/fromSources.ts');
  const child = spawn(process.execPath, [program, 'test', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: path.join(repository, 'node_modules', '.cache', 'compiled') },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.ok(output.stdout.includes('TAP'), output.stderr);
  const { tests } = parseTap(output.stdout);
  const failed = tests.filter(({ ok }) => !ok);
  assert.deepEqual([code, failed], [0, []], output.stderr);
  return tests;
}

/** Reads the stream of a job until the job has ended, as the text of the editor's document. */
async function streamTextOf(api: Api, endpoint: Endpoint, jobId: string): Promise<string> {
  const text = new StreamText();
  const parameters = { endpointId: endpoint.id, jobId };
  await eventually('the stream has ended', async () => {
    const { status, stream } = await api.call(operations.streamJob, { parameters });
    text.append(stream.map(({ output }) => output));
    return isTerminal(status) && stream.length === 0;
  });
  text.end('completed');
  return text.text;
}

describe('Samples with a queue', function () {
  this.timeout(120_000);

  let folder: string;
  let tests: readonly TapTest[];

  before(async () => {
    const names = queueSamples.filter(runs).map(({ name }) => name);
    folder = await copySamples(names);
    for (const { name } of queueSamples.filter((sample) => sample.language === 'python' && runs(sample)))
      await createVirtualEnvironment(path.join(folder, name));
    tests = await testOnCommandLine(folder);
  });

  after(cleanUp);

  for (const sample of queueSamples) {
    const { name, file, fast, streams } = sample;

    describe(name, () => {
      before(function () {
        if (!runs(sample)) this.skip();
      });

      it('passes the tests of its job files', () => {
        const own = tests.filter(({ description }) => description.startsWith(`${name}/`));
        assert.equal(own.length, 2);
      });

      it('runs its job with the output that its README shows', async () => {
        const { api } = await platformForTest();
        const body = await createBody(path.join(folder, name, `${file}.endpoint.yaml`), fast?.env);
        const endpoint = await api.call(operations.createEndpoint, { body });
        const input = { ...(await inputOf(path.join(folder, name, `${file}.job.json`))), ...fast?.input };
        const { id } = await api.run(endpoint, input);
        if (streams) assert.equal(await streamTextOf(api, endpoint, id), await promisedOutput(name, 'text'));
        const { output } = await api.jobWithStatus(endpoint, id, 'COMPLETED');
        if (!streams) assert.deepEqual(output, JSON.parse(await promisedOutput(name, 'json')));
      });
    });
  }
});
