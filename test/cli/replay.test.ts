import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { recordingFileName } from '../../src/features/gate/model/recordingFiles.ts';
import { NODE_WORKER, ReplayWorld } from '../features/replay/world.ts';
import { cleanUp } from '../platform/support.ts';
import { CliWorld } from './cliWorld.ts';

const SECRET = 'a-secret-of-this-test-1234';

describe('cloud-compute replay', () => {
  afterEach(cleanUp);

  /** A folder with a manifest of the worker, and the recording of a job that failed on a hosted platform. */
  async function recorded(input: unknown, change: object = {}): Promise<{ cli: CliWorld; recording: string }> {
    const cli = await CliWorld.create();
    const recording = `upper.recordings/${recordingFileName('job-1')}`;
    await cli.write({
      'handler.mjs': NODE_WORKER,
      'upper.endpoint.yaml': `name: upper
type: QUEUE
image: registry.example.com/upper:1
scaling: { type: QUEUE_DELAY, queueDelay: 1 }
cpu: [{ id: cpu3c, vcpuCount: 2 }]
env: { API_KEY: "\${secret:API_KEY}" }
x-local: { directory: ., command: [${JSON.stringify(process.execPath)}, handler.mjs] }
`,
      [recording]: {
        version: 1,
        endpoint: 'upper',
        submittedAt: '2026-01-01T00:00:00.000Z',
        request: { input },
        result: {
          status: 'FAILED',
          error: JSON.stringify({ error_type: 'TypeError', error_message: 'no text in the input' }),
        },
        worker: { image: 'registry.example.com/upper:1', environment: ['API_KEY'], volumes: [] },
        ...change,
      },
    });
    return { cli, recording: path.join(cli.folder, recording) };
  }

  it('reproduces a recorded error with the code of the manifest, and saves a test that fails until the worker is mended', async () => {
    const { cli, recording } = await recorded({});
    cli.env['API_KEY'] = SECRET;
    const saved = path.join(cli.folder, 'upper.job.json');
    const { code, stdout, stderr } = await cli.run(['replay', recording, '--save', saved]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^as recorded: FAILED: TypeError: no text in the input at handler.mjs:5$/m);
    assert.match(stderr, /≠ The worker runs the code in .* instead of the image registry\.example\.com\/upper:1\./);
    assert.deepEqual(JSON.parse(await readFile(saved, 'utf8')), {
      ...{ endpoint: 'upper', input: {}, expect: { status: 'COMPLETED' } },
    });
    const failing = await cli.run(['test', cli.folder]);
    assert.deepEqual([failing.code, failing.stdout.includes('not ok 1')], [1, true], failing.stderr);
    const handler = path.join(cli.folder, 'handler.mjs');
    await writeFile(handler, NODE_WORKER.replace(/throw new TypeError.*/, "return { text: '' };"));
    const passing = await cli.run(['test', cli.folder]);
    assert.equal(passing.code, 0, passing.stderr);
    const mended = await cli.run(['replay', recording, '--json']);
    assert.equal(mended.code, 1, mended.stderr);
    const { outcome, verdict, differences } = JSON.parse(mended.stdout) as Record<string, unknown>;
    assert.deepEqual([outcome, verdict], ['ended', 'different']);
    assert.equal((differences as { code: string }[])[0]?.code, 'status');
    for (const text of [stdout, stderr, mended.stdout, mended.stderr, failing.stdout])
      assert.ok(!text.includes(SECRET));
  });

  it('saves a test that expects the recorded error', async () => {
    const { cli, recording } = await recorded({});
    cli.env['API_KEY'] = SECRET;
    const saved = path.join(cli.folder, 'upper.job.json');
    const { code } = await cli.run(['replay', recording, '--save', saved, '--expect', 'recorded']);
    assert.equal(code, 0);
    const { expect } = JSON.parse(await readFile(saved, 'utf8')) as { expect: unknown };
    assert.deepEqual(expect, { status: 'FAILED', error: 'no text in the input' });
    assert.equal((await cli.run(['test', cli.folder])).code, 0);
    const taken = await cli.run(['replay', recording, '--save', saved]);
    assert.deepEqual([taken.code, taken.stderr.includes('already exists')], [2, true]);
  });

  it('asks for the values of variables and of secrets of the input, and cannot save the latter', async () => {
    const { cli, recording } = await recorded({ user: { token: { $secret: 'USER_TOKEN' } } });
    const without = await cli.run(['replay', recording]);
    assert.deepEqual([without.code, without.stderr.includes('set the environment variables USER_TOKEN')], [2, true]);
    cli.env['USER_TOKEN'] = SECRET;
    const half = await cli.run(['replay', recording]);
    assert.match(half.stderr, /set the environment variables API_KEY, or use --without-values/);
    const { code, stderr } = await cli.run(['replay', recording, '--without-values']);
    assert.equal(code, 0, stderr);
    const saving = await cli.run([
      'replay',
      recording,
      '--without-values',
      '--save',
      path.join(cli.folder, 'x.job.json'),
    ]);
    assert.deepEqual([saving.code, saving.stderr.includes('USER_TOKEN')], [2, true]);
    assert.ok(!(stderr + saving.stderr).includes(SECRET));
  });

  it('replays a failed job of the local platform by its ID', async () => {
    const world = await ReplayWorld.create({ 'handler.mjs': NODE_WORKER });
    const cli = await CliWorld.create();
    const { id: endpointId } = await world.createNode();
    const { id } = await world.client.runJob({ endpointId, body: { input: {} } });
    const unfinished = await cli.run(['replay', 'no-such-job', '--data-dir', world.dataDir]);
    assert.deepEqual([unfinished.code, unfinished.stderr.includes('has the job no-such-job')], [2, true]);
    await world.ended(endpointId, id);
    const { code, stdout, stderr } = await cli.run(['replay', id, '--data-dir', world.dataDir]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /TypeError: no text in the input at handler\.mjs:5/);
    assert.match(stderr, /= The worker runs the code in /);
  });

  it('records a job of the local platform by its ID, without secrets, and replays the recording', async () => {
    const world = await ReplayWorld.create({ 'handler.mjs': NODE_WORKER });
    const { cli } = await recorded({});
    const { id: endpointId, name } = await world.createNode();
    const manifest = path.join(cli.folder, 'upper.endpoint.yaml');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace('name: upper', `name: ${name}`));
    cli.env['API_KEY'] = SECRET;
    const input = { note: `with ${SECRET}`, text: 5 };
    const { id } = await world.client.runJob({ endpointId, body: { input } });
    await world.ended(endpointId, id);
    const { code, stdout, stderr } = await cli.run(['record', id, manifest, '--data-dir', world.dataDir]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^\$\.input\.note: the secret NOTE$/m);
    const file = path.join(cli.folder, 'upper.recordings', recordingFileName(id));
    assert.equal(path.resolve(path.dirname(cli.folder), stdout.trim()), file);
    assert.ok(!(await readFile(file, 'utf8')).includes(SECRET));
    cli.env['NOTE'] = input.note;
    const replayed = await cli.run(['replay', file]);
    assert.deepEqual([replayed.code, replayed.stdout.slice(0, 11)], [0, 'as recorded'], replayed.stderr);
    const unknown = await cli.run(['record', 'no-such-job', manifest, '--data-dir', world.dataDir]);
    assert.deepEqual([unknown.code, unknown.stderr.includes('has the job no-such-job')], [1, true]);
    await writeFile(manifest, text.replace('name: upper', 'name: other'));
    const foreign = await cli.run(['record', id, manifest, '--data-dir', world.dataDir]);
    assert.deepEqual([foreign.code, foreign.stderr.includes(`no endpoint “${name}”`)], [1, true], foreign.stderr);
  });

  it('refuses an invalid recording, a missing worker, and a manifest that nobody has', async () => {
    const { cli, recording } = await recorded({});
    cli.env['API_KEY'] = SECRET;
    const refused = async (pattern: RegExp) => {
      const ended = await cli.run(['replay', recording, '--data-dir', path.join(cli.folder, 'none')]);
      assert.equal(ended.code, 2, ended.stderr);
      assert.match(ended.stdout + ended.stderr, pattern);
    };
    const manifest = path.join(cli.folder, 'upper.endpoint.yaml');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace('directory: .', 'directory: gone'));
    await refused(/The directory of the worker does not exist: .*gone/);
    await writeFile(manifest, text.replace('handler.mjs]', 'no-handler.mjs]'));
    await refused(/the worker exited at its start/);
    await writeFile(manifest, text.replace('name: upper', 'name: other'));
    await refused(/there is no platform/);
    await writeFile(recording, '{}');
    await refused(/version/);
  });
});
