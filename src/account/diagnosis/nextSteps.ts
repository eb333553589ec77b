import * as l10n from '@vscode/l10n';
import type { CommandId } from '../../kit/commandIds.ts';
import { startProblemWords, type StartRemedy } from '../endpoints/startProblems.ts';
import type { EndpointSnapshot } from '../endpoints/endpointSnapshot.ts';
import type { NextStep } from './diagnosis.ts';

/* The next steps of a diagnosis. */

export function step(title: string, why: string, command: CommandId, endpointId: string): NextStep {
  return { title, why, command, node: { kind: 'endpoint', endpointId } };
}

/** Returns the step that lets workers start without the GPUs that they wait for. */
export function noGpuSteps(snapshot: EndpointSnapshot): NextStep[] {
  const { remedies } = startProblemWords('noGpu', 'local');
  return remedies
    .filter(({ command }) => command === 'cloudCompute.endpoints.runWithoutGpus')
    .map((remedy) => stepOf(remedy, snapshot));
}

export function stepOf({ title, why, command }: StartRemedy, { endpoint }: EndpointSnapshot): NextStep {
  return step(title, why, command, endpoint.id);
}

export function editStep({ endpoint }: EndpointSnapshot, why: string): NextStep {
  return step(l10n.t('Edit Endpoint'), why, 'cloudCompute.endpoints.edit', endpoint.id);
}

export function showLogs({ endpoint }: EndpointSnapshot, workerId: string | undefined): NextStep[] {
  if (workerId === undefined) return [];
  return [
    {
      title: l10n.t('Show Logs'),
      why: l10n.t`Read the log of worker ${workerId}.`,
      command: 'cloudCompute.logs.open',
      node: { kind: 'worker', endpointId: endpoint.id, workerId },
    },
  ];
}
