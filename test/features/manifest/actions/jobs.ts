import { readLocalText } from '../../../../src/cli/localFiles.ts';
import { verificationJobs } from '../../../../src/features/jobs/expectations/actions/verificationJobs.ts';

/** The jobs of manifests on this machine. */
export const jobs = verificationJobs(readLocalText);
