import { hkdfSync } from 'node:crypto';
import type { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import type { SecretBox } from '../secrets/secretBox.ts';

/*
 * Keys for the S3 interface. Signatures require the plain secret, but API keys are stored as digests. Every S3 secret is therefore derived
 * again when it is needed, so that none is stored: the owner's from the owner's API key, and those of other API keys from the key that
 * encrypts stored secrets. An S3 key has the permissions, the account, and the expiry of its API key, and ends with it.
 */

export interface S3Key {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const SECRET_BYTES = 30;
const ID_BYTES = 8;

/** Returns the owner's S3 key. It changes only with the owner's API key. */
export function ownerS3Key(apiKey: string): S3Key {
  const derived = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', apiKey, '', purpose, bytes));
  return {
    accessKeyId: `owner${derived('cloud-compute S3 access key ID', ID_BYTES).toString('hex')}`,
    secretAccessKey: derived('cloud-compute S3 secret access key', SECRET_BYTES).toString('base64url'),
  };
}

/** Returns the S3 key of an API key. Its access key ID is the ID of the API key. */
export function s3KeyOf(apiKeyId: string, secrets: Pick<SecretBox, 'derive'>): S3Key {
  return { accessKeyId: apiKeyId, secretAccessKey: secrets.derive(`S3 secret access key ${apiKeyId}`) };
}

/** Adds the owner's S3 key to the other parts of an announcement. */
export function withS3Key<About extends Pick<PlatformAnnouncement, 'apiKey'>>(
  about: About,
): About & Pick<PlatformAnnouncement, 's3AccessKeyId' | 's3SecretAccessKey'> {
  const { accessKeyId, secretAccessKey } = ownerS3Key(about.apiKey);
  return { ...about, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey };
}
