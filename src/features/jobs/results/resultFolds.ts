import * as vscode from 'vscode';
import { jobAddresses } from './jobAddress.ts';
import { deeperLines } from './resultText.ts';

/** Number of lines from which the document of a result opens with its deeper levels folded. */
const MIN_FOLDED_LINES = 200;

/**
 * Folds the deeper levels of a large result when it opens. The editor does so for ranges of one kind, which package.json enables for JSON. A
 * command would need the focus, which belongs to the user.
 */
export const resultFolds: vscode.FoldingRangeProvider = {
  provideFoldingRanges: (document) =>
    document.lineCount > MIN_FOLDED_LINES && jobAddresses.parse(document.uri)?.part === 'result'
      ? deeperLines(document.getText()).map(
          ([first, last]) => new vscode.FoldingRange(first, last, vscode.FoldingRangeKind.Imports),
        )
      : [],
};
