import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { ConnectedPoller, type ConnectedPlatform } from '../../account/connectedPoller.ts';
import { rowIdOf, rowUri } from '../../account/endpoints/rowUri.ts';
import { ALWAYS, SilencedAlerts } from '../../account/endpoints/silencedAlerts.ts';
import { listAll } from '../../client/listAll.ts';
import type { CommandId } from '../../kit/commandIds.ts';
import { registerFileMarks } from '../../kit/fileDecorations.ts';
import { KeyedState } from '../../kit/keyedState.ts';
import { showMessage } from '../../kit/messages.ts';
import { pick } from '../../kit/quickInput.ts';
import { number } from '../../kit/smallSchema.ts';
import { joined, shown, type ShownText } from '../../text/shownText.ts';
import { manifestContext, MANIFEST_GLOB, workspaceTree } from '../manifest/index.ts';
import { readManifests, type FoundManifest } from '../manifest/actions/readManifests.ts';
import { matchEndpoint } from '../manifest/model/deployment/matchEndpoint.ts';
import { EndpointWatch } from './actions/endpointWatch.ts';
import { alertWords } from './model/alertWords.ts';
import type { AlertEvent } from './model/evaluate.ts';

const EXPLAIN: CommandId = 'cloudCompute.endpoints.explain';
const METRICS: CommandId = 'cloudCompute.endpoints.showMetrics';

/** Pause between two looks, in ms. */
const INTERVAL_MS = 60_000;
/** Longest time for which a window without the focus lets another one tell first, in ms. */
const MAX_YIELD_MS = 10_000;

export type AlertServices = Pick<
  AccountServices,
  'connections' | 'clock' | 'log' | 'globalState' | 'context' | 'firingAlerts'
>;

/** Watches the endpoints of the manifests of this workspace, shows one notice per firing, and marks the rows of the endpoints. */
export function createAlerts(services: AlertServices): vscode.Disposable {
  const { connections, clock, log, globalState, context, firingAlerts } = services;
  const silenced = new SilencedAlerts(context.workspaceState);
  const told = new KeyedState(globalState, { name: 'alerts.told', schema: number, max: 500 });
  const marksChanged = new vscode.EventEmitter<vscode.Uri[]>();
  let watches = new Map<string, EndpointWatch>();
  let marks = new Map<string, ShownText>();
  let files: readonly FoundManifest<vscode.Uri>[] | undefined;

  const show = (sentences: ReadonlyMap<string, readonly ShownText[]>) => {
    firingAlerts.replace(sentences);
    const next = new Map<string, ShownText>();
    for (const [endpointId, all] of sentences)
      next.set(String(rowUri({ kind: 'endpoint', endpointId })), joined(all, ' '));
    const uris = [...new Set([...marks.keys(), ...next.keys()])];
    marks = next;
    if (uris.length > 0) marksChanged.fire(uris.map((uri) => vscode.Uri.parse(uri, true)));
  };

  const tell = async (connectionId: string, endpoint: Named, event: AlertEvent, signal: AbortSignal) => {
    const key = keyOf(endpoint.id, event);
    const isDue = () =>
      told.get(connectionId, key) === undefined && !silenced.has(connectionId, endpoint.id, clock.now());
    if (!isDue()) return;
    // Another window of this workspace sees the same, and the one with the focus tells it.
    if (!vscode.window.state.focused) await clock.sleep(1_000 + Math.random() * MAX_YIELD_MS, signal);
    if (!isDue()) return;
    // Stored first, so that a notice that is open does not appear in another window too.
    await told.put(connectionId, key, event.since);
    void notify(services, silenced, { connectionId, endpoint, event });
  };

  const poll = async (platform: ConnectedPlatform) => {
    const { profile } = connections;
    if (!profile) return;
    files ??= await manifestsOfWorkspace(platform.signal);
    if (files.length === 0) return;
    const found = await findWatched(services, files, profile, platform);
    const before = watches;
    watches = new Map(found.map(({ endpoint }) => [endpoint.id, before.get(endpoint.id) ?? new EndpointWatch()]));
    const sentences = new Map<string, readonly ShownText[]>();
    for (const { endpoint, alerts } of found) {
      const watch = watches.get(endpoint.id);
      if (!watch) continue;
      try {
        await watch.look(platform.client, endpoint, alerts, platform.signal);
      } catch (error) {
        if (platform.signal.aborted) return;
        // It neither fires nor resolves a condition, and the other endpoints are looked at. The status bar shows an unreachable platform.
        log.info('Could not look at the conditions of an endpoint', error);
      }
      const { firing } = watch;
      if (firing.length > 0)
        sentences.set(
          endpoint.id,
          firing.map((event) => alertWords(event, endpoint.name)),
        );
      const holding = new Set(firing.map((event) => keyOf(endpoint.id, event)));
      const over = [...told.entries(profile.id).keys()].filter(
        (key) => key.startsWith(`${endpoint.id}/`) && !holding.has(key),
      );
      if (over.length > 0) await told.remove(profile.id, over);
      for (const event of firing)
        tell(profile.id, endpoint, event, platform.signal).catch((error: unknown) => {
          if (!platform.signal.aborted) log.warn('Could not tell an alert', error);
        });
    }
    show(sentences);
  };

  const poller = new ConnectedPoller({
    ...{ connections, clock },
    poll: async (platform) => {
      try {
        await poll(platform);
      } catch (error) {
        if (!platform.signal.aborted) log.info('Could not look at the conditions of manifests', error);
      }
    },
    interval: () => INTERVAL_MS,
    onConnection: () => {
      watches = new Map();
      show(new Map());
    },
  });
  // Alerts are for times in which the user looks elsewhere.
  poller.setFocused(true);
  poller.setVisible(true);
  const forget = () => {
    files = undefined;
    poller.wake();
  };
  const watcher = vscode.workspace.createFileSystemWatcher(MANIFEST_GLOB);
  return vscode.Disposable.from(
    new vscode.Disposable(() => poller.dispose()),
    watcher,
    ...[watcher.onDidChange(forget), watcher.onDidCreate(forget), watcher.onDidDelete(forget)],
    vscode.workspace.onDidChangeWorkspaceFolders(forget),
    registerFileMarks({
      onDidChange: marksChanged.event,
      markOf: (uri) => {
        const tooltip = rowIdOf(uri) === undefined ? undefined : marks.get(String(uri));
        return tooltip && Promise.resolve({ badge: '!', tooltip });
      },
    }),
    marksChanged,
  );
}

interface Named {
  readonly id: string;
  readonly name: string;
}

const keyOf = (endpointId: string, { condition }: AlertEvent): string => `${endpointId}/${condition}`;

/** Reads the manifests with conditions in all folders of the workspace. */
async function manifestsOfWorkspace(signal: AbortSignal): Promise<readonly FoundManifest<vscode.Uri>[]> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const found = await Promise.all(
    folders.map(async ({ uri }) => {
      // Most workspaces have none, and the search of the editor is fast.
      const pattern = new vscode.RelativePattern(uri, MANIFEST_GLOB);
      const [any] = await vscode.workspace.findFiles(pattern, '**/node_modules/**', 1);
      return any ? readManifests(workspaceTree, uri, signal) : [];
    }),
  );
  return found.flat().filter(({ content }) => 'text' in content && content.text.includes('x-alerts'));
}

/** Returns the endpoints of the manifests with conditions, in the environment of the window. */
async function findWatched(
  { context }: AlertServices,
  files: readonly FoundManifest<vscode.Uri>[],
  { id: connectionId, kind, name, baseUrl }: NonNullable<AlertServices['connections']['profile']>,
  { client, signal }: ConnectedPlatform,
) {
  const { findAlerted } = await import('./actions/findAlerted.ts');
  const { environment, linkedId } = await manifestContext(context.workspaceState, connectionId);
  const { manifests } = findAlerted(files, {
    target: kind,
    connection: { isLocal: kind === 'local', name, host: new URL(baseUrl).host },
    environment,
  });
  if (manifests.length === 0) return [];
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal, waits: 0 });
  return manifests.flatMap(({ place, part, names, name: own, alerts }) => {
    const address = { file: place.toString(), part: part.index, names, environment: part.environment?.name };
    const match = matchEndpoint({ name: own, linkedId: linkedId(address) }, endpoints);
    const endpoint = match.kind === 'one' ? endpoints.find(({ id }) => id === match.endpointId) : undefined;
    return endpoint ? [{ endpoint, alerts }] : [];
  });
}

interface Notice {
  readonly connectionId: string;
  readonly endpoint: Named;
  readonly event: AlertEvent;
}

async function notify(
  { clock }: AlertServices,
  silenced: SilencedAlerts,
  { connectionId, endpoint, event }: Notice,
): Promise<void> {
  const look = event.look === 'metrics' ? l10n.t('Show Metrics') : l10n.t('Explain');
  const silence = l10n.t('Silence…');
  const chosen = await showMessage('warning', alertWords(event, endpoint.name), look, silence);
  if (chosen === look)
    await vscode.commands.executeCommand(event.look === 'metrics' ? METRICS : EXPLAIN, {
      kind: 'endpoint',
      endpointId: endpoint.id,
    });
  if (chosen !== silence) return;
  const until = await pick(
    [
      { label: l10n.t('Until Tomorrow'), until: tomorrow(clock.now()) },
      { label: l10n.t('Always in This Workspace'), until: ALWAYS },
    ],
    { title: shown`Silence the alerts of “${endpoint.name}”` },
  );
  if (until) await silenced.silence(connectionId, endpoint.id, until.until);
}

/** Returns the next midnight, in ms since the epoch. */
function tomorrow(now: number): number {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime();
}
