import { showMessage } from '../../../kit/messages.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import type { ChosenInput } from '../chooseInput.ts';
import type { JobServices } from '../jobServices.ts';
import { inputWarning, type RunKind } from '../model/jobInput.ts';
import { runJob, type RunServices } from './runJob.ts';

export type RunCommandServices = RunServices & Pick<JobServices, 'liveValues' | 'manifests'>;

/** Runs a job with an input, after the user has agreed to the costs. */
export async function submitInput(
  services: RunCommandServices,
  { endpoint }: EndpointSnapshot,
  input: ChosenInput,
  kind: RunKind,
): Promise<void> {
  const { profile } = requireConnection(services.connections);
  const { id, name } = endpoint;
  const pricePerHour = workerPrice(endpoint, services.liveValues.current);
  const requests = { endpointName: name, count: 1, price: pricePerHour };
  if (!(await mayRunOn(services.context.workspaceState, profile, requests))) return;
  const warning = profile.kind === 'hosted' ? inputWarning(input.body) : undefined;
  if (warning !== undefined) void showMessage('warning', warning);
  const run = { connectionId: profile.id, endpointId: id, endpointName: name, pricePerHour, ...input };
  await runJob(services, run, kind);
}
