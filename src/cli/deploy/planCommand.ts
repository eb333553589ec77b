import { deployingSteps } from '../../features/manifest/model/deployment/deploymentPlan.ts';
import { EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { withEnvironment, type EnvironmentFlags } from './chosenEnvironment.ts';
import { readFolderPlan } from './folderPlan.ts';
import { planJson, planLines } from './planReport.ts';

export interface PlanFlags extends EnvironmentFlags {
  readonly json?: boolean | undefined;
}

/** Prints what a deployment of a folder would change. */
export function planCommand(flags: PlanFlags, surroundings: Surroundings): Promise<number> {
  const { write, signal } = surroundings;
  return withEnvironment(flags, surroundings, async (session, environment) => {
    const read = await readFolderPlan(session, { ...flags, environment }, signal);
    if (flags.json) write(session.json(planJson(read, session)));
    else for (const line of planLines(read, session)) write(`${session.hide(line)}\n`);
    if (read.problems.length > 0) return EXIT_CODES.failed;
    return deployingSteps(read.plan).length > 0 ? EXIT_CODES.changes : EXIT_CODES.done;
  });
}
