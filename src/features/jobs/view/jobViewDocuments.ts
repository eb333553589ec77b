import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import { Documents } from '../../../kit/documents/documents.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { codeLens, documentLink } from '../../../kit/marks.ts';
import type { Showable } from '../../../text/shownText.ts';
import { viewDocumentAddresses, type ViewDocumentAddress } from './viewDocumentAddress.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { followVisible } from '../../../kit/documents/followVisible.ts';
import { withSafeErrors } from '../../../kit/safeErrors.ts';
import { colorWaterfalls } from '../../../kit/waterfalls.ts';
import { JOB_VIEW_SCHEME } from '../model/jobNames.ts';
import type { TimelineLine } from '../model/timeline/timelineText.ts';

const OPEN_FULL_LOG: CommandId = 'cloudCompute.logs.openFull';

/** An action above a line of a document, from 0. */
export interface DocumentAction {
  readonly line: number;
  readonly title: Showable;
  readonly tooltip: string;
  readonly command: CommandId;
  readonly argument: unknown;
}

/** The spans of a timeline, for the editors that show it. */
interface Timeline {
  readonly endpointId: string;
  readonly lines: readonly TimelineLine[];
  /** Whether the job has not ended. */
  readonly goesOn: boolean;
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

  /** Colors the bars of visible timelines, links their labels to log lines, and reads the timelines of running jobs again. */
  override register(): vscode.Disposable {
    const links: vscode.DocumentLinkProvider = { provideDocumentLinks: ({ uri }) => this.#linksOf(uri) };
    return vscode.Disposable.from(
      super.register(),
      colorWaterfalls({
        ...{ scheme: JOB_VIEW_SCHEME, onDidRead: this.onDidRead },
        textOf: (uri) => {
          const { text, timeline } = this.contentOf(uri) ?? {};
          return text !== undefined && timeline ? { text, lines: timeline.lines } : undefined;
        },
      }),
      followVisible(this, { clock: this.#clock, goesOn: (uri) => this.contentOf(uri)?.timeline?.goesOn === true }),
      vscode.languages.registerDocumentLinkProvider({ scheme: JOB_VIEW_SCHEME }, withSafeErrors(links)),
    );
  }

  /** Shows a document with its current content. @param name name of the job */
  async show(address: ViewDocumentAddress, name: string, content?: ViewDocument): Promise<void> {
    const uri = this.uriOf(address, name.replaceAll(':', '\u2236'));
    if (content) this.put(uri, content);
    else await this.refresh(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }
  async #linksOf(uri: vscode.Uri): Promise<vscode.DocumentLink[]> {
    const { timeline } = await this.load(uri);
    return (timeline?.lines ?? []).flatMap(({ number, labelStart, labelEnd, log }) => {
      if (!log) return [];
      const node: EndpointNode = { kind: 'worker', endpointId: timeline?.endpointId ?? '', workerId: log.workerId };
      const query = JSON.stringify([node, log.from]);
      const target = vscode.Uri.from({ scheme: 'command', path: OPEN_FULL_LOG, query });
      return [documentLink(new vscode.Range(number, labelStart, number, labelEnd), target, l10n.t('Show Log Lines'))];
    });
  }
}
