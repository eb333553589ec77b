import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { chosenEndpoint, chosenNodes } from '../../../account/endpoints/chosenEndpoints.ts';
import { controlOf } from '../../../account/localPlatform/platformControl.ts';
import type { XRayEvent } from '../../../contract/control/controlTraces.ts';
import { withProgress } from '../../../kit/progress.ts';
import { UserError } from '../../../kit/userError.ts';
import { shown, type Showable } from '../../../text/shownText.ts';
import { measureStart, MeasurementRefusal } from './actions/readStart.ts';
import type { StartDocuments } from './startDocuments.ts';

/** Shows the last start of the worker of a row. */
export async function showStart(
  { connections }: Pick<AccountServices, 'connections'>,
  documents: StartDocuments,
  args: readonly unknown[],
): Promise<void> {
  const [node] = chosenNodes(args);
  if (node?.kind !== 'worker') return;
  const { profile } = requireConnection(connections);
  await documents.show({ connectionId: profile.id, endpointId: node.endpointId, workerId: node.workerId });
}

/** Measures the start of a further worker of an endpoint of the local platform, and shows it. */
export async function xRayStart(
  services: Pick<AccountServices, 'clock' | 'connections' | 'localPlatform' | 'endpoints'>,
  documents: StartDocuments,
  args: readonly unknown[],
): Promise<void> {
  const { profile } = requireConnection(services.connections);
  if (profile.kind !== 'local') throw new UserError(l10n.t('only the local platform measures the start of a worker'));
  const chosen = await chosenEndpoint(services, args, l10n.t('Endpoint to measure a worker start on'));
  if (!chosen) return;
  const { id: endpointId, name } = chosen.endpoint;
  const { context } = await controlOf(services);
  const title = shown`Measuring the start of a worker of “${name}”`;
  const start = await withProgress(
    { title, location: vscode.ProgressLocation.Notification },
    async (signal, report) => {
      try {
        return await measureStart(context, endpointId, { signal, onProgress: (event) => report(words(event)) });
      } catch (error) {
        throw error instanceof MeasurementRefusal ? explained(error) : error;
      }
    },
  );
  await documents.show({ connectionId: profile.id, endpointId, workerId: start.workerId });
}

function words({ event, percent }: XRayEvent): Showable {
  if (event === 'waiting') return shown`Waiting for room…`;
  return percent === undefined ? shown`Starting…` : shown`Pulling the image, ${percent} %…`;
}

function explained({ problem, message }: MeasurementRefusal): UserError {
  switch (problem) {
    case 'noWorkers':
      return new UserError(l10n.t('the endpoint has a maximum of 0 workers'));
    case 'ended':
      return new UserError(l10n.t('the worker was stopped before it was ready'));
    default:
      return new UserError(l10n.t`the worker did not start: ${message}`);
  }
}
