import { S3_ERRORS, type S3ErrorCode } from '../../contract/s3/s3Errors.ts';
import { S3ErrorDocument } from '../../contract/s3/s3Documents.ts';
import { writeXml } from '../../contract/s3/xml.ts';
import { isStorageFull } from '../storageFull.ts';

/** Thrown if a request of the S3 interface is refused. */
export class S3Failure extends Error {
  readonly code: S3ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  /** @param detail message in place of that of the code */
  constructor(code: S3ErrorCode, detail: string = S3_ERRORS[code].message, headers: S3Failure['headers'] = {}) {
    super(detail);
    this.name = 'S3Failure';
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return S3_ERRORS[this.code].status;
  }
}

/** The platform itself has no limit, and so no code, for too many requests of S3. */
const TOO_MANY_REQUESTS = 429;

/** Returns the document of an error with any status, such as that of an injected fault. Its code is one that has the status. */
export function s3ErrorBody(
  status: number,
  message: string,
  path: string,
): { readonly type: string; readonly body: string } {
  const fallback: S3ErrorCode = status < 500 ? 'InvalidRequest' : 'InternalError';
  const codes = Object.keys(S3_ERRORS) as S3ErrorCode[];
  const Code =
    status === TOO_MANY_REQUESTS
      ? 'SlowDown'
      : ([fallback, ...codes].find((code) => S3_ERRORS[code].status === status) ?? fallback);
  return {
    type: 'application/xml',
    body: writeXml(S3ErrorDocument, { Code, Message: message, Resource: path, RequestId: '' }),
  };
}

const NO_ACCESS = 'The platform may not change or read this file: a worker owns it.';

/** Returns the failure to report for an error. The cause of an InternalError belongs into the log. */
export function failureOf(error: unknown): S3Failure {
  if (error instanceof S3Failure) return error;
  if (isStorageFull(error)) return new S3Failure('StorageFull', undefined, { 'Retry-After': '5' });
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new S3Failure('AccessDenied', NO_ACCESS);
    case 'ENAMETOOLONG':
      return new S3Failure('KeyTooLongError');
    case 'ENOTDIR':
      return new S3Failure('ParentIsFile');
    case 'EISDIR':
      return new S3Failure('KeyIsDirectory');
    case 'EILSEQ':
    case 'EINVAL':
      return new S3Failure('InvalidArgument', 'The file system of the platform does not allow the key.');
    default:
      return new S3Failure('InternalError');
  }
}
