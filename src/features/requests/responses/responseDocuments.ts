import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import { Documents } from '../../../kit/documents/documents.ts';
import type { Exchange } from '../send/exchange.ts';
import type { ExchangeStore } from '../send/exchangeStore.ts';
import { responseAddresses, titleOf, type ResponseContent, type ResponseDocument } from './responseAddress.ts';
import { responseContent, type ResponseSources } from './responseContent.ts';
import { RESPONSE_SCHEME } from '../requestShells.ts';

/** Interval between updates of a document while its response arrives, in ms. */
const UPDATE_EVERY_MS = 200;

interface Sources extends ResponseSources {
  readonly exchanges: ExchangeStore;
  readonly clock: Clock;
  readonly shell: DocumentShell;
}

/** Request of a document, from memory or from the history. */
export interface Titled {
  readonly id: string;
  readonly name?: string | undefined;
  readonly method: string;
  readonly path: string;
}

/** Returns the address of a document. @param extension of the file of a body */
export function responseUri(
  connectionId: string,
  request: Titled,
  content: ResponseContent,
  extension?: string,
): vscode.Uri {
  const address = { connectionId, requestId: request.id, content, extension };
  return vscode.Uri.from(responseAddresses.uri(address, titleOf(request)));
}

/** Provides responses as read-only files. Open documents follow their response. */
export class ResponseDocuments extends Documents<ResponseDocument> {
  readonly #exchanges: ExchangeStore;

  constructor(sources: Sources) {
    super({
      addresses: responseAddresses,
      shell: sources.shell,
      clock: sources.clock,
      read: async (address) => {
        const text = await responseContent(sources, address);
        return text === undefined ? undefined : { text };
      },
    });
    this.#exchanges = sources.exchanges;
  }

  override register(): vscode.Disposable {
    const subscription = this.#exchanges.onDidChange((exchange) => this.#follow(exchange));
    return vscode.Disposable.from(super.register(), subscription);
  }

  /** Updates the documents of a request soon, or immediately once it has ended. */
  #follow({ id, isActive }: Exchange): void {
    for (const { uri, address } of this.known) {
      if (address.requestId !== id) continue;
      if (isActive) this.refreshSoon(uri, UPDATE_EVERY_MS);
      else this.refresh(uri).catch(() => undefined);
    }
  }
}

const { Keyboard, Mouse } = vscode.TextEditorSelectionChangeKind;

/** Keeps the end of a response in view while it arrives, in editors whose cursor is on the last line. */
export function followEnd(exchanges: ExchangeStore): vscode.Disposable {
  const following = new Set<string>();
  const isResponse = ({ uri }: vscode.TextDocument) => uri.scheme === RESPONSE_SCHEME;
  const isAtEnd = ({ document, selection }: vscode.TextEditor) =>
    selection.isEmpty && document.lineCount > 3 && selection.active.line >= document.lineCount - 1;
  const isActive = ({ uri }: vscode.TextDocument) => {
    const address = responseAddresses.parse(uri);
    return address && exchanges.find(address.connectionId, address.requestId)?.isActive === true;
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
      const { document } = textEditor;
      if (!isResponse(document)) return;
      if (isAtEnd(textEditor)) following.add(document.uri.toString());
      // Other changes come from the growing document, and from this code.
      else if (kind === Keyboard || kind === Mouse) following.delete(document.uri.toString());
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (!isResponse(document) || !isActive(document)) return;
      if (!following.has(document.uri.toString())) return;
      for (const editor of vscode.window.visibleTextEditors) if (editor.document === document) revealEnd(editor);
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => void following.delete(uri.toString())),
  );
}

function revealEnd(editor: vscode.TextEditor): void {
  const { range } = editor.document.lineAt(editor.document.lineCount - 1);
  editor.selection = new vscode.Selection(range.end, range.end);
  editor.revealRange(new vscode.Range(range.end, range.end));
}
