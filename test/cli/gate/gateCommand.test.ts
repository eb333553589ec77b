import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { livingProcesses } from '../../../scripts/editor/processTable.ts';
import { GateWorld, GREETING, manifest, worker } from '../../features/gate/gateWorld.ts';
import { cleanUp, platformForTest } from '../../platform/support.ts';
import { CliWorld } from '../cliWorld.ts';
import { parseXml } from '../tests/xml.ts';

describe('cloud-compute gate', function () {
  afterEach(cleanUp);

  it('prints the verdict and the measurements, and writes a report', async () => {
    const [cli, world] = [await CliWorld.create(), await GateWorld.create()];
    await world.record({ name: 'Ada' });
    await world.write('hello/handler.mjs', `${GREETING}// the same\n`);
    const report = path.join(world.root, 'report.md');
    const { code, stdout, stderr } = await cli.run(['gate', world.manifest, '--report', report]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^The gate passed with 1 job\.\n/);
    for (const row of ['Execution time, median', 'Cold start', 'Memory', 'Cost of the jobs', 'working tree'])
      assert.ok(stdout.includes(row), stdout);
    assert.match(await readFile(report, 'utf8'), /^# Gate of “hello”\n/);
  });

  it('fails for other outputs, as JSON, JUnit, and HTML, none of which has a secret', async () => {
    const [cli, world] = [await CliWorld.create(), await GateWorld.create({ require: true })];
    cli.env['WORD'] = 'correct-horse';
    cli.env['TOKEN'] = 'battery-staple';
    const settings = { env: { TOKEN: '${secret:TOKEN}' }, 'x-gate': { require: true } };
    await world.write('hello.endpoint.json', JSON.stringify(manifest(settings)));
    await world.record({ word: { $secret: 'WORD' } });
    await world.write('hello/handler.mjs', worker('return { echo: `old ${input.word}`, token: process.env.TOKEN };'));
    await world.commit();
    await world.write(
      'hello/handler.mjs',
      worker('return { echo: `new ${input.word}`, token: `x${process.env.TOKEN}`, more: "<b>" };'),
    );
    const report = path.join(world.root, 'report.html');
    const json = await cli.run(['gate', world.root, '--json', '--report', report]);
    assert.equal(json.code, 1, json.stderr);
    const { passed, failures, jobs } = JSON.parse(json.stdout) as {
      passed: boolean;
      failures: unknown;
      jobs: { differences: { kind: string; path: string[] }[] }[];
    };
    assert.deepEqual([passed, failures], [false, [{ code: 'outputs', jobs: 1 }]]);
    assert.deepEqual(
      jobs[0]?.differences.map(({ kind, path: at }) => [kind, ...at]),
      [
        ['text', 'echo'],
        ['text', 'token'],
        ['added', 'more'],
      ],
    );
    const junit = await cli.run(['gate', world.manifest, '--junit']);
    assert.equal(junit.code, 1);
    const xml = await parseXml(junit.stdout);
    assert.deepEqual([xml.$?.['tests'], xml.$?.['failures']], ['2', '1']);
    const html = await readFile(report, 'utf8');
    assert.ok(html.includes('&lt;b&gt;') && !html.includes('<b>'));
    const plain = await cli.run(['gate', world.manifest]);
    for (const text of [json.stdout, json.stderr, junit.stdout, html, plain.stdout])
      assert.doesNotMatch(text, /correct-horse|battery-staple/);
  });

  it('has exit code 2 if it cannot run', async () => {
    const [cli, world] = [await CliWorld.create(), await GateWorld.create()];
    const cases: readonly (readonly [RegExp, ...string[]])[] = [
      [/no job of “hello” is recorded/, world.manifest],
      [/does not exist/, path.join(world.root, 'none.endpoint.yaml')],
      [/no endpoint “other”/, world.manifest, '--endpoint', 'other'],
      [/exclude each other/, world.manifest, '--base', 'HEAD', '--base-image', 'a'],
      [/\.md or \.html/, world.manifest, '--report', 'report.txt'],
    ];
    for (const [message, ...args] of cases) {
      const { code, stderr } = await cli.run(['gate', ...args]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
    }
  });

  it('leaves no process and no checked out revision after an interruption', async () => {
    const [cli, world] = [await CliWorld.create(), await GateWorld.create()];
    await world.record({ name: 'Ada' });
    await world.write('hello/handler.mjs', worker('await new Promise(() => undefined);'));
    const { child, exit, told } = cli.start(['gate', world.manifest]);
    await told('starting both versions');
    child.kill('SIGINT');
    assert.equal((await exit).code, 130);
    assert.deepEqual(await world.worktrees(), []);
    assert.deepEqual(
      livingProcesses().filter(({ command }) => command.includes(world.root)),
      [],
    );
  });
});

describe('cloud-compute deploy with x-gate', function () {
  afterEach(cleanUp);

  async function deployment() {
    const [cli, world] = [await CliWorld.create(), await GateWorld.create({ require: true })];
    const { platform } = await platformForTest();
    cli.useHosted(platform.announcement);
    // A hosted platform receives the image, which is a process here.
    const image = `process:${path.join(world.root, 'hello')}`;
    await world.write(
      'hello.endpoint.json',
      JSON.stringify(manifest({ image, cmd: [process.execPath, 'handler.mjs'], 'x-gate': { require: true } })),
    );
    await world.commit();
    await world.record({ name: 'Ada' });
    await world.write('hello/handler.mjs', `${GREETING}// the same\n`);
    const deploy = (...args: string[]) =>
      cli.run(['deploy', world.root, '--yes', '--json', '--verify-timeout', '0', ...args]);
    return { cli, world, deploy };
  }

  it('is refused without a verdict about exactly the present content, and works with one', async () => {
    const { cli, world, deploy } = await deployment();
    const refused = await deploy();
    assert.equal(refused.code, 1, refused.stderr);
    const { problems } = JSON.parse(refused.stdout) as { problems: { code: string }[] };
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['gate'],
    );
    assert.equal((await cli.run(['gate', world.manifest])).code, 0);
    assert.equal((await cli.run(['plan', world.root])).code, 2);
    await world.write('hello/other.mjs', 'export {};\n');
    assert.equal((await deploy()).code, 1);
    await world.git('clean', '-fdq', 'hello');
    assert.equal((await deploy()).code, 0);
  });

  it('runs the gate with --gate, and is refused if it fails', async () => {
    const { world, deploy } = await deployment();
    await world.write('hello/handler.mjs', worker('return 1;'));
    const refused = await deploy('--gate');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /The gate failed: 1 job has another result/);
    await world.write('hello/handler.mjs', `${GREETING}// the same\n`);
    const { code, stderr } = await deploy('--gate');
    assert.equal(code, 0, stderr);
  });

  it('works with the reason of a person, which is stored', async () => {
    const { world, deploy } = await deployment();
    assert.equal((await deploy('--skip-gate', '')).code, 64);
    assert.equal((await deploy('--skip-gate', 'urgent fix')).code, 0);
    const verdicts = await readFile(path.join(world.root, 'hello.recordings/verdicts.json'), 'utf8');
    assert.match(verdicts, /"kind": "override"[^}]*"reason": "urgent fix"/);
  });
});
