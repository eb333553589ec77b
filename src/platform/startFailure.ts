import type { PlatformExitReason } from '../contract/launch/platformExit.ts';

export interface StartFailureDetails {
  /** Remedy on the command line. */
  readonly remedy?: string;
  readonly cause?: unknown;
}

/** The platform cannot start, or cannot continue. The message is one line with the problem and the remedy on the command line. */
export class StartFailure extends Error {
  readonly reason: PlatformExitReason;
  /** The problem without the remedy, for programs that show their own remedies. */
  readonly problem: string;

  constructor(reason: PlatformExitReason, problem: string, { remedy, cause }: StartFailureDetails = {}) {
    super(remedy === undefined ? problem : `${problem}: ${remedy}`, { cause });
    this.name = 'StartFailure';
    this.reason = reason;
    this.problem = problem;
  }
}
