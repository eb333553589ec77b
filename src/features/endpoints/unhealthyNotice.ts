import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../kit/commandIds.ts';
import type { Subscription } from '../../kit/emitter.ts';
import { KeyedState, type StateStorage } from '../../kit/keyedState.ts';
import type { Log } from '../../kit/log.ts';
import { showMessage } from '../../kit/messages.ts';
import { oneOf } from '../../kit/smallSchema.ts';
import { joined, namedAtMost, shown, type ShownText } from '../../text/shownText.ts';
import type { ClaimedFailures } from '../../account/diagnosis/claimedFailures.ts';
import type { ObserveServices } from '../../account/diagnosis/observe.ts';
import { failureChanges } from './model/failingEndpoints.ts';

const EXPLAIN: CommandId = 'cloudCompute.endpoints.explain';
const LOGS: CommandId = 'cloudCompute.logs.open';

/** Time for which a notice waits for other endpoints that fail, too, in ms. */
const GROUP_MS = 3_000;
/** Maximum number of endpoints whose causes are read. Each takes several requests. */
const MAX_CAUSES = 10;

type Connections = ObserveServices['connections'] & { readonly profile: { readonly id: string } | undefined };

export interface UnhealthyNoticeServices extends ObserveServices {
  readonly connections: Connections;
  readonly claimedFailures: Pick<ClaimedFailures, 'has'>;
  readonly globalState: StateStorage;
  readonly log: Log;
}

/**
 * Shows one warning with the cause for all endpoints whose workers become unhealthy at about the same time. An endpoint is named again only
 * after it has recovered, even if the platform or the window restarts in the meantime.
 */
export function registerUnhealthyNotice(services: UnhealthyNoticeServices): Subscription {
  const { endpoints, connections, claimedFailures, clock, globalState, log } = services;
  const known = new KeyedState(globalState, { name: 'endpoints.unhealthy', schema: oneOf(true), max: 500 });
  const disposed = new AbortController();
  let waiting: { readonly connectionId: string; readonly ids: Set<string> } | undefined;

  const subscription = endpoints.onDidChange(() => {
    const connectionId = connections.profile?.id;
    if (connectionId === undefined) return;
    const before = known.entries(connectionId);
    const { failing, recovered } = failureChanges(endpoints.endpoints, (id) => before.has(id));
    if (failing.length === 0 && recovered.length === 0) return;
    const ids = failing.map(({ endpoint }) => endpoint.id);
    const changes = [...recovered.map((id) => [id, undefined] as const), ...ids.map((id) => [id, true] as const)];
    known.change(connectionId, changes).catch((error: unknown) => log.warn('Could not store the failures', error));
    const unclaimed = ids.filter((id) => !claimedFailures.has(id));
    if (unclaimed.length === 0) return;
    if (waiting?.connectionId === connectionId) {
      for (const id of unclaimed) waiting.ids.add(id);
      return;
    }
    const group = { connectionId, ids: new Set(unclaimed) };
    waiting = group;
    const show = () => {
      if (waiting !== group) return;
      waiting = undefined;
      if (connections.profile?.id === connectionId) void showNotice(services, [...group.ids]);
    };
    clock.sleep(GROUP_MS, disposed.signal).then(show, () => undefined);
  });
  return {
    dispose: () => {
      disposed.abort();
      subscription.dispose();
    },
  };
}

interface Failure {
  readonly endpointId: string;
  readonly name: string;
  readonly workerId: string | undefined;
  readonly cause: string | undefined;
}

async function showNotice(services: ObserveServices, ids: readonly string[]): Promise<void> {
  const read = ids.length <= MAX_CAUSES;
  const failures = (await Promise.all(ids.map((id) => failureOf(services, id, read)))).flatMap((one) => one ?? []);
  const [first] = failures;
  if (!first) return;
  const explain = l10n.t('Explain');
  if (failures.length > 1) {
    const chosen = await showMessage('warning', groupWords(failures), explain);
    if (chosen === explain) await vscode.commands.executeCommand(EXPLAIN);
    return;
  }
  const { endpointId, name, workerId, cause } = first;
  const message = cause
    ? shown`A worker of “${name}” cannot run. ${cause}.`
    : shown`A worker of “${name}” cannot run. The log shows the reason.`;
  const logs = l10n.t('Show Logs');
  const chosen = await showMessage('warning', message, explain, logs);
  if (chosen === explain) await vscode.commands.executeCommand(EXPLAIN, { kind: 'endpoint', endpointId });
  const row = workerId === undefined ? { kind: 'endpoint', endpointId } : { kind: 'worker', endpointId, workerId };
  if (chosen === logs) await vscode.commands.executeCommand(LOGS, row);
}

/** Names the endpoints, and their cause if it is the same. */
function groupWords(failures: readonly Failure[]): ShownText {
  const names = joined(namedAtMost(failures.map(({ name }) => shown`“${name}”`)), ', ');
  const [cause, ...others] = new Set(failures.map((one) => one.cause));
  return cause !== undefined && others.length === 0
    ? shown`Workers of ${failures.length} endpoints cannot run: ${names}. ${cause}.`
    : shown`Workers of ${failures.length} endpoints cannot run: ${names}.`;
}

/**
 * Resolves with undefined if the endpoint was deleted. Without a cause, the notice still tells where to look.
 *
 * @param read whether to read the cause
 */
async function failureOf(services: ObserveServices, endpointId: string, read: boolean): Promise<Failure | undefined> {
  const [{ diagnose }, { observe }] = await Promise.all([
    import('../../account/diagnosis/diagnose.ts'),
    import('../../account/diagnosis/observe.ts'),
  ]);
  const seen = read ? await observe(services, endpointId).catch(() => undefined) : undefined;
  const snapshot = services.endpoints.find(endpointId);
  if (!snapshot) return undefined;
  const diagnosis = seen && diagnose(seen);
  return {
    endpointId,
    name: snapshot.endpoint.name,
    workerId: snapshot.workers?.workers.find(({ status }) => status === 'UNHEALTHY')?.id,
    cause: diagnosis?.severity === 'trouble' ? diagnosis.headline : undefined,
  };
}
