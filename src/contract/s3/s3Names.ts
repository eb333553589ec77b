/*
 * The subset of the S3 interface for the files of network volumes: a bucket for each volume, whose name is the ID of the volume. Addresses
 * have the path style, `/{volumeId}/{key}`. docs/volumes.md describes it.
 */

/** Region of the local platform. Requests may name any region, because the region is a part of the signature. */
export const S3_REGION = 'us-east-1';

/** Header names, in lowercase. */
export const S3_HEADERS = {
  date: 'x-amz-date',
  contentSha256: 'x-amz-content-sha256',
  decodedLength: 'x-amz-decoded-content-length',
  /** Names of the trailing headers of an `aws-chunked` body. */
  trailer: 'x-amz-trailer',
  trailerSignature: 'x-amz-trailer-signature',
  /** Algorithm of the checksum that an SDK sends in a trailer or a header. */
  checksumAlgorithm: 'x-amz-sdk-checksum-algorithm',
  /** `ENABLED` in a GET or HEAD request asks for the stored checksum. */
  checksumMode: 'x-amz-checksum-mode',
  checksumType: 'x-amz-checksum-type',
  /** `/{volumeId}/{key}` of the object to copy, percent-encoded. */
  copySource: 'x-amz-copy-source',
  copySourceRange: 'x-amz-copy-source-range',
  copySourceIfMatch: 'x-amz-copy-source-if-match',
  copySourceIfNoneMatch: 'x-amz-copy-source-if-none-match',
  copySourceIfModifiedSince: 'x-amz-copy-source-if-modified-since',
  copySourceIfUnmodifiedSince: 'x-amz-copy-source-if-unmodified-since',
  /** `COPY` (the default) or `REPLACE`. */
  metadataDirective: 'x-amz-metadata-directive',
  requestId: 'x-amz-request-id',
  bucketRegion: 'x-amz-bucket-region',
  storageClass: 'x-amz-storage-class',
} as const;

/** Prefix of the headers with a user's metadata. */
export const S3_METADATA_PREFIX = 'x-amz-meta-';

/** Metadata of the objects that the client uploads in parts: the size of all parts but the last, in bytes. The ETag depends on it. */
export const S3_PART_BYTES_HEADER = `${S3_METADATA_PREFIX}part-bytes`;

/** Prefix of the headers with checksums, followed by the lowercase name of an algorithm. */
export const S3_CHECKSUM_PREFIX = 'x-amz-checksum-';

/** Checksums that the local platform verifies, by the end of their header names. */
export const S3_CHECKSUMS = ['crc32', 'crc32c', 'sha1', 'sha256'] as const;
export type S3Checksum = (typeof S3_CHECKSUMS)[number];

/** Headers of an object that are kept with it, beside the user's metadata. */
export const S3_KEPT_HEADERS = [
  'content-type',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
] as const;

/** Query parameters. */
export const S3_QUERY = {
  algorithm: 'X-Amz-Algorithm',
  credential: 'X-Amz-Credential',
  date: 'X-Amz-Date',
  expires: 'X-Amz-Expires',
  signedHeaders: 'X-Amz-SignedHeaders',
  signature: 'X-Amz-Signature',
  listType: 'list-type',
  prefix: 'prefix',
  delimiter: 'delimiter',
  maxKeys: 'max-keys',
  /** `url` percent-encodes the keys in a listing, because XML cannot contain every character. */
  encodingType: 'encoding-type',
  continuationToken: 'continuation-token',
  startAfter: 'start-after',
  marker: 'marker',
  location: 'location',
  versioning: 'versioning',
  delete: 'delete',
  uploads: 'uploads',
  uploadId: 'uploadId',
  partNumber: 'partNumber',
  maxParts: 'max-parts',
  partNumberMarker: 'part-number-marker',
  maxUploads: 'max-uploads',
  keyMarker: 'key-marker',
  uploadIdMarker: 'upload-id-marker',
} as const;

/** Content type of an object without one. */
export const S3_DEFAULT_TYPE = 'binary/octet-stream';
/** Content type of a directory, whose key ends with a slash. */
export const S3_DIRECTORY_TYPE = 'application/x-directory';

/** Maximum length of a key, in bytes of UTF-8. */
export const S3_MAX_KEY_BYTES = 1_024;
/** Maximum number of entries on a page of a listing, and of keys in one deletion. */
export const S3_MAX_KEYS = 1_000;
/** Maximum size of one PUT and of one part, in bytes: 5 GiB. */
export const S3_MAX_PUT_BYTES = 5 * 1_073_741_824;
/** Minimum size of each part except the last, in bytes: 5 MiB. */
export const S3_MIN_PART_BYTES = 5 * 1_048_576;
/** Highest part number. */
export const S3_MAX_PARTS = 10_000;
/** Maximum size of the metadata of an object, in bytes. */
export const S3_MAX_METADATA_BYTES = 2_048;
/** Maximum size of an XML document, in bytes. */
export const S3_MAX_XML_BYTES = 1_048_576;
