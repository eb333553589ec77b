import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../src/client/clock.ts';
import { s3AccessOf } from '../../src/client/s3/s3Connection.ts';
import { S3_VARIABLES } from '../../src/account/connections/model/hostedVariables.ts';
import { DATA_DIRECTORY } from '../../src/contract/launch/localPlatform.ts';
import { filesOf } from '../../src/features/volumes/actions/fileTree.ts';
import { cleanUp, dataDirectory, platformForTest, type Api } from '../platform/support.ts';
import { CliWorld } from './cliWorld.ts';

describe('The command volumes', () => {
  let api: Api;
  let world: CliWorld;
  /** Directory of the files of a volume. */
  let directoryOf: (id: string) => string;

  beforeEach(async () => {
    const dataDir = await dataDirectory();
    ({ api } = await platformForTest({ dataDir }));
    directoryOf = (id) => path.join(dataDir, DATA_DIRECTORY.volumes, id);
    world = await CliWorld.create();
    world.useHosted(api.addresses);
    const { s3Url, s3AccessKeyId, s3SecretAccessKey } = api.addresses;
    Object.assign(world.env, {
      [S3_VARIABLES.s3Url]: s3Url,
      [S3_VARIABLES.s3AccessKeyId]: s3AccessKeyId,
      [S3_VARIABLES.s3SecretAccessKey]: s3SecretAccessKey,
    });
  });

  afterEach(cleanUp);

  const run = (...args: string[]) => world.run(['volumes', ...args]);
  const create = async (): Promise<string> => {
    const { code, stdout, stderr } = await run('create', 'models', '--data-center', 'EU-RO-1', '--size', '10');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /the network volume models has 10 GB in EU-RO-1, about \$0\.70 a month/);
    return stdout.trim();
  };

  it('creates, lists, grows, and deletes a volume', async () => {
    const id = await create();
    const listed = await run('ls');
    assert.match(listed.stdout, new RegExp(`^${id} +10 GB +EU-RO-1 +\\$0\\.70/month +models\n$`));
    assert.match((await run('grow', 'models', '10')).stderr, /has 10 GB, and can only become larger/);
    assert.equal((await run('grow', 'models', '20')).code, 0);
    const { volumes } = JSON.parse((await run('ls', '--json')).stdout) as { volumes: unknown[] };
    assert.deepEqual(volumes, [
      { id, name: 'models', size: 20, dataCenter: 'EU-RO-1', type: 'STANDARD', monthlyUsd: 1.4000000000000001 },
    ]);
    assert.match((await run('delete', 'models')).stderr, /--yes is required/);
    assert.equal((await run('delete', 'models', '--yes')).code, 0);
    assert.equal((await run('ls')).stdout, '');
  });

  it('refuses to delete a volume that an endpoint mounts', async () => {
    const id = await create();
    const mounts = { network: [{ volumeId: id, path: '/data' }] };
    await api.createEndpoint({ name: 'user', mounts, workers: { min: 0, max: 1 } });
    const { code, stderr } = await run('delete', id, '--yes');
    assert.equal(code, 1);
    assert.match(stderr, /mounted by user/);
  });

  it('uploads a folder, lists it, downloads it again, and deletes it', async () => {
    const id = await create();
    const weights = randomBytes(100_000);
    const source = path.join(world.folder, 'llama');
    await mkdir(path.join(source, 'deep'), { recursive: true });
    await writeFile(path.join(source, 'config.json'), '{}');
    await writeFile(path.join(source, 'deep', 'weights 1.bin'), weights);
    const put = await run('put', source, 'models:hub', '--json');
    assert.equal(put.code, 0, put.stderr);
    assert.deepEqual(JSON.parse(put.stdout), { volume: { id, name: 'models' }, files: 2, bytes: 100_002 });
    assert.match(put.stderr, /uploaded 2 files \(98 KB\)/);
    assert.deepEqual(await readFile(path.join(directoryOf(id), 'hub/llama/deep/weights 1.bin')), weights);

    const lines = (await run('ls', 'models:hub/llama')).stdout.split('\n');
    assert.match(lines[0] ?? '', /^ +2 {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}hub\/llama\/config\.json$/);
    assert.match(lines[1] ?? '', /^ +hub\/llama\/deep\/$/);
    const { entries } = JSON.parse((await run('ls', `${id}:`, '--recursive', '--json')).stdout) as {
      entries: { path: string; kind: string; size: number }[];
    };
    assert.deepEqual(
      entries.map(({ path: name, kind, size }) => [name, kind, size]),
      [
        ['hub/llama/config.json', 'file', 2],
        ['hub/llama/deep/weights 1.bin', 'file', 100_000],
      ],
    );

    const target = path.join(world.folder, 'down');
    assert.equal((await run('get', 'models:hub/llama/', target)).code, 0);
    assert.deepEqual(await readFile(path.join(target, 'llama/deep/weights 1.bin')), weights);

    assert.match((await run('rm', 'models:hub/llama', '--yes')).stderr, /is a folder, which needs --recursive/);
    assert.equal((await run('rm', 'models:hub/llama/config.json', '--yes')).code, 0);
    assert.equal((await run('rm', 'models:hub', '--recursive', '--yes')).code, 0);
    assert.equal((await run('ls', 'models')).stdout, '');
  });

  it('continues the unfinished upload of a file, and leaves none', async () => {
    const id = await create();
    const content = randomBytes(20 * 1_048_576);
    const file = path.join(world.folder, 'large.bin');
    await writeFile(file, content);
    const access = s3AccessOf(api.addresses) ?? assert.fail();
    const files = filesOf({ clock: systemClock }, access, { id, dataCenter: 'EU-RO-1' });
    const uploadId = await files.createUpload('large.bin', 16 * 1_048_576);
    await files.putPart('large.bin', uploadId, 1, content.subarray(0, 16 * 1_048_576));
    const { code, stderr } = await run('put', file, 'models:');
    assert.equal(code, 0, stderr);
    assert.equal(await files.findUpload('large.bin'), undefined);
    assert.deepEqual(await readFile(path.join(directoryOf(id), 'large.bin')), content);
  });

  it('names what is missing or wrong', async () => {
    await create();
    for (const [args, message] of [
      [['ls', 'other:'], /has no network volume other/],
      [['ls', 'models:none'], /the network volume models has no none/],
      [['get', 'models:none', world.folder], /the network volume models has no none/],
      [['put', 'models:'], /the last argument must be the target/],
      [['put', path.join(world.folder, 'none'), 'models:'], /ENOENT/],
      [['ls', 'models:a/../b'], /cannot contain “\.” and “\.\.”/],
      [['rm', 'models:', '--yes'], /the path is missing/],
      [['create', 'x', '--data-center', 'EU-RO-1', '--size', '3'], /whole number from 10 to/],
      [['frobnicate'], /unknown command/],
    ] as const) {
      const { code, stderr } = await run(...args);
      assert.notEqual(code, 0, args.join(' '));
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n {4}at /);
    }
  });

  it('names the variables of a platform whose key for files is unknown, and a key that is not accepted', async () => {
    await create();
    world.env[S3_VARIABLES.s3SecretAccessKey] = 'wrong';
    const refused = await run('ls', 'models:');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /did not accept the key for files/);
    world.env[S3_VARIABLES.s3SecretAccessKey] = '';
    assert.match((await run('ls', 'models:')).stderr, /CLOUD_COMPUTE_S3_SECRET_ACCESS_KEY/);
    assert.equal((await run('ls')).code, 0);
  });
});
