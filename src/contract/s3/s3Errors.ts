/* Codes of S3 errors with their statuses and messages. The code alone identifies an error. */

interface S3Failure {
  readonly status: number;
  readonly message: string;
}

export const S3_ERRORS = {
  AccessDenied: { status: 403, message: 'The key does not permit this operation.' },
  AuthorizationHeaderMalformed: { status: 400, message: 'The Authorization header is not valid.' },
  AuthorizationQueryParametersError: { status: 400, message: 'The parameters of the signature are not valid.' },
  BucketAlreadyOwnedByYou: { status: 409, message: 'The network volume exists already.' },
  BadDigest: { status: 400, message: 'The checksum in the request does not match the data that arrived.' },
  EntityTooLarge: { status: 400, message: 'The object is larger than the maximum size.' },
  EntityTooSmall: { status: 400, message: 'A part other than the last one is smaller than 5 MiB.' },
  IncompleteBody: { status: 400, message: 'The connection closed before the announced number of bytes arrived.' },
  InternalError: { status: 500, message: 'The platform failed to answer. Its log contains the cause.' },
  InvalidAccessKeyId: { status: 403, message: 'The access key does not exist.' },
  InvalidArgument: { status: 400, message: 'An argument is not valid.' },
  InvalidDigest: { status: 400, message: 'A checksum in the request is not valid.' },
  InvalidPart: { status: 400, message: 'A part was not found, or its ETag does not match.' },
  InvalidPartOrder: { status: 400, message: 'The parts are not in ascending order.' },
  InvalidRange: { status: 416, message: 'The object does not contain the range.' },
  InvalidRequest: { status: 400, message: 'The request is not valid.' },
  /** Not a code of the original S3, where keys are not paths. */
  KeyIsDirectory: { status: 409, message: 'A directory has the name of the key.' },
  KeyTooLongError: { status: 400, message: 'The key, or a part of it between slashes, is too long.' },
  MalformedXML: { status: 400, message: 'The XML of the request is not well-formed, or has another shape.' },
  MetadataTooLarge: { status: 400, message: 'The metadata is larger than 2 KB.' },
  MethodNotAllowed: { status: 405, message: 'This resource does not support the method.' },
  MissingContentLength: { status: 411, message: 'The Content-Length header is required.' },
  NoSuchBucket: { status: 404, message: 'The network volume does not exist.' },
  NoSuchKey: { status: 404, message: 'The object does not exist.' },
  NoSuchUpload: { status: 404, message: 'The multipart upload does not exist.' },
  NotImplemented: { status: 501, message: 'The platform does not support this operation.' },
  NotModified: { status: 304, message: 'The object has not changed.' },
  OperationAborted: { status: 409, message: 'Another operation changed the object at the same time. Try again.' },
  /** Not a code of the original S3, where keys are not paths. */
  ParentIsFile: { status: 409, message: 'A part of the path of the key is a file or a link.' },
  PreconditionFailed: { status: 412, message: 'A condition of the request does not hold.' },
  QuotaExceeded: { status: 403, message: 'The network volume is full.' },
  RequestTimeTooSkewed: {
    status: 403,
    message: 'The time of the request differs too much from the clock of the platform.',
  },
  ServiceUnavailable: { status: 503, message: 'The platform is not ready. Try again.' },
  SignatureDoesNotMatch: { status: 403, message: 'The signature does not match the request and the secret key.' },
  StorageFull: { status: 507, message: 'The disk of the platform is full.' },
  XAmzContentSHA256Mismatch: { status: 400, message: 'The digest in x-amz-content-sha256 does not match the body.' },
} as const satisfies Readonly<Record<string, S3Failure>>;

export type S3ErrorCode = keyof typeof S3_ERRORS;

export const isS3ErrorCode = (code: string): code is S3ErrorCode => Object.hasOwn(S3_ERRORS, code);
