import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../kit/commandIds.ts';
import type { Subscription } from '../../kit/emitter.ts';
import { showMessage } from '../../kit/messages.ts';
import { shown } from '../../text/shownText.ts';
import type { EndpointNode } from '../../account/endpoints/endpointNode.ts';
import type { EndpointStore } from '../../account/endpoints/endpointStore.ts';

const LOGS: CommandId = 'cloudCompute.logs.open';

/** Shows a warning when a worker of an endpoint becomes unhealthy. Repeats it only after the endpoint has recovered. */
export function registerUnhealthyNotice(store: EndpointStore): Subscription {
  const notified = new Set<string>();
  return store.onDidChange(() => {
    for (const { endpoint, workers } of store.endpoints) {
      const worker = workers?.workers.find(({ status }) => status === 'UNHEALTHY');
      if (!worker) {
        notified.delete(endpoint.id);
      } else if (!notified.has(endpoint.id)) {
        notified.add(endpoint.id);
        showNotice(endpoint.name, { kind: 'worker', endpointId: endpoint.id, workerId: worker.id });
      }
    }
  });
}

function showNotice(name: string, node: EndpointNode): void {
  const show = l10n.t('Show Logs');
  const message = shown`A worker of “${name}” cannot run. The log shows the reason.`;
  void showMessage('warning', message, show).then((chosen) => {
    if (chosen === show) void vscode.commands.executeCommand(LOGS, node);
  });
}
