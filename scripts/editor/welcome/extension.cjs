'use strict';
const vscode = require('vscode');

/** Opens the walkthrough, unless the window has restored its editors. */
exports.activate = async () => {
  const isEmpty = vscode.window.tabGroups.all.every(({ tabs }) => tabs.length === 0);
  if (isEmpty) await vscode.commands.executeCommand('cloudCompute.walkthrough.open');
};
