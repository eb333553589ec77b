import * as vscode from 'vscode';
import type { ConnectionStore } from '../connections/connectionStore.ts';
import type { LocalPlatformStore } from './localPlatformStore.ts';
import { statusWords } from './localPlatformWords.ts';

/** Says in the status bar how the local platform is; a click offers what can be done. */
export function localPlatformStatusBar(
  localPlatform: LocalPlatformStore,
  connections: ConnectionStore,
): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('cloudCompute.localPlatform', vscode.StatusBarAlignment.Left, 9);
  item.name = 'Cloud Compute: Local Platform';
  item.command = 'cloudCompute.localPlatform.manage';
  const render = () => {
    const words = statusWords(localPlatform.state, connections.profile?.kind === 'local');
    if (!words) {
      item.hide();
      return;
    }
    item.text = words.text;
    item.tooltip = new vscode.MarkdownString(words.tooltip);
    item.accessibilityInformation = { label: words.spoken, role: 'button' };
    item.show();
  };
  render();
  return vscode.Disposable.from(item, localPlatform.onDidChange(render), connections.onDidChange(render));
}
