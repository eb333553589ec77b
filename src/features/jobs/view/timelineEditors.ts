import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import type { Clock } from '../../../client/clock.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { followVisible } from '../../../kit/documents/followVisible.ts';
import { documentLink } from '../../../kit/marks.ts';
import { withSafeErrors } from '../../../kit/safeErrors.ts';
import { colorWaterfalls } from '../../../kit/waterfalls.ts';
import { JOB_VIEW_SCHEME } from '../model/jobNames.ts';
import type { TimelineLine } from '../model/timeline/timelineText.ts';

/** The spans of a timeline, for the editors that show it. */
export interface Timeline {
  readonly endpointId: string;
  readonly lines: readonly TimelineLine[];
  /** Whether the job has not ended. */
  readonly goesOn: boolean;
}

interface Shown {
  readonly text: string;
  readonly timeline?: Timeline;
}

/** The documents, some of which are timelines. */
interface TimelineDocuments {
  readonly scheme: string;
  readonly onDidRead: vscode.Event<void>;
  contentOf(uri: vscode.Uri): Shown | undefined;
  load(uri: vscode.Uri): Promise<Shown>;
  refresh(uri: vscode.Uri): Promise<Shown>;
}

const OPEN_FULL_LOG: CommandId = 'cloudCompute.logs.openFull';

/** Colors the bars of visible timelines, links their labels to log lines, and reads the timelines of running jobs again. */
export class TimelineEditors implements vscode.Disposable {
  readonly #documents: TimelineDocuments;
  readonly #subscriptions: vscode.Disposable;

  constructor(documents: TimelineDocuments, clock: Clock) {
    this.#documents = documents;
    const links: vscode.DocumentLinkProvider = { provideDocumentLinks: ({ uri }) => this.#linksOf(uri) };
    this.#subscriptions = vscode.Disposable.from(
      colorWaterfalls({
        ...{ scheme: JOB_VIEW_SCHEME, onDidRead: documents.onDidRead },
        textOf: (uri) => {
          const { text, timeline } = documents.contentOf(uri) ?? {};
          return text !== undefined && timeline ? { text, lines: timeline.lines } : undefined;
        },
      }),
      followVisible(documents, { clock, goesOn: (uri) => documents.contentOf(uri)?.timeline?.goesOn === true }),
      vscode.languages.registerDocumentLinkProvider({ scheme: JOB_VIEW_SCHEME }, withSafeErrors(links)),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #linksOf(uri: vscode.Uri): Promise<vscode.DocumentLink[]> {
    const { timeline } = await this.#documents.load(uri);
    return (timeline?.lines ?? []).flatMap(({ number, labelStart, labelEnd, log }) => {
      if (!log) return [];
      const node: EndpointNode = { kind: 'worker', endpointId: timeline?.endpointId ?? '', workerId: log.workerId };
      const query = JSON.stringify([node, log.from]);
      const target = vscode.Uri.from({ scheme: 'command', path: OPEN_FULL_LOG, query });
      return [documentLink(new vscode.Range(number, labelStart, number, labelEnd), target, l10n.t('Show Log Lines'))];
    });
  }
}
