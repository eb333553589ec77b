/** Exit codes of the program. */
export const EXIT_CODES = {
  /** All expectations were met. */
  passed: 0,
  /** A job violated an expectation. */
  failed: 1,
  /** A test could not run, such as because of an invalid file or a worker that cannot start. */
  cannotRun: 2,
  /** A signal interrupted the program: 128 and the number of the signal. */
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

/** Lowest exit code after an interruption. */
export const FIRST_SIGNAL_CODE = 129;

/** A problem outside the tests. The program prints the message and exits with `cannotRun`. */
export class CannotRunError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotRunError';
  }
}
