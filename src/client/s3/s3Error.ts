import { S3ErrorDocument } from '../../contract/s3/s3Documents.ts';
import { isS3ErrorCode, type S3ErrorCode } from '../../contract/s3/s3Errors.ts';
import { readXml } from '../../contract/s3/xml.ts';
import { ApiError, type ApiErrorDetails, type ErrorKind } from '../apiError.ts';

/** Error of the S3 interface. */
export class S3Error extends ApiError {
  /** Omitted if the service reports none, or one that is not known. */
  readonly s3Code: S3ErrorCode | undefined;

  constructor(
    kind: ErrorKind,
    message: string,
    details: ApiErrorDetails & { readonly s3Code?: S3ErrorCode | undefined },
  ) {
    super(kind, message, details);
    this.name = 'S3Error';
    this.s3Code = details.s3Code;
  }
}

/** Returns whether an error has one of the codes. */
export function hasS3Code(error: unknown, ...codes: readonly S3ErrorCode[]): boolean {
  return error instanceof S3Error && error.s3Code !== undefined && codes.includes(error.s3Code);
}

/** Codes of a key that the service does not accept. Other codes with the status 403 are about permissions. */
const REJECTED: readonly string[] = ['InvalidAccessKeyId', 'SignatureDoesNotMatch'];

/** Codes without a body, because the response to HEAD has none. */
const BY_STATUS: Readonly<Record<number, S3ErrorCode>> = {
  404: 'NoSuchKey',
  412: 'PreconditionFailed',
  403: 'AccessDenied',
};

/** Converts a response with an error status to an error. */
export function s3ErrorOf(
  operation: string,
  {
    status,
    text,
    retryAfterMs,
  }: { readonly status: number; readonly text: string; readonly retryAfterMs?: number | undefined },
): S3Error {
  const document = documentOf(text);
  const code = document?.Code ?? BY_STATUS[status];
  const s3Code = code !== undefined && isS3ErrorCode(code) ? code : undefined;
  const message = document?.Message ?? `the service responded with status ${status}`;
  return new S3Error(kindOf(status, code), document ? `${message} (${document.Code})` : message, {
    operation,
    status,
    s3Code,
    retryAfterMs,
    source: document ? 'body' : 'status',
  });
}

function kindOf(status: number, code: string | undefined): ErrorKind {
  if (status === 401 || (code !== undefined && REJECTED.includes(code))) return 'unauthorized';
  // A full volume is no matter of permissions.
  if (code === 'QuotaExceeded' || code === 'StorageFull' || code === 'RequestTimeTooSkewed') return 'validation';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'notFound';
  if (status === 429 || code === 'SlowDown') return 'rateLimited';
  return status < 500 || status === 501 ? 'validation' : 'server';
}

function documentOf(text: string) {
  try {
    return readXml(S3ErrorDocument, text);
  } catch {
    return undefined;
  }
}
