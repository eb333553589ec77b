import * as vscode from 'vscode';
import { withSafeErrors } from './safeErrors.ts';
import { safe, type Showable } from './text/shownText.ts';

export interface FileMark {
  /** At most two characters. */
  readonly badge: string;
  readonly tooltip: Showable;
  /** ID of a theme color. Default: no color. */
  readonly color?: string | undefined;
}

export interface FileMarks {
  /** Fired when the marks of these files change, or of all files if there is no value. */
  readonly onDidChange: vscode.Event<vscode.Uri | readonly vscode.Uri[] | undefined>;
  markOf(uri: vscode.Uri): Promise<FileMark | undefined> | undefined;
}

/** Registers badges of files in the Explorer and in tabs. */
export function registerFileMarks(marks: FileMarks): vscode.Disposable {
  const onDidChangeFileDecorations: vscode.FileDecorationProvider['onDidChangeFileDecorations'] = (listener, ...rest) =>
    marks.onDidChange(
      (uris) => void listener.call(rest[0], uris as vscode.Uri | vscode.Uri[] | undefined),
      undefined,
      rest[1],
    );
  return vscode.window.registerFileDecorationProvider({
    onDidChangeFileDecorations,
    ...withSafeErrors({
      provideFileDecoration: async (uri: vscode.Uri) => {
        const mark = await marks.markOf(uri);
        if (!mark) return undefined;
        const color = mark.color === undefined ? undefined : new vscode.ThemeColor(mark.color);
        return new vscode.FileDecoration(mark.badge, safe(mark.tooltip), color);
      },
    }),
  });
}
