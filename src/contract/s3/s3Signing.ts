/* Constants and encodings of Signature Version 4, for the client and the server. */

export const S3_ALGORITHM = 'AWS4-HMAC-SHA256';
/** First words of the string that the signature of a chunk, or of the trailers, signs. */
export const S3_CHUNK_ALGORITHM = 'AWS4-HMAC-SHA256-PAYLOAD';
export const S3_TRAILER_ALGORITHM = 'AWS4-HMAC-SHA256-TRAILER';
export const S3_SERVICE = 's3';
/** Last part of a credential scope, `{date}/{region}/s3/aws4_request`. */
export const S3_SCOPE_END = 'aws4_request';

/** Values of `x-amz-content-sha256` other than a digest. */
export const S3_PAYLOADS = {
  unsigned: 'UNSIGNED-PAYLOAD',
  signedChunks: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  signedChunksTrailer: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  unsignedChunksTrailer: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
} as const;

/** Digest of an empty body. */
export const S3_EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Maximum difference between the time of a request and the clock of the platform, in ms. */
export const S3_MAX_SKEW_MS = 15 * 60_000;
/** Maximum lifetime of a presigned address, in seconds: 7 days. */
export const S3_MAX_EXPIRES_S = 7 * 86_400;

/**
 * Percent-encodes a text as signatures and copy sources require: all bytes of UTF-8 except letters, digits, and `-._~`. `keepSlash` also
 * keeps slashes, as in a path.
 *
 * @throws URIError for a lone surrogate
 */
export function s3Encoded(text: string, { keepSlash = false } = {}): string {
  const encoded = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return keepSlash ? encoded.replaceAll('%2F', '/') : encoded;
}

/** Returns a time as signatures write it, such as `20260131T235959Z`. @param ms ms since the epoch */
export function s3DateTime(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
}
