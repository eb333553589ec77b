import * as vscode from 'vscode';
import type { LocalFiles } from '../../../account/sourceLinks/localFiles.ts';
import { linksToPlaces } from '../../../account/sourceLinks/placeLinks.ts';
import { tracebackPlaces } from '../../../account/sourceLinks/tracebackPlaces.ts';
import type { JobDocuments } from './jobDocuments.ts';

/** Links the places of a traceback to the files of the worker on this machine. */
export class TracebackLinks implements vscode.DocumentLinkProvider {
  readonly #documents: JobDocuments;
  readonly #localFiles: LocalFiles;

  constructor(documents: JobDocuments, localFiles: LocalFiles) {
    this.#documents = documents;
    this.#localFiles = localFiles;
  }

  async provideDocumentLinks(document: vscode.TextDocument): Promise<vscode.DocumentLink[]> {
    if (this.#documents.addressOf(document.uri)?.part !== 'error') return [];
    const places = tracebackPlaces(document.getText());
    if (places.length === 0) return [];
    const { directory } = await this.#documents.jobOf(document.uri);
    const named = places.map((place) => ({
      range: new vscode.Range(document.positionAt(place.start), document.positionAt(place.end)),
      place,
    }));
    return linksToPlaces(named, directory, this.#localFiles);
  }
}
