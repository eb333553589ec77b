import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { isTerminal } from '../../src/contract/job.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { tracebackPlaces } from '../../src/account/sourceLinks/tracebackPlaces.ts';
import { parseWorkerError } from '../../src/contract/workerError.ts';
import { StreamText } from '../../src/features/jobs/results/streamText.ts';
import { parseTap, type TapTest } from '../cli/tests/tapParser.ts';
import { hasPythonSdk } from '../platform/pythonSdk.ts';
import { cleanUp, eventually, platformForTest, repository, type Api } from '../platform/support.ts';
import { CLI_PROGRAM } from '../support/programs.ts';
import { copySamples, createBody, createVirtualEnvironment, inputOf, promisedOutput, samples } from './support.ts';

/** An input for which the handler throws an exception, and its report. */
interface Failure {
  readonly input: Readonly<Record<string, unknown>>;
  /** Undefined if the SDK does not report the type. */
  readonly type: string | undefined;
  readonly message: string;
  /** File in the traceback. */
  readonly file: string;
}

interface QueueSample {
  readonly name: string;
  /** Base name of the manifest and its job file. */
  readonly file: string;
  readonly language: 'node' | 'python';
  /** Variables and input that make the job fast. They do not change its output. */
  readonly fast?: { readonly env?: Record<string, string>; readonly input?: object };
  /** Whether the README shows the stream of the job instead of its output. */
  readonly streams?: boolean;
  readonly failure: Failure;
}

const queueSamples: readonly QueueSample[] = [
  {
    name: 'hello-queue',
    file: 'hello',
    language: 'node',
    fast: { env: { LOAD_SECONDS: '0' }, input: { seconds: 0 } },
    failure: {
      input: { fail: true, seconds: 0 },
      type: 'Error',
      message: 'the input requested a failure while greeting world',
      file: 'handler.mjs',
    },
  },
  {
    name: 'streaming',
    file: 'reader',
    language: 'node',
    fast: { env: { WORD_MS: '1' } },
    streams: true,
    failure: { input: { text: '' }, type: 'Error', message: 'the text has no words', file: 'handler.mjs' },
  },
  {
    name: 'python-queue',
    file: 'even',
    language: 'python',
    failure: { input: { text: 'two' }, type: 'KeyError', message: "'number'", file: 'handler.py' },
  },
  {
    name: 'python-streaming',
    file: 'countdown',
    language: 'python',
    fast: { env: { STEP_SECONDS: '0.01' } },
    streams: true,
    failure: {
      input: { start: 101 },
      type: undefined,
      message: 'cannot count down from 101, because 100 is the maximum',
      file: 'handler.py',
    },
  },
];

const hasSdk = hasPythonSdk();
const runs = ({ language }: QueueSample): boolean => language === 'node' || hasSdk;

/** Runs the tests of all job files below a folder, as the README of each sample describes. */
async function testOnCommandLine(folder: string): Promise<readonly TapTest[]> {
  const child = spawn(process.execPath, [CLI_PROGRAM, 'test', folder], {
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

function assertReport(error: unknown, { type, message, file }: Failure): void {
  const report = parseWorkerError(error);
  assert.deepEqual([report?.type, report?.message], [type, message]);
  const files = tracebackPlaces(report?.traceback ?? '').map((place) => path.basename(place.path));
  assert.ok(files.includes(file), report?.traceback);
}

describe('Samples with a queue', function () {
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
    const { name, file, fast, streams, failure } = sample;

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

      it('reports the exception of a job with its type, message, and traceback', async () => {
        const { api } = await platformForTest();
        const body = await createBody(path.join(folder, name, `${file}.endpoint.yaml`), fast?.env);
        const endpoint = await api.call(operations.createEndpoint, { body });
        const { id } = await api.run(endpoint, failure.input);
        const { error } = await api.jobWithStatus(endpoint, id, 'FAILED');
        assertReport(error, failure);
      });
    });
  }

  it('report exceptions from each worker loop in Node.js', async () => {
    const { api } = await platformForTest();
    const body = await createBody(path.join(samples, 'openai-chat/queue-chat.endpoint.yaml'));
    const endpoint = await api.call(operations.createEndpoint, { body });
    const input = { openai_route: '/v1/chat/completions', openai_input: null };
    const { id } = await api.run(endpoint, input);
    const { error } = await api.jobWithStatus(endpoint, id, 'FAILED');
    const message = "Cannot read properties of null (reading 'stream')";
    assertReport(error, { input, type: 'TypeError', message, file: 'handler.mjs' });
    const loop = (folder: string) => readFile(path.join(samples, folder, 'serverless.mjs'), 'utf8');
    assert.equal(await loop('container-image/worker'), await loop('hello-queue/hello'));
  });
});
