import { UserError } from '../../../kit/userError.ts';
import type { Showable } from '../../../text/shownText.ts';

/**
 * Reasons why a gate cannot run.
 *
 * - `invalidManifest`: the manifest has errors, or it has no endpoint that takes jobs.
 * - `noRecordings`: no job of the endpoint is recorded.
 * - `noRepository`: the manifest is in no git repository.
 * - `noRevision`: the revision does not exist, or there is no earlier one.
 * - `notInRevision`: the revision does not have the manifest, or has an invalid one.
 * - `noStart`: a worker cannot start, or its endpoint cannot be created.
 * - `noPlatform`: the platform cannot start, or has ended.
 * - `notDeleted`: an endpoint of the gate could not be deleted.
 */
export type GateProblem =
  | 'invalidManifest'
  | 'noRecordings'
  | 'noRepository'
  | 'noRevision'
  | 'notInRevision'
  | 'noStart'
  | 'noPlatform'
  | 'notDeleted';

export class GateError extends UserError {
  readonly code: GateProblem;

  constructor(code: GateProblem, message: Showable) {
    super(message);
    this.name = 'GateError';
    this.code = code;
  }
}
