import * as vscode from 'vscode';
import type { Clock } from '../../client/clock.ts';
import { Poller } from '../poller.ts';

/** Time between two reads of a document, in ms. */
const REFRESH_MS = 1_000;

/** Documents, some of which show running work. */
interface FollowedDocuments {
  readonly scheme: string;
  readonly onDidRead: vscode.Event<void>;
  refresh(uri: vscode.Uri): Promise<unknown>;
}

/** Reads visible documents again while they show running work. */
export function followVisible(
  documents: FollowedDocuments,
  { clock, goesOn }: { readonly clock: Clock; readonly goesOn: (uri: vscode.Uri) => boolean },
): vscode.Disposable {
  const followed = (): vscode.Uri[] =>
    vscode.window.visibleTextEditors
      .map(({ document }) => document.uri)
      .filter((uri) => uri.scheme === documents.scheme && goesOn(uri));
  const poller = new Poller({
    clock,
    // A document that cannot be read keeps its content, and is read again in the next round.
    poll: async () => void (await Promise.all(followed().map((uri) => documents.refresh(uri).catch(() => undefined)))),
    interval: () => REFRESH_MS,
  });
  const update = (): void => poller.setOn(followed().length > 0);
  return vscode.Disposable.from(
    documents.onDidRead(update),
    vscode.window.onDidChangeVisibleTextEditors(update),
    new vscode.Disposable(() => poller.setOn(false)),
  );
}
