import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import { Documents } from '../../../kit/documents/documents.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { codeLens } from '../../../kit/marks.ts';
import type { Showable } from '../../../text/shownText.ts';
import { TimelineEditors, type Timeline } from './timelineEditors.ts';
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
  /** The spans of a timeline. */
  readonly timeline?: Timeline;
}

/** Provides read-only documents about jobs: their requests, their log lines, and their timelines. */
export class JobViewDocuments extends Documents<ViewDocumentAddress, ViewDocument> {
  readonly #clock: Clock;

  constructor(clock: Clock, shell: DocumentShell, read: (address: ViewDocumentAddress) => Promise<ViewDocument>) {
    super({
      addresses: viewDocumentAddresses,
      shell,
      clock,
      read,
      lenses: ({ actions }) =>
        actions.map(({ line, argument, ...action }) => codeLens(line, { ...action, arguments: [argument] })),
    });
    this.#clock = clock;
  }

  override register(): vscode.Disposable {
    return vscode.Disposable.from(super.register(), new TimelineEditors(this, this.#clock));
  }

  /** Shows a document with its current content. @param name name of the job */
  async show(address: ViewDocumentAddress, name: string, content?: ViewDocument): Promise<void> {
    const uri = this.uriOf(address, name.replaceAll(':', '\u2236'));
    if (content) this.put(uri, content);
    else await this.refresh(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }
}
