import type { PlatformExitReason } from '../contract/launch/platformExit.ts';

export interface StartFailureDetails {
  /** What to do about it on the command line. */
  readonly remedy?: string;
  readonly cause?: unknown;
}

/** The platform cannot start; the message is one line: the problem, and the remedy on the command line. */
export class StartFailure extends Error {
  readonly reason: PlatformExitReason;
  /** What is wrong, without the remedy: for programs that have remedies of their own. */
  readonly problem: string;

  constructor(reason: PlatformExitReason, problem: string, { remedy, cause }: StartFailureDetails = {}) {
    super(remedy === undefined ? problem : `${problem}: ${remedy}`, { cause });
    this.name = 'StartFailure';
    this.reason = reason;
    this.problem = problem;
  }
}
