import * as l10n from '@vscode/l10n';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { pick, type ShownItem } from '../../../kit/quickInput.ts';
import { openTerminal } from '../../../kit/terminals.ts';
import { oneLine } from '../../../text/shownText.ts';
import { consoleUrl } from '../../../account/endpoints/consoleUrl.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { createSshConfig, identityFile, readSshConfig, sshConfigFile } from './actions/sshFiles.ts';
import { insertHost, lineOfHost, sshAlias } from './model/sshConfig.ts';

export interface WantedAccess {
  /** ID or name of the endpoint. */
  readonly endpoint: string;
  readonly workerId?: string | undefined;
  readonly wanted: 'terminal' | 'debugger';
}

interface Way extends ShownItem {
  readonly go: () => unknown;
}

/**
 * Offers ways to a worker of a hosted platform, whose interface gives no address of it: its console, and SSH. Returns false, and shows nothing,
 * for the local platform and for an unknown endpoint.
 *
 * @param home directory with the files of OpenSSH
 */
export async function offerAccess(
  { connections, endpoints }: Pick<AccountServices, 'connections' | 'endpoints'>,
  { endpoint: named, workerId, wanted }: WantedAccess,
  home: string = homedir(),
): Promise<boolean> {
  const { profile } = connections;
  if (profile?.kind !== 'hosted') return false;
  const all = endpoints.endpoints.map(({ endpoint }) => endpoint);
  const endpoint = all.find(({ id }) => id === named) ?? all.find(({ name }) => name === named);
  if (!endpoint) return false;
  const title = workerId === undefined ? endpoint.name : l10n.t`${endpoint.name} (worker ${workerId})`;
  const page = consoleUrl(profile, endpoint.id);
  const where = page ?? l10n.t('The console of the platform shows the values.');
  const ssh = await sshWays({ alias: sshAlias(endpoint.name, workerId), comment: `${title}. ${where}`, home });
  const ways = [
    ...(wanted === 'debugger' ? [localWay] : []),
    ...ssh.known,
    consoleWay(page, profile.baseUrl),
    ssh.host,
  ];
  const placeholder =
    wanted === 'terminal'
      ? l10n.t('This platform offers no terminals. Choose another way to the worker.')
      : l10n.t('This platform offers no debugger. Choose another way to the worker.');
  const chosen = await pick<Way>(ways, { title, placeholder });
  await chosen?.go();
  return true;
}

const localWay: Way = {
  label: l10n.t('Switch to the Local Platform…'),
  detail: l10n.t('Create the endpoint there, and debug its worker or the replay of a job.'),
  icon: new vscode.ThemeIcon('vm'),
  go: () => vscode.commands.executeCommand('cloudCompute.connections.switch'),
};

function consoleWay(page: string | undefined, baseUrl: string): Way {
  if (page !== undefined)
    return {
      label: l10n.t('Open Console'),
      detail: page,
      icon: new vscode.ThemeIcon('link-external'),
      go: () => vscode.env.openExternal(vscode.Uri.parse(page, true)),
    };
  return {
    label: l10n.t('Set Console Address…'),
    detail: l10n.t`No console address is set for ${new URL(baseUrl).host}.`,
    icon: new vscode.ThemeIcon('settings-gear'),
    go: () => vscode.commands.executeCommand('workbench.action.openSettings', 'cloudCompute.consoleAddresses'),
  };
}

interface Place {
  readonly alias: string;
  readonly comment: string;
  readonly home: string;
}

/** Returns the way to a prepared host, if it is prepared, and the one that prepares or edits it. */
async function sshWays(place: Place): Promise<{ readonly known: readonly Way[]; readonly host: Way }> {
  const { alias, home } = place;
  if (lineOfHost(await readSshConfig(home), alias) === undefined) {
    const host = {
      label: l10n.t('Prepare SSH Host'),
      description: alias,
      detail: l10n.t('Adds it to ~/.ssh/config, for the values in the console. The image needs an SSH server.'),
      icon: new vscode.ThemeIcon('remote'),
      go: () => editHost(place),
    };
    return { known: [], host };
  }
  const connect = {
    label: l10n.t('Connect with SSH'),
    description: `ssh ${alias}`,
    icon: new vscode.ThemeIcon('terminal'),
    go: () => openTerminal({ name: alias, directory: home }).sendText(`ssh ${alias}`),
  };
  const edit = { label: l10n.t('Edit SSH Host'), description: '~/.ssh/config', icon: new vscode.ThemeIcon('edit') };
  return { known: [connect], host: { ...edit, go: () => editHost(place) } };
}

/** Shows the block of a host in the configuration. Adds it if there is none, and leaves the file for the user to save. */
async function editHost({ alias, comment, home }: Place): Promise<void> {
  await createSshConfig(home);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(sshConfigFile(home)));
  const editor = await vscode.window.showTextDocument(document);
  const text = document.getText();
  const known = lineOfHost(text, alias);
  if (known !== undefined) {
    const { range } = document.lineAt(known);
    editor.selection = new vscode.Selection(range.start, range.start);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return;
  }
  const { line, snippet } = insertHost(text, {
    ...{ alias, comment: oneLine(comment) },
    identityFile: await identityFile(home),
  });
  const position =
    line === undefined ? document.lineAt(document.lineCount - 1).range.end : new vscode.Position(line, 0);
  await editor.insertSnippet(new vscode.SnippetString(snippet), position);
}
