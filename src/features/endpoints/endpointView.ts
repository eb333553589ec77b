import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { setContext } from '../../kit/contextKeys.ts';
import { explain } from '../../kit/explain.ts';
import { joined, NO_TEXT, shown, type ShownText } from '../../text/shownText.ts';
import { ShownTree } from '../../kit/trees.ts';
import { followVisibility } from '../../kit/visibility.ts';
import { UserError } from '../../kit/userError.ts';
import { PRICE_LISTS } from '../../account/liveValues/liveLists.ts';
import { LiveValuePoller } from '../../account/liveValues/liveValueStore.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { matches } from '../../account/endpoints/arrangement.ts';
import { consoleUrl } from '../../account/endpoints/consoleUrl.ts';
import type { EndpointsState } from '../../account/endpoints/endpointStore.ts';
import type { EndpointTreeProvider } from './endpointTreeProvider.ts';
import type { ViewOptionsStore } from './viewOptionsStore.ts';

/** Registers the tree view, with its description, badge, message, and automatic refresh. */
export function registerEndpointView(
  { log, clock, endpoints, connections, endpointReveal, liveValues }: AccountServices,
  provider: EndpointTreeProvider,
  options: ViewOptionsStore,
): vscode.Disposable {
  const view = new ShownTree('cloudCompute.endpoints', {
    treeDataProvider: provider,
    canSelectMany: true,
  });
  let loggedMessage: unknown;
  const showState = () => {
    const { state } = endpoints;
    setContext('cloudCompute.endpoints', state.kind);
    setContext('cloudCompute.endpointsError', state.kind === 'failed' ? state.error.kind : undefined);
    setContext(
      'cloudCompute.noQueues',
      state.kind === 'ready' && !endpoints.endpoints.some(({ endpoint }) => endpoint.type === 'QUEUE'),
    );
    // Logs a failure only once if it repeats in each round.
    if (state.kind === 'failed' && loggedMessage !== state.error.message)
      log.warn(explain(state.error, 'Could not read the endpoints').text);
    loggedMessage = state.kind === 'failed' ? state.error.message : undefined;
    view.setMessage(messageOf(state, options.arrangement.filter, provider.shown));
    view.setBadge(badgeOf(endpoints.endpoints.filter(({ inTrouble }) => inTrouble).length));
  };
  const showOptions = () => {
    setContext('cloudCompute.endpointsFiltered', options.arrangement.filter.trim() !== '');
    showState();
  };
  const showConnection = () => {
    const { profile } = connections;
    view.setDescription(profile?.name ?? '');
    setContext('cloudCompute.hasConsole', consoleUrl(profile, 'id') !== undefined);
  };
  const prices = new LiveValuePoller({ connections, clock, values: liveValues, lists: PRICE_LISTS });
  showOptions();
  showConnection();
  return vscode.Disposable.from(
    view,
    endpointReveal.attach(async (node) => {
      const snapshot = endpoints.find(node.endpointId);
      if (snapshot && !matches(snapshot, options.arrangement.filter))
        throw new UserError(l10n.t('the filter of the endpoints view hides it'), {
          label: l10n.t('Clear Filter'),
          command: 'cloudCompute.endpoints.clearFilter',
        });
      await view.reveal(node);
    }),
    followVisibility(endpoints, view, view.onDidChangeVisibility),
    prices,
    followVisibility(prices, view, view.onDidChangeVisibility),
    view.onDidCollapseElement(({ element }) => provider.onCollapsed(element)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('cloudCompute.consoleAddresses')) showConnection();
    }),
    endpoints.onDidChange(showState),
    options.onDidChange(showOptions),
    connections.onDidChange(showConnection),
  );
}

function badgeOf(inTrouble: number): vscode.ViewBadge | undefined {
  if (inTrouble === 0) return undefined;
  return {
    value: inTrouble,
    tooltip: inTrouble === 1 ? l10n.t('1 endpoint needs attention') : l10n.t`${inTrouble} endpoints need attention`,
  };
}

/**
 * Returns the message above the tree. It warns that the rows may be outdated or filtered. Without rows there is no message, because it would
 * replace the welcome text, which gives the reason and offers a button.
 */
function messageOf(state: EndpointsState, filter: string, matching: number): ShownText {
  if (state.kind === 'loading') return shown`Loading…`;
  if (state.kind === 'idle' || matching === 0) return NO_TEXT;
  const lines = [
    ...(state.kind === 'failed' ? [explain(state.error, l10n.t('This list may be out of date'))] : []),
    ...(filter.trim() === ''
      ? []
      : [
          state.endpoints.length === 1
            ? shown`${matching} of 1 endpoint matches “${filter.trim()}”`
            : shown`${matching} of ${state.endpoints.length} endpoints match “${filter.trim()}”`,
        ]),
  ];
  return joined(lines, ' · ');
}
