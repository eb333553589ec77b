import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import { documentLink } from '../../../kit/marks.ts';
import { withSafeErrors } from '../../../kit/safeErrors.ts';
import type { LocalFiles } from '../../../account/sourceLinks/localFiles.ts';
import { linksToPlaces, type NamedPlace } from '../../../account/sourceLinks/placeLinks.ts';
import { placesInLine } from '../../../account/sourceLinks/tracebackPlaces.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { LOG_LANGUAGE } from '../logLanguage.ts';
import { FULL_LOG_LINK } from '../model/followState.ts';
import { EXPLAIN_LINK } from '../model/trouble.ts';
import { noteLinkIn, type NoteLinkKind } from './noteLinks.ts';

/** The endpoint that a document with a log belongs to. */
export interface LinkedEndpoint {
  readonly endpointId: string;
  /** The workers' directory on this machine. */
  readonly directory: string | undefined;
}

export interface LogLinksOptions {
  /** Returns undefined for documents that are not logs. */
  readonly subjectOf: (document: vscode.TextDocument) => LinkedEndpoint | undefined;
  readonly localFiles: LocalFiles;
}

/** Number of the last lines of an output channel that have links. A channel can have very many lines, and changes often. */
const MAX_OUTPUT_LINES = 20_000;
/** Maximum number of links of each kind. The newest lines come first. */
const MAX_LINKS = 1_000;

/** Links source files, the explanation of the endpoint, and the full log in logs. */
export function registerLogLinks(options: LogLinksOptions): vscode.Disposable {
  const provider: vscode.DocumentLinkProvider = {
    provideDocumentLinks: (document, token) => linksIn(document, token, options),
  };
  return vscode.languages.registerDocumentLinkProvider({ language: LOG_LANGUAGE }, withSafeErrors(provider));
}

async function linksIn(
  document: vscode.TextDocument,
  token: vscode.CancellationToken,
  { subjectOf, localFiles }: LogLinksOptions,
): Promise<vscode.DocumentLink[]> {
  const subject = subjectOf(document);
  if (!subject) return [];
  const notes: vscode.DocumentLink[] = [];
  const places: NamedPlace[] = [];
  const least = document.uri.scheme === 'output' ? document.lineCount - MAX_OUTPUT_LINES : 0;
  for (let line = document.lineCount - 1; line >= least && line >= 0; line--) {
    const { text } = document.lineAt(line);
    const link = noteLinkIn(text);
    if (link && notes.length < MAX_LINKS)
      notes.push(commandLink(link.kind, new vscode.Range(line, link.start, line, link.end), subject));
    if (places.length >= MAX_LINKS) continue;
    for (const place of placesInLine(text))
      places.push({ range: new vscode.Range(line, place.start, line, place.end), place });
  }
  if (token.isCancellationRequested) return notes;
  return [...notes, ...(await linksToPlaces(places, subject.directory, localFiles))];
}

const COMMANDS: Readonly<Record<NoteLinkKind, { readonly command: CommandId; readonly tooltip: string }>> = {
  explain: { command: 'cloudCompute.endpoints.explain', tooltip: EXPLAIN_LINK },
  fullLog: { command: 'cloudCompute.logs.openFull', tooltip: FULL_LOG_LINK },
};

function commandLink(kind: NoteLinkKind, range: vscode.Range, { endpointId }: LinkedEndpoint): vscode.DocumentLink {
  const { command, tooltip } = COMMANDS[kind];
  const node: EndpointNode = { kind: 'endpoint', endpointId };
  // The full log of the panel can be that of one worker, which the command knows.
  const query = JSON.stringify(kind === 'explain' ? [node] : []);
  return documentLink(range, vscode.Uri.from({ scheme: 'command', path: command, query }), tooltip);
}
