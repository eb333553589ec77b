import * as vscode from 'vscode';

/** A store that reads data only for a visible view in a focused window. */
interface Watched {
  setVisible(visible: boolean): void;
  setFocused(focused: boolean): void;
}

/** Sets the visibility and focus of a store from its view and window, initially and at each change. */
export function followVisibility(
  store: Watched,
  view: { readonly visible: boolean },
  onDidChange: vscode.Event<unknown>,
): vscode.Disposable {
  store.setFocused(vscode.window.state.focused);
  store.setVisible(view.visible);
  return vscode.Disposable.from(
    onDidChange(() => store.setVisible(view.visible)),
    vscode.window.onDidChangeWindowState(({ focused }) => store.setFocused(focused)),
  );
}
