import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { compileCache } from '../../../scripts/editor/compileCache.ts';
import { livingProcesses } from '../../../scripts/editor/processTable.ts';
import { eventually, fixtures, repository } from '../../platform/support.ts';
import { completeLines } from '../../support/completeLines.ts';
import { CLI_PROGRAM } from '../../support/programs.ts';
import { parseTap } from './tapParser.ts';
import { parseXml } from './xml.ts';

describe('Command line program', function () {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-cli-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function write(files: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    }
  }

  /** A manifest whose worker runs the action that a job selects: see test/platform/fixtures/worker.mjs. */
  const manifest = (changes: object = {}) => ({
    name: 'test',
    type: 'QUEUE',
    scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
    workers: { min: 1, max: 2 },
    cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    disk: 5,
    'x-local': { directory: fixtures, command: [process.execPath, 'worker.mjs'] },
    ...changes,
  });
  const echo = (value: unknown, output: unknown) => ({ input: { do: 'echo', value }, expect: { output } });

  function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [CLI_PROGRAM, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: compileCache,
        ...env,
      },
    });
    const out = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (out.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (out.stderr += chunk.toString()));
    const exit = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, ...out })),
    );
    return { child, exit };
  }

  const test = (...args: string[]) => start(['test', folder, ...args]).exit;

  it('passes if all jobs meet their expectations, and leaves no processes', async () => {
    await write({
      'test.endpoint.json': manifest({
        'x-local': { directory: fixtures, command: [process.execPath, 'worker.mjs', folder] },
      }),
      'a.job.json': echo({ a: 1, b: 2 }, { a: 1 }),
      'deep/b.job.json': { input: { do: 'fail' }, expect: { error: 'as asked' } },
      'without.job.json': { input: { do: 'die' } },
    });
    const { code, stdout, stderr } = await test();
    assert.equal(code, 0, stderr);
    const { plan, tests } = parseTap(stdout);
    assert.equal(plan, 2);
    assert.deepEqual(
      tests.map(({ ok, description }) => [ok, description]),
      [
        [true, 'a.job.json'],
        [true, 'deep/b.job.json'],
      ],
    );
    assert.match(stderr, /2 tests: 2 passed, 0 failed, 0 could not run/);
    assert.deepEqual(await leftProcesses(), []);
  });

  /** Processes whose command contains the folder of this test. */
  async function leftProcesses(): Promise<string[]> {
    const commands = livingProcesses().map(({ pid }) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
    return (await Promise.all(commands)).filter((command) => command.includes(folder));
  }

  it('fails with the mismatches and the worker log', async () => {
    await write({
      'test.endpoint.json': manifest(),
      'a.job.json': echo(1, 1),
      'b.job.json': { input: { do: 'print', lines: 2 }, expect: { output: 3 } },
    });
    const { code, stdout } = await test();
    assert.equal(code, 1);
    const [, second] = parseTap(stdout).tests;
    assert.equal(second?.ok, false);
    assert.deepEqual(second.diagnostics?.['mismatches'], [
      { at: '$.output', code: 'wrongValue', message: '$.output: expected 3, but it is 2' },
    ]);
    const log = second.diagnostics['log'] as readonly string[];
    assert.deepEqual(
      log.filter((line) => line.startsWith('line')),
      ['line 1', 'line 2'],
    );
  });

  it('writes JUnit XML into a file', async () => {
    await write({ 'test.endpoint.json': manifest(), 'a.job.json': echo('<&', '<&'), 'b.job.json': echo(1, 2) });
    const file = path.join(folder, 'report.xml');
    const { code, stdout } = await test('--reporter', 'junit', '--output', file);
    assert.deepEqual([code, stdout], [1, '']);
    const root = await parseXml(await readFile(file, 'utf8'));
    assert.deepEqual([root.$?.['tests'], root.$?.['failures']], ['2', '1']);
  });

  it('runs only the files that match the filter', async () => {
    await write({ 'test.endpoint.json': manifest(), 'x/a.job.json': echo(1, 1), 'b.job.json': echo(1, 2) });
    const { code, stdout } = await test('--filter', 'x/**');
    assert.deepEqual([code, parseTap(stdout).tests.map(({ description }) => description)], [0, ['x/a.job.json']]);
    const without = await test('--filter', 'none*');
    assert.equal(without.code, 2);
    assert.match(without.stderr, /no job file with "expect" .* matches none\*/);
  });

  it('cancels a job that does not end in time', async () => {
    await write({ 'test.endpoint.json': manifest(), 'a.job.json': { input: { do: 'hang' }, expect: {} } });
    const { code, stdout } = await test('--timeout', '1');
    assert.equal(code, 1);
    assert.match(stdout, /code: neverEnded/);
  });

  it('reports why a worker cannot start, and runs nothing else', async () => {
    const command = [process.execPath, '-e', 'console.error("no model file"); process.exit(3)'];
    await write({
      'broken.endpoint.json': manifest({ name: 'broken', 'x-local': { directory: folder, command } }),
      'broken.job.json': echo(1, 1),
    });
    const { code, stdout, stderr } = await test();
    assert.equal(code, 2);
    const { tests, bailOut } = parseTap(stdout);
    assert.match(bailOut ?? '', /exited at its start \(exit code 3\): no model file/);
    assert.match(String(tests[0]?.diagnostics?.['message']), /no model file/);
    const log = tests[0]?.diagnostics?.['log'] as readonly string[];
    assert.ok(log.includes('no model file'));
    assert.ok(log.some((line) => line.startsWith('[platform] ')));
    assert.match(stderr, /no model file/);
  });

  it('runs the tests of other endpoints with --keep-going', async () => {
    const command = ['no-such-command-here'];
    await write({
      'broken.endpoint.json': manifest({ name: 'broken', 'x-local': { directory: folder, command } }),
      'broken.job.json': echo(1, 1),
      'test.endpoint.json': manifest(),
      'test.job.json': echo(1, 1),
      'wrong.job.json': '{',
    });
    const { code, stdout, stderr } = await test('--keep-going');
    assert.equal(code, 2);
    assert.deepEqual(
      parseTap(stdout).tests.map(({ ok, description }) => [ok, description]),
      [
        [false, 'broken.job.json'],
        [true, 'test.job.json'],
      ],
    );
    assert.match(stderr, /wrong\.job\.json: line 1, column 1: Invalid JSON/);
  });

  it('accepts a worker that crashes during a job', async () => {
    await write({
      'test.endpoint.json': manifest({ workers: { min: 0, max: 1 } }),
      'a.job.json': { input: { do: 'die' }, expect: { status: 'FAILED' } },
    });
    const { code, stderr } = await test();
    assert.equal(code, 0, stderr);
  });

  it('cannot run with an invalid file, and says where', async () => {
    for (const [name, content, message] of [
      [
        'a.job.json',
        '{\n  "input": 1,\n  "expect": {}\n}',
        /a\.job\.json: line 2, column 12: input: must be an object/,
      ],
      ['a.job.json', { input: {}, expect: {}, endpoint: 'other' }, /a\.job\.json: no manifest has the name 'other'/],
      ['web.endpoint.yaml', 'name: x\ntype: NONE\n', /web\.endpoint\.yaml: line 2, column 7: /],
    ] as const) {
      await write({ 'test.endpoint.json': manifest(), 'b.job.json': echo(1, 1), [name]: content });
      const { code, stdout, stderr } = await test();
      assert.equal(code, 2);
      assert.match(stderr, message);
      assert.match(parseTap(stdout).bailOut ?? '', message);
      await rm(path.join(folder, name));
    }
  });

  it('resolves references of a manifest from the environment, and names those without a value', async () => {
    const env = { A: '${secret:CLI_TEST_SECRET}' };
    await write({
      'test.endpoint.json': manifest({ env }),
      'a.job.json': { input: { do: 'environment' }, expect: { output: { A: 'the value' } } },
    });
    const without = await test();
    assert.equal(without.code, 2);
    assert.match(without.stderr, /set the environment variables CLI_TEST_SECRET/);
    const { code, stdout } = await start(['test', folder], { CLI_TEST_SECRET: 'the value' }).exit;
    assert.equal(code, 0, stdout);
  });

  for (const [signal, expected] of [
    ['SIGINT', 130],
    ['SIGKILL', null],
  ] as const)
    it(`leaves no platform and no workers after ${signal}`, async () => {
      const started = path.join(folder, 'started');
      await writeFile(path.join(folder, 'worker.mjs'), workerThatTells(started));
      await write({
        'test.endpoint.json': manifest({
          'x-local': { directory: '.', command: [process.execPath, 'worker.mjs', folder] },
        }),
        'a.job.json': { input: {}, expect: {} },
      });
      const { child, exit } = start(['test', folder]);
      const worker = Number(await eventually('the worker runs', async () => (await completeLines(started))[0]));
      const platform = livingProcesses().find(({ pid }) => pid === worker)?.parent;
      assert.ok(platform !== undefined && platform !== child.pid);
      child.kill(signal);
      const { code } = await exit;
      assert.equal(code, expected);
      const left = () => livingProcesses().filter(({ pid }) => pid === worker || pid === platform);
      if (signal === 'SIGKILL') await eventually('the platform and the worker end', () => left().length === 0);
      assert.deepEqual(left(), []);
      assert.deepEqual(await leftProcesses(), []);
    });

  /** A worker that writes its process ID into a file, and takes no job. */
  const workerThatTells = (file: string) =>
    `import { writeFileSync } from 'node:fs';
     writeFileSync(${JSON.stringify(file)}, process.pid + '\\n');
     setInterval(() => {}, 1000);`;

  it('reports what cannot run, with an exit code', async () => {
    for (const [args, expected, message] of [
      [['tset', folder], 64, /unknown command 'tset'/],
      [['test', folder, '--unknown'], 64, /--unknown/],
      [['test', path.join(folder, 'none')], 2, /does not exist/],
      [['test', folder], 2, /no job file with "expect"/],
    ] as const) {
      const { code, stderr } = await start(args).exit;
      assert.equal(code, expected);
      assert.match(stderr, message);
    }
  });

  it('prints its usage', async () => {
    const { code, stdout } = await start(['test', '--help']).exit;
    assert.equal(code, 0);
    assert.match(stdout, /^Usage: cloud-compute test \[options\] <folder>[^]*Exit codes:\n {2}0 {14}All expectations/);
  });

  it('passes for the sample workspace', async () => {
    await cp(path.join(repository, 'samples', 'hello-queue'), folder, { recursive: true });
    const { code, stdout } = await test();
    assert.equal(code, 0, stdout);
  });
});
