import { deployingSteps } from '../../features/manifest/model/deployment/deploymentPlan.ts';
import { withSession, type ConnectionOptions } from '../connection/openSession.ts';
import { EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { readFolderPlan } from './folderPlan.ts';
import { planJson, planLines } from './planReport.ts';

export interface PlanFlags extends ConnectionOptions {
  readonly folder: string;
  readonly json?: boolean | undefined;
}

/** Prints what a deployment of a folder would change. */
export function planCommand(flags: PlanFlags, surroundings: Surroundings): Promise<number> {
  const { write, signal } = surroundings;
  return withSession(flags, surroundings, async (session) => {
    const read = await readFolderPlan(session, flags.folder, signal);
    if (flags.json) write(session.json(planJson(read, session)));
    else for (const line of planLines(read, session)) write(`${session.hide(line)}\n`);
    if (read.problems.length > 0) return EXIT_CODES.failed;
    return deployingSteps(read.plan).length > 0 ? EXIT_CODES.changes : EXIT_CODES.done;
  });
}
