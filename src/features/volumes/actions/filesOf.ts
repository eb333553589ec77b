import type { Clock } from '../../../client/clock.ts';
import type { S3Access } from '../../../client/s3/s3Connection.ts';
import { S3Files } from '../../../client/s3/s3Files.ts';
import type { NetworkVolume } from '../../../contract/networkVolume.ts';

/** Returns a client of the files of a volume, with the global fetch, which uses the user's proxy and certificates. */
export function filesOf(
  { clock }: { readonly clock: Clock },
  access: S3Access,
  bucket: Pick<NetworkVolume, 'id' | 'dataCenter'>,
): S3Files {
  return new S3Files({ fetch: globalThis.fetch, clock, random: Math.random, onWait: undefined, access, bucket });
}
