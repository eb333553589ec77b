import assert from 'node:assert/strict';
import { appendFile, cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cleanUp } from '../platform/support.ts';
import { sampleFolder } from '../features/safety/safetyWorld.ts';
import { CliWorld } from './cliWorld.ts';
import { parseTap } from './tests/tapParser.ts';

describe('cloud-compute retry-safety', function () {
  this.timeout(240_000);
  let world: CliWorld;

  beforeEach(async () => {
    world = await CliWorld.create();
    await cp(sampleFolder, world.folder, { recursive: true });
  });
  afterEach(cleanUp);

  const manifest = (name: string) => path.join(world.folder, `${name}.endpoint.yaml`);

  it('exits with 1 for an unsafe point, and names its reproduction and the command that repeats it', async () => {
    const { code, stdout, stderr } = await world.run(['retry-safety', manifest('charge'), '--point', 'killedAtCall:1']);
    assert.equal(code, 1, stderr);
    const [test] = parseTap(stdout).tests;
    assert.equal(test?.ok, false);
    assert.match(
      stdout,
      /message: POST \/charges is sent again \(2 times instead of 1\) if the worker is killed after HTTP call 1/,
    );
    assert.match(stdout, /retry-safety \S+charge\.endpoint\.yaml --jobs charge\.job\.json --point killedAtCall:1/);
    assert.match(stderr, /1 run: 0 safe, 1 unsafe, 0 could not be checked/);
  });

  it('hides the values of references in the report, such as the key in the address of a call', async () => {
    world.env['KEY'] = 'correct-horse-battery';
    const [file, worker] = [manifest('charge'), path.join(world.folder, 'worker/charge.mjs')];
    await appendFile(file, "env:\n  KEY: '${secret:KEY}'\n");
    await writeFile(worker, (await readFile(worker, 'utf8')).replace('/charges`', '/charges?key=${process.env.KEY}`'));
    const { code, stdout, stderr } = await world.run(['retry-safety', file, '--point', 'killedAtCall:1']);
    assert.equal(code, 1, stderr);
    assert.match(stdout, /POST \/charges\?key=… is sent again/);
    assert.doesNotMatch(stdout + stderr, /correct-horse/);
  });

  it('exits with 0 for a safe worker, and writes JUnit to a file', async () => {
    const file = path.join(world.folder, 'report.xml');
    const args = ['retry-safety', manifest('safe'), '--point', 'resultLost', '--reporter', 'junit', '--output', file];
    const { code, stdout, stderr } = await world.run(args);
    assert.deepEqual([code, stdout], [0, ''], stderr);
    assert.match(
      await readFile(file, 'utf8'),
      /<testcase name="safe\.job\.json: the result of the worker is lost"[^>]*><\/testcase>/,
    );
  });

  it('exits with 2 if no job belongs to the manifest, no manifest exists, or no run has the point', async () => {
    const of = async (...args: string[]) => {
      const { code, stderr } = await world.run(['retry-safety', ...args]);
      return [code, stderr.trim().split('\n').at(-1)];
    };
    assert.deepEqual(await of(manifest('safe'), '--jobs', 'none*'), [
      2,
      'no job file (*.job.json) that matches none* belongs to the manifest',
    ]);
    assert.equal((await of(manifest('gone')))[0], 2);
    assert.deepEqual(await of(manifest('safe'), '--point', 'killedAtCall:9'), [
      2,
      'no run has the point killedAtCall:9',
    ]);
  });
});
