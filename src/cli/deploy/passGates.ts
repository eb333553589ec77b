import { fileURLToPath } from 'node:url';
import { blockedParts } from '../../features/manifest/model/deployment/deploymentPlan.ts';
import { overrideGate } from '../../features/manifest/gate/actions/gateVerdicts.ts';
import { runPrivateGate, verdictLines } from '../gate/gateRun.ts';
import type { Surroundings } from '../program/surroundings.ts';
import type { FolderPlan } from './folderPlan.ts';

/** What happens to gates that have no verdict. */
export interface GateChoice {
  /** Whether they run before the deployment. */
  readonly gate?: boolean | undefined;
  /** Reason to deploy without them. */
  readonly skipGate?: string | undefined;
}

/**
 * Runs the gates that a plan needs, or lets its contents pass with a reason.
 *
 * @returns whether the plan must be read again
 * @throws CannotRunError if a gate cannot run
 */
export async function passGates(
  { plan, environment }: Pick<FolderPlan, 'plan' | 'environment'>,
  { gate, skipGate }: GateChoice,
  { surroundings, say }: { readonly surroundings: Surroundings; readonly say: (line: string) => void },
): Promise<boolean> {
  const waiting = blockedParts(plan).flatMap((part) =>
    part.obstacle.kind === 'gate' ? [{ ...part, gate: part.obstacle }] : [],
  );
  if (waiting.length === 0 || (gate !== true && skipGate === undefined)) return false;
  for (const { file, name = '', part, gate: obstacle } of waiting) {
    const manifest = fileURLToPath(file);
    if (skipGate !== undefined) {
      await overrideGate({ manifest, value: obstacle.value }, skipGate, Date.now());
      say(`“${name}” is deployed without its gate: ${skipGate}`);
      continue;
    }
    say(`Running the gate of “${name}”…`);
    const { result, hide } = await runPrivateGate({ manifest, part, environment: environment?.name }, surroundings);
    for (const line of verdictLines(result, hide)) say(line);
  }
  return true;
}
