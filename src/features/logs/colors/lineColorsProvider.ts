import * as vscode from 'vscode';
import { withSafeErrors } from '../../../kit/safeErrors.ts';
import { LOG_LANGUAGE } from '../logLanguage.ts';
import type { LineColor } from '../model/lineText.ts';
import { TOKEN_TYPES, type LineColors } from './lineColors.ts';

const LEGEND = new vscode.SemanticTokensLegend(Object.values(TOKEN_TYPES));
const INDEXES = Object.fromEntries(
  Object.entries(TOKEN_TYPES).map(([color, type]) => [color, LEGEND.tokenTypes.indexOf(type)]),
) as Readonly<Record<LineColor, number>>;

/** Colors the visible lines of logs as their programs did. The Output panel asks for ranges only. */
export function registerLineColors(colors: LineColors): vscode.Disposable {
  const provider: vscode.DocumentRangeSemanticTokensProvider = {
    provideDocumentRangeSemanticTokens: (document, range) => tokensOf(document, range, colors),
  };
  return vscode.languages.registerDocumentRangeSemanticTokensProvider(
    { language: LOG_LANGUAGE },
    withSafeErrors(provider),
    LEGEND,
  );
}

function tokensOf(document: vscode.TextDocument, range: vscode.Range, colors: LineColors): vscode.SemanticTokens {
  const tokens = new vscode.SemanticTokensBuilder(LEGEND);
  for (let line = range.start.line; line <= range.end.line; line++) {
    for (const { start, end, color } of colors.spansOf(document.lineAt(line).text))
      tokens.push(line, start, end - start, INDEXES[color]);
  }
  return tokens.build();
}
