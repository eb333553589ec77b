/** Exit codes that several commands share. */
export const EXIT_CODES = {
  done: 0,
  /** The command could not do its work, for example because of an invalid manifest or a platform that refused it. */
  failed: 1,
  /** A deployment would change something. Only `plan` has this code. */
  changes: 2,
  /** A test could not run, for example because of an invalid file or a worker that cannot start. */
  cannotTest: 2,
  /** A load test could not run, or its cost cap ended it. */
  cannotLoad: 2,
  /** Nothing could be simulated. */
  cannotTune: 2,
  /** The arguments are invalid: EX_USAGE of sysexits.h, which no result of a command has. */
  usage: 64,
  /** The Node.js that runs the program is too old: EX_UNAVAILABLE of sysexits.h. */
  unavailable: 69,
  /** A signal interrupted the program: 128 and the number of the signal. */
  SIGHUP: 129,
  SIGINT: 130,
  /** The reader of the output has ended, such as `head`. */
  SIGPIPE: 141,
  SIGTERM: 143,
} as const;

/** Lowest exit code after an interruption. */
export const FIRST_SIGNAL_CODE = 129;

/** A problem that the program reports in one line, without a stack. */
export class CannotRunError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT_CODES.failed) {
    super(message);
    this.name = 'CannotRunError';
    this.exitCode = exitCode;
  }
}
