import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { FIRST_STEPS } from '../../../account/completedSteps.ts';
import { setContext } from '../../../kit/contextKeys.ts';

/** ID in package.json. */
const WALKTHROUGH = 'getStarted';

/** Opens the walkthrough beside the endpoints view, with a check mark at each completed step. */
export async function openWalkthrough({
  context,
  completedSteps,
}: Pick<AccountServices, 'context' | 'completedSteps'>): Promise<void> {
  const setSteps = (isShown: boolean): void => {
    for (const step of FIRST_STEPS) setContext(`cloudCompute.completed.${step}`, isShown && completedSteps.has(step));
  };
  await vscode.commands.executeCommand('cloudCompute.endpoints.focus', { preserveFocus: true });
  // The editor loads the walkthrough when it opens for the first time, and checks off only the steps whose keys become true later.
  setSteps(false);
  await vscode.commands.executeCommand(
    'workbench.action.openWalkthrough',
    `${context.extension.id}#${WALKTHROUGH}`,
    false,
  );
  setSteps(true);
}
