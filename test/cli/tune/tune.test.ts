import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cleanUp, type Api } from '../../platform/support.ts';
import { CliWorld, manifest } from '../cliWorld.ts';

interface TuneJson {
  readonly endpoint: string;
  readonly settings: number;
  readonly load: {
    readonly origin: string;
    readonly executions: { readonly origin: string; readonly measured: number };
  };
  readonly present: { readonly usdPerMonth: number; readonly waitMs: { readonly p95: number } };
  readonly frontier: readonly object[];
  readonly proposals: { readonly target: object | null };
  readonly misses: readonly string[];
}

interface BillJson {
  readonly before: { readonly usdPerMonth: number } | null;
  readonly after: { readonly usdPerMonth: number };
  readonly change: { readonly usdPerMonth: number; readonly settings: readonly { readonly setting: string }[] };
  readonly command: string;
  readonly assumptions: readonly string[];
  readonly isWithinMaxIncrease?: boolean;
}

describe('The command tune', () => {
  let api: Api;
  let world: CliWorld;

  before(async () => {
    ({ world, api } = await CliWorld.onPlatform());
    await api.createEndpoint({ name: 'silent', workers: { min: 0, max: 2 } });
    await world.write({
      'a.endpoint.json': tuned(),
      'three.endpoint.json': tuned({ min: 3 }),
      'broken.endpoint.json': { ...tuned(), scaling: { type: 'SOMETHING' } },
      'paused.endpoint.json': tuned({ max: 0, min: 0 }),
      'other.endpoint.json': { ...tuned(), name: 'other' },
      'several.endpoint.yaml': `${JSON.stringify(tuned())}\n---\n${JSON.stringify({ ...tuned(), name: 'second' })}\n`,
      'load.csv': ['at,executionTime', ...Array.from({ length: 40 }, (_, n) => `${n * 9_000},2000`)].join('\n'),
      'empty.csv': '',
    });
  });

  after(cleanUp);

  const tuned = (workers: { min?: number; max?: number; idleTimeout?: number } = {}) =>
    manifest('echo', { workers: { min: 1, max: 3, idleTimeout: 60, ...workers } });
  const place = (name: string) => path.join(world.folder, name);
  const tune = (name: string, ...flags: string[]) => world.run(['tune', place(name), ...flags]);
  const TIMES = ['--execution', '2', '--cold-start', '5'];
  const ASSUMED = ['--load', '0.2 random', '--duration', '1200', ...TIMES];
  const tuneOf = (stdout: string) => JSON.parse(stdout) as TuneJson;
  const billOf = (stdout: string) => JSON.parse(stdout) as BillJson;

  it('prints the settings that no other ones beat, with the present ones, and says what is assumed', async () => {
    const { code, stdout, stderr } = await tune('a.endpoint.json', ...ASSUMED);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^echo: \d{3,4} settings simulated, on cpu3c, 2 vCPU\n/);
    assert.match(stdout, /The load is an assumed pattern: \d+ arrivals in 20 min\./);
    assert.match(stdout, /The execution time is assumed: 2\.0 s\./);
    assert.match(stdout, /\n {2}\* +\$/);
    assert.match(stdout, /Cheapest at the same wait: /);
  });

  it('reads arrivals and execution times from a file, and prints JSON', async () => {
    const { code, stdout, stderr } = await tune(
      'a.endpoint.json',
      '--load',
      place('load.csv'),
      '--cold-start',
      '5',
      '--json',
    );
    assert.equal(code, 0, stderr);
    const { endpoint, settings, load, present, frontier, misses } = tuneOf(stdout);
    assert.deepEqual([endpoint, load.origin, load.executions], ['echo', 'file', { origin: 'file', measured: 40 }]);
    assert.ok(settings > 300 && present.usdPerMonth > 0 && frontier.length > 1);
    assert.deepEqual(misses, []);
  });

  it('fails if the present settings miss the target or the budget', async () => {
    const { code, stdout, stderr } = await tune(
      'a.endpoint.json',
      ...ASSUMED,
      '--target-wait',
      '1ms',
      '--budget',
      '$1',
      '--json',
    );
    assert.equal(code, 1);
    assert.match(stderr, /the present settings miss --target-wait 1 ms: the p95 wait is /);
    assert.match(stderr, /the present settings miss --budget \$1\.00: a month costs \$/);
    assert.equal(tuneOf(stdout).misses.length, 2);
    assert.equal((await tune('a.endpoint.json', ...ASSUMED, '--target-wait', '1min', '--budget', '1000000')).code, 0);
  });

  it('tunes an endpoint, and one of several endpoints in a manifest', async () => {
    const endpoint = await world.run(['tune', '--endpoint', 'silent', ...ASSUMED, '--json']);
    assert.equal(endpoint.code, 0, endpoint.stderr);
    assert.equal(tuneOf(endpoint.stdout).endpoint, 'silent');
    const second = await tune('several.endpoint.yaml', '--endpoint', 'second', ...ASSUMED, '--json');
    assert.equal(tuneOf(second.stdout).endpoint, 'second');
    const neither = await tune('several.endpoint.yaml', ...ASSUMED);
    assert.deepEqual([neither.code, neither.stdout], [2, '']);
    assert.match(neither.stderr, /has several endpoints: name one of echo, second with --endpoint/);
  });

  it('says in one line why nothing can be simulated', async () => {
    const failures: readonly (readonly [string[], number, RegExp])[] = [
      [['a.endpoint.json'], 2, /the endpoint does not exist yet, so nothing was measured; give --load/],
      [['a.endpoint.json', '--load', '1'], 2, /no execution time was measured; give --execution SECONDS/],
      [
        ['a.endpoint.json', '--load', '1', '--execution', '1'],
        2,
        /no cold start was measured; give --cold-start SECONDS/,
      ],
      [
        ['a.endpoint.json', '--load', place('empty.csv'), ...TIMES],
        2,
        /empty\.csv: it has no arrivals; record some, or give a rate/,
      ],
      [
        ['a.endpoint.json', '--load', 'nowhere.csv', ...TIMES],
        2,
        /^--load nowhere\.csv is neither a rate, such as "0\.5 random", nor a file/,
      ],
      [['broken.endpoint.json', ...ASSUMED], 1, /broken\.endpoint\.json:1:\d+: /],
      [['missing.endpoint.json', ...ASSUMED], 1, /missing\.endpoint\.json: /],
      [['paused.endpoint.json', ...ASSUMED], 2, /the endpoint is paused: workers\.max is 0/],
      [['a.endpoint.json', ...ASSUMED, '--compare', 'no-such-base'], 2, /neither a manifest nor a revision/],
      [['a.endpoint.json', ...ASSUMED, '--max-increase', '1%'], 64, /--max-increase needs --compare/],
      [['a.endpoint.json', '--load', '1', '--execution', 'fast'], 64, /seconds/],
    ];
    for (const [[name = '', ...flags], code, message] of failures) {
      const ended = await tune(name, ...flags);
      assert.deepEqual([ended.code, ended.stdout], [code, ''], `${name} ${flags.join(' ')}: ${ended.stderr}`);
      assert.match(ended.stderr, message);
      assert.equal(ended.stderr.includes('    at '), false, ended.stderr);
    }
    const silent = await world.run(['tune', '--endpoint', 'silent']);
    assert.equal(silent.code, 2);
    assert.match(silent.stderr, /has measured no jobs of silent; give --load/);
    assert.equal((await world.run(['tune'])).code, 64);
  });

  it('compares the bills of two manifests under the same load, with the command to repeat it', async () => {
    const summary = place('summary.md');
    const flags = ['--compare', place('a.endpoint.json'), ...ASSUMED];
    const { code, stdout, stderr } = await tune('three.endpoint.json', ...flags, '--summary', summary);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^echo: \+\$[\d.,]+ a month at this load, p95 wait .*0 ms\)?\n {2}workers\.min: 1 → 3\n/);
    assert.match(
      stdout,
      /\n {2}Again: cloud-compute tune .*three\.endpoint\.json --compare .* --load '0\.2 random' --duration 1200 --execution 2 --cold-start 5/,
    );
    const markdown = await readFile(summary, 'utf8');
    assert.match(markdown, /^### Bill of `echo`\n\n\*\*`\+\$[\d.,]+ a month at this load, /);
    assert.match(markdown, /\| Cost of a month \| `\$[\d.,]+` \| `\$[\d.,]+` \|/);
    const again = await tune('three.endpoint.json', ...flags, '--json');
    const { before, after, change } = billOf(again.stdout);
    assert.ok(before && Math.abs(after.usdPerMonth - before.usdPerMonth - change.usdPerMonth) < 1e-9);
    assert.deepEqual(
      change.settings.map(({ setting }) => setting),
      ['workers.min'],
    );
  });

  it('fails if the increase is larger than the maximum', async () => {
    const flags = ['--compare', place('a.endpoint.json'), ...ASSUMED, '--json'];
    const { code, stdout, stderr } = await tune('three.endpoint.json', ...flags, '--max-increase', '10%');
    assert.deepEqual([code, billOf(stdout).isWithinMaxIncrease], [1, false]);
    assert.match(stderr, /the increase is larger than --max-increase 10%/);
    assert.equal((await tune('three.endpoint.json', ...flags, '--max-increase', '$5000')).code, 0);
  });

  it('says that execution times on other hardware are assumed to be the same, unless their factor is given', async () => {
    await world.write({ 'moved.endpoint.json': { ...tuned(), cpu: [{ id: 'cpu5c', vcpuCount: 2 }] } });
    const flags = ['--compare', place('a.endpoint.json'), ...ASSUMED, '--json'];
    const { assumptions } = billOf((await tune('moved.endpoint.json', ...flags)).stdout);
    assert.match(assumptions.join(), /Execution times on cpu5c, 2 vCPU are assumed to be those on cpu3c, 2 vCPU/);
    const given = await tune('moved.endpoint.json', ...flags, '--factor', 'cpu5c=0.7');
    assert.deepEqual(billOf(given.stdout).assumptions, []);
  });

  it('compares with a revision of Git, in which the endpoint can be missing', async () => {
    const git = (...args: string[]) =>
      promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: world.folder,
      });
    await git('init', '-q');
    await world.write({ 'g.endpoint.json': tuned() });
    await git('add', 'a.endpoint.json');
    await git('commit', '-qm', 'first');
    await git('add', 'g.endpoint.json');
    await git('commit', '-qm', 'second');
    await world.write({ 'g.endpoint.json': tuned({ min: 3 }) });
    const changed = await tune('g.endpoint.json', '--compare', 'HEAD', ...ASSUMED, '--json');
    assert.equal(changed.code, 0, changed.stderr);
    assert.ok(billOf(changed.stdout).change.usdPerMonth > 0);
    const added = await tune('g.endpoint.json', '--compare', 'HEAD~1', ...ASSUMED);
    assert.match(added.stdout, /^echo: new endpoint: \$[\d.,]+ a month at this load, p95 wait /);
    const option = await tune('g.endpoint.json', '--compare', '--output=x', ...ASSUMED);
    assert.equal(option.code, 2, option.stderr);
  });
});
