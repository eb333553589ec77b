import * as vscode from 'vscode';
import { setContext } from '../../../kit/contextKeys.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { FIRST_STEPS, type CompletedSteps, type FirstStep } from '../../../account/completedSteps.ts';

/*
 * Completes the steps of the walkthrough by facts that stores report. The steps of other facts are completed where they happen: jobs, logs,
 * billing, and the deployment to a hosted platform.
 */

/** Sets the context key of each completed step, and follows the stores. */
export function followSteps(
  services: Pick<AccountServices, 'connections' | 'endpoints' | 'completedSteps'>,
): vscode.Disposable {
  const { completedSteps: steps, connections, endpoints } = services;
  for (const step of FIRST_STEPS) showStep(steps, step);
  return vscode.Disposable.from(
    steps.onDidComplete((step) => showStep(steps, step)),
    connections.onDidChange(() => {
      if (!steps.has('platform') && connections.client) steps.complete('platform');
    }),
    endpoints.onDidChange(() => {
      if (!steps.has('endpoint') && endpoints.endpoints.length > 0) steps.complete('endpoint');
    }),
  );
}

function showStep(steps: CompletedSteps, step: FirstStep): void {
  setContext(`cloudCompute.completed.${step}`, steps.has(step));
}
