import { localTests } from '../../../../src/cli/deploy/folderPlan.ts';

/** The tests of manifests on this machine. */
export const tests = localTests();
