/** Text in an address that stands for the data center of a volume, because a hosted platform can have an address for each. */
export const DATA_CENTER_MARK = '{data_center}';

/** Address and key of the S3 interface to the files of network volumes. */
export interface S3Access {
  /** Can contain `{data_center}`. Without a trailing slash. */
  readonly s3Url: string;
  readonly s3AccessKeyId: string;
  readonly s3SecretAccessKey: string;
}

/** A network volume, whose ID is the name of its bucket. */
export interface Bucket {
  readonly id: string;
  readonly dataCenter: string;
}

/** Returns the address for the volumes of a data center. Host names are in lowercase. */
export function s3Address(s3Url: string, { dataCenter }: Pick<Bucket, 'dataCenter'>): string {
  return s3Url.replaceAll(DATA_CENTER_MARK, dataCenter.toLowerCase());
}

/** Members of a connection that is not asked for them yet. */
export type KnownS3Access = { readonly [Name in keyof S3Access]?: string | undefined };

/** Returns the members of a connection that are about files. Undefined unless it has all of them. */
export function s3AccessOf({ s3Url, s3AccessKeyId, s3SecretAccessKey }: KnownS3Access): S3Access | undefined {
  if (s3Url === undefined || s3AccessKeyId === undefined || s3SecretAccessKey === undefined) return undefined;
  return { s3Url, s3AccessKeyId, s3SecretAccessKey };
}
