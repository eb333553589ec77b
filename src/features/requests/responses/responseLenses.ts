import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import { codeLens } from '../../../kit/marks.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import type { ExchangeStore } from '../send/exchangeStore.ts';
import { RESPONSE_SCHEME } from '../requestShells.ts';
import { responseAddresses } from './responseAddress.ts';

export const responseSelector: vscode.DocumentSelector = { scheme: RESPONSE_SCHEME };

/** Provides the actions at the top of a response. */
export class ResponseLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #exchanges: ExchangeStore;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #subscription: { dispose(): void };
  /** States of the requests, because the actions depend only on them. */
  readonly #states = new Map<string, string>();

  constructor(exchanges: ExchangeStore) {
    this.#exchanges = exchanges;
    this.#subscription = exchanges.onDidChange(({ id, state, socket, isActive }) => {
      const now = `${state.kind} ${socket !== undefined}`;
      if (this.#states.get(id) === now) return;
      if (isActive) this.#states.set(id, now);
      else this.#states.delete(id);
      this.#changed.fire();
    });
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const address = responseAddresses.parse(uri);
    if (!address || address.content === 'body') return [];
    const exchange = this.#exchanges.find(address.connectionId, address.requestId);
    const lens = (title: ShownText, tooltip: string, command: CommandId) =>
      codeLens(0, { title, tooltip, command, arguments: [uri] });
    if (exchange?.socket)
      return [
        lens(
          shown`$(send) Send Message…`,
          l10n.t('Sends a text message to the worker'),
          'cloudCompute.routes.sendMessage',
        ),
        lens(shown`$(debug-disconnect) Close`, l10n.t('Closes the connection'), 'cloudCompute.routes.closeSocket'),
      ];
    if (exchange?.isActive)
      return [
        lens(
          shown`$(debug-stop) Cancel`,
          l10n.t('Stops the request and keeps the received part'),
          'cloudCompute.routes.cancel',
        ),
      ];
    const again = lens(
      shown`$(debug-rerun) Send Again`,
      l10n.t('Sends the same request'),
      'cloudCompute.routes.sendAgain',
    );
    const request = lens(
      shown`$(json) Open Request`,
      l10n.t('Shows the request in its file'),
      'cloudCompute.routes.openRequest',
    );
    if (address.content === 'log') return [again, request];
    return [
      again,
      request,
      lens(
        shown`$(save-as) Save Body As…`,
        l10n.t('Writes the exact bytes of the body to a file'),
        'cloudCompute.routes.saveBody',
      ),
    ];
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}
