import * as l10n from '@vscode/l10n';
import { code, formatted, joinedMarkdown, table, type Markdown } from '../../../text/markdown.ts';
import { joined, shown, type ShownText } from '../../../text/shownText.ts';
import type { LocalPlatformState } from '../../../account/localPlatform/localPlatformStore.ts';

/* Texts and actions for each state of the local platform. This module does not depend on VS Code. */

export interface StatusWords {
  /** Text of the status bar, with product icons. */
  readonly text: ShownText;
  readonly tooltip: Markdown;
  /** Label for screen readers. */
  readonly spoken: string;
}

const appearance: Record<LocalPlatformState['kind'], { readonly icon: string; readonly words: string }> = {
  stopped: { icon: 'vm-outline', words: l10n.t('stopped') },
  starting: { icon: 'loading~spin', words: l10n.t('starting…') },
  running: { icon: 'vm-running', words: l10n.t('running') },
  stopping: { icon: 'loading~spin', words: l10n.t('stopping…') },
  failed: { icon: 'error', words: l10n.t('failed') },
};

/** Returns the state within a sentence. */
export function stateWords({ kind }: LocalPlatformState): string {
  return appearance[kind].words.replace('…', '');
}

/**
 * Returns the texts of the status bar item. Undefined when the platform is stopped and is not the current connection.
 *
 * @param chosen whether the local platform is the current connection
 */
export function statusWords(state: LocalPlatformState, chosen: boolean): StatusWords | undefined {
  if (state.kind === 'stopped' && !chosen) return undefined;
  const { icon, words } = appearance[state.kind];
  return {
    text: shown`$(${icon}) Local: ${words}`,
    tooltip: joinedMarkdown([formatted`**Local platform**: ${words}`, ...details(state), CLICK], '\n\n'),
    spoken: l10n.t`Cloud Compute: the local platform is ${stateWords(state)}. Manage it`,
  };
}

const CLICK = formatted`Click to manage it.`;

function details(state: LocalPlatformState): Markdown[] {
  switch (state.kind) {
    case 'running': {
      const { baseUrl, pid, dataDir } = state.announcement;
      const storage = dataDir === null ? l10n.t('in memory until the platform stops') : code(dataDir);
      return [
        table([
          [l10n.t('Address'), code(baseUrl)],
          [l10n.t('Process'), pid],
          [l10n.t('Data'), storage],
        ]),
      ];
    }
    case 'failed':
      return [code(state.message), formatted`Its endpoints and jobs are saved on this machine.`];
    case 'stopped':
      return [formatted`Its endpoints, jobs, and usage are saved on this machine.`];
    default:
      return [];
  }
}

/** Actions by the last part of their command ID, with icon and label. */
const actions = {
  start: { icon: 'play-circle', label: l10n.t('Start') },
  stop: { icon: 'stop-circle', label: l10n.t('Stop') },
  restart: { icon: 'debug-restart', label: l10n.t('Restart') },
  reset: { icon: 'discard', label: l10n.t('Reset…') },
  openLog: { icon: 'output', label: l10n.t('Open Log') },
  showDataFolder: { icon: 'folder-opened', label: l10n.t('Show Data Folder') },
} as const;

export type LocalPlatformAction = keyof typeof actions;

export interface ActionWords {
  readonly action: LocalPlatformAction;
  readonly label: ShownText;
}

const always = ['openLog', 'showDataFolder'] as const;

const possible: Record<LocalPlatformState['kind'], readonly LocalPlatformAction[]> = {
  stopped: ['start', 'reset', ...always],
  starting: ['stop', ...always],
  running: ['stop', 'restart', 'reset', ...always],
  stopping: always,
  failed: ['start', 'reset', ...always],
};

/** Returns the actions for a state, the most likely first. */
export function actionsIn({ kind }: LocalPlatformState): ActionWords[] {
  return possible[kind].map((action) => {
    const { icon, label } = actions[action];
    return {
      action,
      label: shown`$(${icon}) ${kind === 'failed' && action === 'start' ? l10n.t('Start Again') : label}`,
    };
  });
}

/** Returns the detail text of the reset confirmation, which lists the data that is deleted. */
export function resetDetail({ kind }: LocalPlatformState, dataDir: string): ShownText {
  const lost = [
    shown`This deletes its endpoints, jobs, logs, templates, credentials, volumes, and usage.`,
    ...(kind === 'running' ? [l10n.t('Running workers stop.')] : []),
    shown`Data: ${dataDir}. The workspace is unchanged.`,
    l10n.t('This cannot be undone.'),
  ];
  return joined(lost, '\n\n');
}
