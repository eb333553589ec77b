import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import { Documents } from '../../../kit/documents/documents.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { codeLens } from '../../../kit/marks.ts';
import { shortRequestId } from '../../../text/shortRequestId.ts';
import type { Showable } from '../../../text/shownText.ts';
import { viewDocumentAddresses, type ViewDocumentAddress } from './viewDocumentAddress.ts';

/** An action above a line of a document, from 0. */
export interface DocumentAction {
  readonly line: number;
  readonly title: Showable;
  readonly tooltip: string;
  readonly command: CommandId;
  readonly argument: unknown;
}

export interface ViewDocument {
  readonly text: string;
  readonly actions: readonly DocumentAction[];
}

/** Provides read-only documents about jobs: their requests and their log lines. */
export class JobViewDocuments extends Documents<ViewDocumentAddress, ViewDocument> {
  constructor(clock: Clock, shell: DocumentShell, read: (address: ViewDocumentAddress) => Promise<ViewDocument>) {
    super({
      addresses: viewDocumentAddresses,
      shell,
      clock,
      read,
      lenses: ({ actions }) =>
        actions.map(({ line, argument, ...action }) => codeLens(line, { ...action, arguments: [argument] })),
    });
  }

  /** Shows a document with its current content. @param name name of the endpoint, for the name of the document */
  async show(address: ViewDocumentAddress, name: string, content?: ViewDocument): Promise<void> {
    const uri = this.uriOf(address, `${name} ${shortRequestId(address.jobId)}`);
    if (content) this.put(uri, content);
    else await this.refresh(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }
}
