import { appendFile } from 'node:fs/promises';
import { deployingSteps } from '../../features/manifest/model/deployment/deploymentPlan.ts';
import { EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { withEnvironment, type EnvironmentFlags } from './chosenEnvironment.ts';
import { readFolderPlan } from './folderPlan.ts';
import { planMarkdown } from './planMarkdown.ts';
import { planJson, planLines } from './planReport.ts';

export interface PlanFlags extends EnvironmentFlags {
  readonly json?: boolean | undefined;
  /** File to append the plan to, as Markdown. */
  readonly summary?: string | undefined;
  /** Whether images of `x-build` count as built. */
  readonly beforeBuild?: boolean | undefined;
}

/** Prints what a deployment of a folder would change. */
export function planCommand(flags: PlanFlags, surroundings: Surroundings): Promise<number> {
  const { write, signal } = surroundings;
  return withEnvironment(flags, surroundings, async (session, environment) => {
    const read = await readFolderPlan(session, { ...flags, environment }, signal);
    if (flags.json) write(session.json(planJson(read, session)));
    else for (const line of planLines(read, session)) write(`${session.hide(line)}\n`);
    if (flags.summary !== undefined) await appendFile(flags.summary, planMarkdown(read, session));
    if (read.problems.length > 0) return EXIT_CODES.failed;
    return deployingSteps(read.plan).length > 0 ? EXIT_CODES.changes : EXIT_CODES.done;
  });
}
