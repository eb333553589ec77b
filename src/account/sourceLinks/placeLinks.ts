import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { documentLink } from '../../kit/marks.ts';
import type { LocalFiles } from './localFiles.ts';
import type { TracebackPlace } from './tracebackPlaces.ts';

/** A place, and the range of the document that names it. */
export interface NamedPlace {
  readonly range: vscode.Range;
  readonly place: TracebackPlace;
}

/** Maximum number of different files that one call looks for. */
const MAX_FILES = 100;

/** Resolves with links to the places whose files are on this machine. @param directory the worker's directory on this machine */
export async function linksToPlaces(
  named: readonly NamedPlace[],
  directory: string | undefined,
  localFiles: LocalFiles,
): Promise<vscode.DocumentLink[]> {
  const paths = [...new Set(named.map(({ place }) => place.path))].slice(0, MAX_FILES);
  const found = await Promise.all(paths.map((path) => localFiles.find(path, directory)));
  const files = new Map(paths.map((path, index) => [path, found[index]]));
  return named.flatMap(({ range, place }) => {
    const file = files.get(place.path);
    return file ? [documentLink(range, withLine(file, place), l10n.t('Open file'))] : [];
  });
}

/** Returns an address that the editor opens at the line of the place. */
function withLine(file: vscode.Uri, { line, column }: TracebackPlace): vscode.Uri {
  return file.with({ fragment: column === undefined ? `L${line}` : `L${line},${column}` });
}
