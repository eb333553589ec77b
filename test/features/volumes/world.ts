import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createControlClient } from '../../../src/client/controlClient.ts';
import { createClient } from '../../../src/client/client.ts';
import { systemClock } from '../../../src/client/clock.ts';
import type { Fetch } from '../../../src/client/context.ts';
import { S3Files } from '../../../src/client/s3/s3Files.ts';
import { s3AccessOf, type S3Access } from '../../../src/client/s3/s3Connection.ts';
import { DATA_DIRECTORY } from '../../../src/contract/launch/localPlatform.ts';
import type { NetworkVolume } from '../../../src/contract/networkVolume.ts';
import { afterwards, dataDirectory, platformForTest } from '../../platform/support.ts';

/** A real platform with a volume of 10 GB, a client of its files, and a folder of the user. */
export async function volumeWorld() {
  const dataDir = await dataDirectory();
  const { platform } = await platformForTest({ dataDir });
  const { announcement } = platform;
  const client = createClient({ connection: announcement, fetch: globalThis.fetch, random: () => 0 });
  const volume: NetworkVolume = await client.createNetworkVolume({
    body: { name: 'models', size: 10, dataCenter: 'EU-RO-1' },
  });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-transfer-'));
  afterwards(() => rm(folder, { recursive: true, force: true }));
  const access = s3AccessOf(announcement);
  if (!access) throw new Error('the platform announces no S3 interface');
  const requests: string[] = [];
  /** Called before each request; an error is one of the network. */
  const network: { before: (request: string) => void } = { before: () => undefined };
  const fetch: Fetch = async (url, init) => {
    const request = `${init?.method ?? 'GET'} ${new URL(url).search}`;
    try {
      network.before(request);
    } catch (cause) {
      throw new TypeError('fetch failed', { cause });
    }
    requests.push(request);
    return globalThis.fetch(url, init);
  };
  const filesWith = (changed: Partial<S3Access> = {}): S3Files =>
    new S3Files({
      ...{ fetch, clock: systemClock, random: () => 0, onWait: undefined },
      ...{ access: { ...access, ...changed }, bucket: volume },
    });
  /** Writes a file of 10 GB as a worker does. It uses no space on the disk. */
  const fill = async (): Promise<void> => {
    const file = path.join(dataDir, DATA_DIRECTORY.volumes, volume.id, 'large');
    await writeFile(file, '');
    await truncate(file, 10_000_000_000);
  };
  /** Returns the files with a key that can only read. */
  const readOnlyFiles = async (): Promise<S3Files> => {
    const control = createControlClient({ connection: announcement, fetch: globalThis.fetch });
    const body = { name: 'reader', permissions: ['network-volumes:read'] };
    const { id, s3SecretAccessKey } = await control.createApiKey({ body });
    return filesWith({ s3AccessKeyId: id, s3SecretAccessKey });
  };
  return { fill, readOnlyFiles, client, volume, folder, files: filesWith(), filesWith, requests, network };
}

export type VolumeWorld = Awaited<ReturnType<typeof volumeWorld>>;

const text = new TextEncoder();
export const bytesOf = (content: string): Uint8Array<ArrayBuffer> => text.encode(content);
