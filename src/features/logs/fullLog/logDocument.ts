import * as vscode from 'vscode';
import type { LogPages, PageLine, ReadPage } from './actions/logPages.ts';
import type { PageAddress } from './model/pageAddress.ts';
import type { PageStructure } from './model/pageStructure.ts';
import { lineInRow, type PageText } from './model/pageText.ts';

/** The content of a document. */
export interface LogDocument {
  readonly address: PageAddress;
  /** The pages that the numbers of the lines refer to. */
  readonly pages: LogPages;
  /** Undefined if the page does not exist. */
  readonly page: ReadPage | undefined;
  readonly text: string;
  readonly shown: PageText;
  /** Number of the format of its lines. */
  readonly edition: number;
  /** Jobs and events, for folding and the outline. */
  readonly structure: () => PageStructure;
}

/** A position in the text of a line. */
export interface TextPlace {
  /** The line, or the nearest one. */
  readonly line: PageLine;
  /** Number of rows after the first row of the line. Negative for a heading before the line. */
  readonly rows: number;
  readonly column: number;
}

/** Returns the place of a position, or undefined in a document without lines. */
export function placeOf(
  { page, shown }: LogDocument,
  { line: row, character }: vscode.Position,
): TextPlace | undefined {
  const index = lineInRow(shown, row) ?? -1;
  const [line, place] = [page?.lines[index], shown.places[index]];
  return line && place && { line, rows: row - place.row, column: character };
}

/** Returns the position of a place, or undefined if the document does not contain its line. */
export function positionIn(
  { page, shown }: LogDocument,
  { line, rows, column }: TextPlace,
): vscode.Position | undefined {
  const index = page?.lines.findIndex((one) => one.log === line.log && one.line === line.line) ?? -1;
  const place = shown.places[index];
  return place && new vscode.Position(Math.max(place.row + rows, 0), column);
}
