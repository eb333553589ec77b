import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { onPath } from '../../../scripts/editor/onPath.ts';
import { cleanUp } from '../support.ts';
import { s3World, type S3World } from './s3Client.ts';

/* Unmodified clients. Each test is skipped where its client is not installed. */

const run = promisify(execFile);
const PART_BYTES = 5 * 1_048_576;
const PYTHONS = ['python3', '/usr/bin/python3'];

/** Returns the version of boto3 for an interpreter. */
async function botoOf(python: string): Promise<string | undefined> {
  return run(python, ['-c', 'import boto3; print(boto3.__version__)']).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

describe('the S3 interface with other programs', () => {
  let world: S3World;
  let local: string;
  /** Without settings of this machine, such as certificates for a proxy. */
  let environment: NodeJS.ProcessEnv;
  before(async () => {
    world = await s3World();
    local = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-clients-'));
    environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_')));
    environment['HOME'] = local;
    await mkdir(path.join(local, 'files/deep/er'), { recursive: true });
    for (let index = 0; index < 12; index++) {
      await writeFile(path.join(local, 'files/deep', `f ${index} +ü&.bin`), randomBytes(1 + index * 1_000));
    }
    await writeFile(path.join(local, 'files/deep/er/large'), randomBytes(2 * PART_BYTES + 17));
    await writeFile(path.join(local, 'files/empty'), '');
  });
  after(async () => {
    await cleanUp();
    await rm(local, { recursive: true, force: true });
  });

  for (const python of PYTHONS) {
    it(`serves boto3 of ${python}`, async function () {
      if ((await botoOf(python)) === undefined) this.skip();
      const { s3, api } = world;
      const script = path.join(import.meta.dirname, 'fixtures/boto.py');
      const { s3Url, s3AccessKeyId, s3SecretAccessKey } = api.addresses;
      const env = { ...environment, AWS_ACCESS_KEY_ID: s3AccessKeyId, AWS_SECRET_ACCESS_KEY: s3SecretAccessKey };
      const { stdout } = await run(python, [script, s3Url, s3.volumeId], { env });
      assert.equal(stdout.trim(), 'done');
    });
  }

  it('serves rclone, whose second sync transfers nothing', async function () {
    if (onPath('rclone') === undefined) this.skip();
    const { s3, api } = world;
    const { s3Url, s3AccessKeyId, s3SecretAccessKey } = api.addresses;
    const env = {
      ...environment,
      RCLONE_CONFIG_LOCAL_TYPE: 's3',
      RCLONE_CONFIG_LOCAL_PROVIDER: 'Other',
      RCLONE_CONFIG_LOCAL_ENDPOINT: s3Url,
      RCLONE_CONFIG_LOCAL_ACCESS_KEY_ID: s3AccessKeyId,
      RCLONE_CONFIG_LOCAL_SECRET_ACCESS_KEY: s3SecretAccessKey,
      RCLONE_S3_UPLOAD_CUTOFF: '5M',
    };
    const files = path.join(local, 'files');
    const remote = `local:${s3.volumeId}/rclone`;
    const rclone = (...args: string[]) => run('rclone', [...args, '--config', path.join(local, 'none')], { env });
    const transfers = async (): Promise<number> => {
      const { stderr } = await rclone(
        'sync',
        files,
        remote,
        '--use-json-log',
        '--stats-log-level',
        'NOTICE',
        '--stats',
        '1h',
      );
      const lines = stderr.split('\n').filter((line) => line.includes('"stats"'));
      return (JSON.parse(lines.at(-1) ?? '{}') as { stats: { transfers: number } }).stats.transfers;
    };
    assert.equal(await transfers(), 14);
    assert.equal(await transfers(), 0);
    await rclone('check', files, remote);
    const now = new Date();
    await utimes(path.join(files, 'deep/er/large'), now, now);
    assert.equal(await transfers(), 0);
    await rclone('sync', remote, path.join(local, 'back'));
    await rclone('check', files, path.join(local, 'back'));
    await rclone('moveto', `${remote}/empty`, `${remote}/moved`);
    await rclone('purge', `${remote}/deep`);
    const { stdout } = await rclone('lsf', '-R', '--files-only', remote);
    assert.equal(stdout.trim(), 'moved');
  });

  it('serves s3cmd', async function () {
    if (onPath('s3cmd') === undefined) this.skip();
    const { s3, api } = world;
    const { s3Url, s3AccessKeyId, s3SecretAccessKey } = api.addresses;
    const { host } = new URL(s3Url);
    const config = path.join(local, 's3cfg');
    const lines = [
      '[default]',
      `access_key = ${s3AccessKeyId}`,
      `secret_key = ${s3SecretAccessKey}`,
      `host_base = ${host}`,
      `host_bucket = ${host}`,
      'use_https = False',
      'multipart_chunk_size_mb = 5',
    ];
    await writeFile(config, lines.join('\n'));
    const s3cmd = async (...args: string[]): Promise<string> =>
      (await run('s3cmd', ['-c', config, '--no-progress', ...args], { env: environment })).stdout;
    const bucket = `s3://${s3.volumeId}`;
    const large = path.join(local, 'files/deep/er/large');
    assert.ok((await s3cmd('ls')).includes(bucket));
    await s3cmd('put', large, `${bucket}/s3cmd/large`);
    assert.match(await s3cmd('ls', `${bucket}/s3cmd/`), /10485777 +s3:.*\/s3cmd\/large/);
    await s3cmd('get', `${bucket}/s3cmd/large`, path.join(local, 'got'));
    assert.deepEqual(await readFile(path.join(local, 'got')), await readFile(large));
    const sync = () => s3cmd('sync', `${path.join(local, 'files')}/`, `${bucket}/s3cmd/sync/`);
    assert.match(await sync(), /upload:/);
    assert.doesNotMatch(await sync(), /upload:/);
    await s3cmd('sync', `${bucket}/s3cmd/sync/`, `${path.join(local, 's3cmd')}/`);
    assert.deepEqual(
      await readFile(path.join(local, 's3cmd/deep/f 3 +ü&.bin')),
      await readFile(path.join(local, 'files/deep/f 3 +ü&.bin')),
    );
    await s3cmd('del', `${bucket}/s3cmd/large`);
    // Directories remain until they are removed themselves.
    for (let times = 0; times < 5; times++) await s3cmd('del', '--recursive', '--force', `${bucket}/s3cmd/`);
    assert.equal(await s3cmd('ls', '--recursive', `${bucket}/s3cmd/`), '');
  });
});
