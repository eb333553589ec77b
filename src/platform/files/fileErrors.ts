import { isStorageFull } from '../storageFull.ts';
import { S3Failure } from './s3Failure.ts';

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
