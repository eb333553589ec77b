import { S3_ERRORS, type S3ErrorCode } from '../../contract/s3/s3Errors.ts';

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
