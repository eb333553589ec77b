import * as vscode from 'vscode';
import type { Span } from '../text/span.ts';

type Provider = vscode.DocumentFormattingEditProvider & vscode.DocumentRangeFormattingEditProvider;

/** Formats manifests in JSON. */
export const jsonFormatting: Provider = {
  provideDocumentFormattingEdits: (document, options) => edits(document, options),
  provideDocumentRangeFormattingEdits: (document, { start, end }, options) =>
    edits(document, options, { start: document.offsetAt(start), end: document.offsetAt(end) }),
};

async function edits(
  document: vscode.TextDocument,
  { tabSize, insertSpaces }: vscode.FormattingOptions,
  span?: Span,
): Promise<vscode.TextEdit[]> {
  const { formatJson } = await import('../text/formatJson.ts');
  const eol = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  return formatJson(document.getText(), { tabSize, insertSpaces, eol }, span).map(({ start, end, text }) =>
    vscode.TextEdit.replace(new vscode.Range(document.positionAt(start), document.positionAt(end)), text),
  );
}
