import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../kit/commandIds.ts';
import type { Subscription } from '../../kit/emitter.ts';
import { showMessage } from '../../kit/messages.ts';
import { shown } from '../../text/shownText.ts';
import { diagnose } from '../../account/diagnosis/diagnose.ts';
import { observe, type ObserveServices } from '../../account/diagnosis/observe.ts';
import type { EndpointNode } from '../../account/endpoints/endpointNode.ts';

const LOGS: CommandId = 'cloudCompute.logs.open';
const EXPLAIN: CommandId = 'cloudCompute.endpoints.explain';

/** Shows a warning with the cause when a worker of an endpoint becomes unhealthy. Repeats it only after the endpoint has recovered. */
export function registerUnhealthyNotice(services: ObserveServices): Subscription {
  const { endpoints: store } = services;
  const notified = new Set<string>();
  return store.onDidChange(() => {
    for (const { endpoint, workers } of store.endpoints) {
      const worker = workers?.workers.find(({ status }) => status === 'UNHEALTHY');
      if (!worker) {
        notified.delete(endpoint.id);
      } else if (!notified.has(endpoint.id)) {
        notified.add(endpoint.id);
        void showNotice(services, endpoint.name, { kind: 'worker', endpointId: endpoint.id, workerId: worker.id });
      }
    }
  });
}

async function showNotice(
  services: ObserveServices,
  name: string,
  node: Extract<EndpointNode, { kind: 'worker' }>,
): Promise<void> {
  const { endpointId } = node;
  // Without the cause, the message still tells where to look.
  const seen = await observe(services, endpointId).catch(() => undefined);
  const diagnosis = seen && diagnose(seen);
  const message =
    diagnosis?.severity === 'trouble'
      ? shown`A worker of “${name}” cannot run: ${diagnosis.headline}.`
      : shown`A worker of “${name}” cannot run. The log shows the reason.`;
  const [explain, show] = [l10n.t('Explain'), l10n.t('Show Logs')];
  const chosen = await showMessage('warning', message, explain, show);
  if (chosen === explain) await vscode.commands.executeCommand(EXPLAIN, { kind: 'endpoint', endpointId });
  if (chosen === show) await vscode.commands.executeCommand(LOGS, node);
}
