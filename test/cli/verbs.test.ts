import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { completionScript } from '../../src/cli/completion/completionScripts.ts';
import { commandWords } from '../../src/cli/completion/commandWords.ts';
import { createProgram } from '../../src/cli/program/program.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { cleanUp, dataDirectory, eventually, type Api } from '../platform/support.ts';
import { CliWorld } from './cliWorld.ts';

describe('The command', function () {
  let api: Api;
  let endpoint: Endpoint;
  let world: CliWorld;

  before(async () => {
    ({ world, api } = await CliWorld.onPlatform());
    endpoint = await api.createEndpoint({ name: 'echo', workers: { min: 1, max: 1 } });
  });

  after(cleanUp);

  const start = (...args: string[]) => world.start(args);
  const run = (...args: string[]) => world.run(args);
  const input = (value: object) => ['--input', JSON.stringify(value)];

  describe('hardware', () => {
    const manifest = {
      ...{ name: 'shop', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 4 } },
      ...{ image: 'example/shop:1', gpu: { pools: ['AMPERE_24', 'ADA_24'] } },
    };
    const file = () => path.join(world.folder, 'shop.endpoint.json');

    it('prints the hardware that satisfies a manifest, and marks what it allows now', async () => {
      await world.write({ 'shop.endpoint.json': manifest });
      const { code, stdout, stderr } = await run('hardware', file(), '--memory', '24');
      assert.equal(code, 0, stderr);
      const [name, first, ...rest] = stdout.split('\n');
      assert.equal(name, 'shop:');
      assert.match(first ?? '', /^\* AMPERE_24 +24 GB +\$0\.684\/h +high stock  L4, RTX A5000, RTX 3090 · /);
      assert.match(rest.join('\n'), /^ {2}AMPERE_48 +48 GB/m);
      assert.match(stdout, /Not shown: 1 that do not satisfy it \(memory: 1\); see --all\n$/);
    });

    it('prints the reasons with --all, and JSON with --json', async () => {
      await world.write({ 'shop.endpoint.json': manifest });
      const { stdout } = await run('hardware', file(), '--memory', '24', '--all');
      assert.match(stdout, /AMPERE_16.*less than 24 GB of memory/);
      const { endpoints } = JSON.parse((await run('hardware', file(), '--kind', 'cpu', '--json')).stdout) as {
        endpoints: { name: string; hardware: { kind: string; id: string; reasons: string[] }[] }[];
      };
      const [{ name, hardware } = assert.fail()] = endpoints;
      assert.equal(name, 'shop');
      assert.ok(hardware.length > 0 && hardware.every(({ kind, reasons }) => kind === 'cpu' && reasons.length === 0));
    });

    it('fails if no hardware satisfies a manifest, with the condition that excludes the most', async () => {
      await world.write({ 'shop.endpoint.json': { ...manifest, workers: { min: 1, max: 2 } } });
      const { code, stdout } = await run('hardware', file(), '--memory', '100', '--budget', '1');
      assert.equal(code, 1);
      assert.match(stdout, /The condition that excludes the most is “budget” \(10 of 10\)/);
    });

    it('names what is wrong with a manifest and its arguments', async () => {
      await world.write({ 'shop.endpoint.json': { ...manifest, type: 'QEUE' } });
      for (const [args, message] of [
        [[file()], /shop\.endpoint\.json:1:\d+: type/],
        [['none.endpoint.yaml'], /none\.endpoint\.yaml/],
        [[file(), '--memory', '0'], /must be a number above 0/],
        [[file(), '--environment', 'prod'], /has the environment prod/],
      ] as const) {
        const { code, stderr } = await run('hardware', ...args);
        assert.notEqual(code, 0);
        assert.match(stderr, message);
      }
    });
  });

  describe('run', () => {
    it('prints the output of the job, and nothing else, to standard output', async () => {
      const { code, stdout, stderr } = await run('run', 'echo', ...input({ do: 'echo', value: { a: [1] } }));
      assert.equal(code, 0, stderr);
      assert.deepEqual(JSON.parse(stdout), { a: [1] });
      assert.match(stderr, /^job \S+: .*COMPLETED\n$/s);
    });

    it('prints the whole job with --json', async () => {
      const { code, stdout } = await run('run', endpoint.id, '--json', ...input({ do: 'echo', value: 1 }));
      const { status, output } = JSON.parse(stdout) as { status: string; output: unknown };
      assert.deepEqual([code, status, output], [0, 'COMPLETED', 1]);
    });

    it('fails with the error and the log of a failed job', async () => {
      const { code, stdout, stderr } = await run('run', 'echo', ...input({ do: 'fail' }));
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /the job is FAILED.*Error: as asked/s);
    });

    it('runs a job file on the endpoint that the file names', async () => {
      const file = path.join(await dataDirectory(), 'a.job.json');
      await writeFile(file, JSON.stringify({ endpoint: 'echo', input: { do: 'echo', value: 'file' } }));
      const { code, stdout } = await run('run', '--file', file);
      assert.deepEqual([code, JSON.parse(stdout)], [0, 'file']);
    });

    it('runs a job file on the endpoint of its manifest, as the editor does', async () => {
      const folder = await dataDirectory();
      const manifest = (name: string) => JSON.stringify({ name, type: 'QUEUE' });
      await writeFile(path.join(folder, 'a.endpoint.json'), manifest('echo'));
      const file = path.join(folder, 'b.job.json');
      await writeFile(file, JSON.stringify({ input: { do: 'echo', value: 'beside' } }));
      const only = await run('run', '--file', file);
      assert.deepEqual([only.code, only.stdout], [0, '"beside"\n'], only.stderr);

      await writeFile(path.join(folder, 'b.endpoint.json'), manifest('other'));
      const sameName = await run('run', '--file', file);
      assert.match(sameName.stderr, /has no endpoint other/);
      const neither = path.join(folder, 'c.job.json');
      await writeFile(neither, '{ "input": {} }');
      assert.match((await run('run', '--file', neither)).stderr, /no manifest belongs to it/);
    });

    it('prints only the ID with --no-wait', async () => {
      const { code, stdout } = await run('run', 'echo', '--no-wait', ...input({ do: 'echo', value: 2 }));
      assert.equal(code, 0);
      const job = await api.jobWithStatus(endpoint, JSON.parse(stdout) as string, 'COMPLETED');
      assert.equal(job.output, 2);
    });

    it('cancels the job on the platform if it is interrupted', async () => {
      const { child, exit } = start('run', 'echo', ...input({ do: 'hang' }));
      const worker = await api.worker(endpoint, 'RUNNING');
      child.kill('SIGINT');
      const { code, stderr } = await exit;
      assert.equal(code, 130, stderr);
      assert.match(stderr, /canceling the job/);
      const id = /job (\S+):/.exec(stderr)?.[1] ?? '';
      const { status, workerId } = await api.job(endpoint, id);
      assert.deepEqual([status, workerId], ['CANCELLED', worker.id]);
    });

    it('names what is wrong with its arguments', async () => {
      const file = path.join(await dataDirectory(), 'bad.job.json');
      await writeFile(file, '{\n  "input": 1\n}');
      const unnamed = path.join(await dataDirectory(), 'unnamed.job.json');
      await writeFile(unnamed, '{ "input": {} }');
      for (const [args, message] of [
        [['none', ...input({})], /has no endpoint none; its endpoints are echo/],
        [['echo'], /either --input or --file is required/],
        [['echo', '--input', '[1]'], /--input must be a JSON object/],
        [['echo', '--input', '{'], /--input is not JSON/],
        [['--file', file], /bad\.job\.json:2:\d+: /],
        [['echo', '--file', 'no-such-file'], /no-such-file cannot be read/],
        [[...input({})], /an endpoint is required/],
        [['--file', unnamed], /the job file names no endpoint, and no manifest belongs to it: add one to the command/],
      ] as const) {
        const { code, stderr } = await run('run', ...args);
        assert.equal(code, 1);
        assert.match(stderr, message);
      }
    });
  });

  describe('timeline', () => {
    it('prints what the time of a job was spent on', async () => {
      const { stdout: job } = await run('run', 'echo', '--json', ...input({ do: 'fail' }));
      const { id } = JSON.parse(job) as { id: string };
      const { code, stdout, stderr } = await run('timeline', 'echo', id);
      assert.equal(code, 0, stderr);
      assert.match(
        stdout,
        new RegExp(`^Job ${id} of echo\nStatus: failed after .*\n\n.*^Running .*[█▏▕▐░▌].* failed`, 'ms'),
      );
    });

    it('prints the trace with --json', async () => {
      const { stdout: id } = await run('run', 'echo', '--no-wait', ...input({ do: 'echo', value: 1 }));
      const jobId = JSON.parse(id) as string;
      const { code, stdout } = await run('timeline', endpoint.id, jobId, '--json');
      const trace = JSON.parse(stdout) as { jobId: string; spans: { kind: string }[] };
      assert.deepEqual([code, trace.jobId, trace.spans[0]?.kind], [0, jobId, 'queued']);
    });

    it('fails for a job that the platform does not have', async () => {
      const { code, stderr } = await run('timeline', 'echo', 'no-such-job');
      assert.equal(code, 1);
      assert.match(stderr, /no longer exists/);
    });
  });

  describe('logs', () => {
    it('prints lines with their times and workers', async () => {
      await api.runSync(endpoint, { do: 'print', lines: 3 });
      const worker = await api.worker(endpoint, 'IDLE');
      const found = await eventually('all lines are stored', async () => {
        const { code, stdout } = await run('logs', 'echo', '--tail', '3', '--source', 'container');
        assert.equal(code, 0);
        return stdout.includes('line 3') && stdout;
      });
      const lines = found.trimEnd().split('\n');
      assert.equal(lines.length, 3);
      assert.ok(lines.every((line) => line.split(' ')[1] === worker.id));
      const { stdout } = await run('logs', 'echo', '--tail', '1', '--source', 'container', '--json');
      const { line, workerId } = JSON.parse(stdout) as { line: string; workerId: string };
      assert.deepEqual([line, workerId], ['line 3', worker.id]);
    });

    it('follows the workers until it is interrupted', async () => {
      const { child, exit, printed } = start('logs', 'echo', '--follow', '--tail', '0');
      // A line that is printed before the stream is open is not followed, so lines are printed until one arrives.
      let followed = false;
      const marks = async (): Promise<void> => {
        while (!followed && child.exitCode === null) {
          await api.runSync(endpoint, { do: 'print', lines: 2 });
        }
      };
      const marking = marks();
      await printed('line 2');
      followed = true;
      child.kill('SIGINT');
      const { code, stderr } = await exit;
      await marking;
      assert.equal(code, 130, stderr);
    });

    it('ends without an error when the reader of its output ends', async () => {
      await api.runSync(endpoint, { do: 'print', lines: 1 });
      const { child, exit, printed } = start('logs', 'echo', '--follow', '--tail', '1');
      await printed('line');
      child.stdout.destroy();
      while (child.exitCode === null) await api.runSync(endpoint, { do: 'print', lines: 1 });
      const { code, stderr } = await exit;
      assert.equal(code, 141, stderr);
      assert.doesNotMatch(stderr, /EPIPE/);
    });

    it('says that a worker has no log', async () => {
      const { code, stderr } = await run('logs', 'echo', '--worker', 'nosuchworker00');
      assert.deepEqual([code, stderr], [1, 'worker nosuchworker00 has no log\n']);
    });
  });

  describe('bill', () => {
    it('prints amounts that add up to the total', async () => {
      const { code, stdout } = await run('bill', '--period', 'day', '--json');
      assert.equal(code, 0);
      const { groups, totalUsd } = JSON.parse(stdout) as { groups: { name: string; usd: number }[]; totalUsd: number };
      assert.deepEqual(
        groups.map(({ name }) => name),
        ['echo'],
      );
      assert.ok(totalUsd > 0);
      assert.equal(groups[0]?.usd, totalUsd);
    });

    it('prints a forecast for the current month', async () => {
      const { code, stdout } = await run('bill');
      assert.equal(code, 0);
      assert.match(stdout, /echo\n.*total\nExpected for \d{4}-\d\d: \$/s);
    });
  });

  it('platform runs the platform, which ends with it', async () => {
    const { child, exit, printed } = start('platform', '--in-memory', '--port', '0', '--json');
    await printed('"pid"');
    child.kill('SIGTERM');
    const { code, stdout } = await exit;
    assert.equal(code, 143);
    const { pid } = JSON.parse(stdout.split('\n')[0] ?? '') as { pid: number };
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  });

  it('reports a platform that cannot be reached in one line', async () => {
    const gone = await CliWorld.create();
    gone.useHosted({ ...api.addresses, baseUrl: 'http://127.0.0.1:1' });
    const { code, stdout, stderr } = await gone.run(['plan', '.']);
    assert.deepEqual([code, stdout, stderr.trimEnd().split('\n').length], [1, '', 1]);
    assert.match(stderr, /the platform cannot be reached/);
  });
});

describe('A completion script', () => {
  const program = createProgram('1', () => Promise.resolve());
  const words = commandWords(program);

  it('contains each command with its options', () => {
    for (const shell of ['bash', 'zsh', 'fish'] as const) {
      const script = completionScript(shell, 'cloud-compute', words);
      for (const { name, options } of words) {
        assert.match(script, new RegExp(`\\b${name}\\b`));
        for (const { flag } of options) assert.ok(script.includes(flag.slice(2)), `${shell}: ${name} ${flag}`);
      }
    }
  });

  for (const [shell, binary] of [
    ['bash', '/usr/bin/bash'],
    ['fish', '/usr/bin/fish'],
  ] as const)
    it(`completes commands, options, choices, and folders in ${shell}`, async function () {
      if (!existsSync(binary)) return this.skip();
      const folder = await dataDirectory();
      await mkdir(path.join(folder, 'my workers'));
      await writeFile(path.join(folder, 'my file'), '');
      const file = path.join(folder, `script.${shell}`);
      await writeFile(file, completionScript(shell, 'cloud-compute', words));
      const complete = (...line: string[]): string[] => {
        const script =
          shell === 'bash'
            ? `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cloud_compute; printf '%s\\n' "\${COMPREPLY[@]}"`
            : 'source $argv[1]; complete -C (string join " " -- $argv[2..])';
        const args = shell === 'bash' ? ['-c', script, 'bash', file, ...line] : ['-c', script, file, ...line];
        const output = execFileSync(binary, args, {
          cwd: folder,
          encoding: 'utf8',
          env: { ...process.env, HOME: folder },
        });
        return output
          .split('\n')
          .flatMap((one) => one.split('\t')[0]?.replace(/\/$/, '').replaceAll('\\', '') ?? [])
          .filter(Boolean);
      };
      assert.deepEqual(complete('cloud-compute', 'de'), ['deploy', 'deployments']);
      assert.deepEqual(complete('cloud-compute', 'deploy', '--roll'), ['--rollback-on-failure']);
      assert.deepEqual(complete('cloud-compute', 'test', '--reporter', '').sort(), ['junit', 'tap']);
      assert.deepEqual(complete('cloud-compute', 'plan', 'my'), ['my workers']);
    });

  it('is a valid script of zsh', async function () {
    if (!existsSync('/usr/bin/zsh')) return this.skip();
    const file = path.join(await dataDirectory(), 'script.zsh');
    await writeFile(file, completionScript('zsh', 'cloud-compute', words));
    execFileSync('/usr/bin/zsh', ['-f', '-n', file]);
  });

  afterEach(cleanUp);
});
