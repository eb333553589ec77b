import { code, formatted, joinedMarkdown, table, type Markdown } from '../../vscode/text/markdown.ts';
import { joined, shown, type ShownText } from '../../vscode/text/shownText.ts';
import type { LocalPlatformState } from './localPlatformStore.ts';

/* What is said of the local platform's state, and what can be done in it; made without VS Code. */

export interface StatusWords {
  /** With product icons, for the status bar. */
  readonly text: ShownText;
  readonly tooltip: Markdown;
  /** What a screen reader says. */
  readonly spoken: string;
}

const appearance: Record<LocalPlatformState['kind'], { readonly icon: string; readonly words: string }> = {
  stopped: { icon: 'vm-outline', words: 'stopped' },
  starting: { icon: 'loading~spin', words: 'starting…' },
  running: { icon: 'vm-running', words: 'running' },
  stopping: { icon: 'loading~spin', words: 'stopping…' },
  failed: { icon: 'error', words: 'failed' },
};

/** What the status bar says; nothing of a platform that is stopped and that nobody has chosen. */
export function statusWords(state: LocalPlatformState, chosen: boolean): StatusWords | undefined {
  if (state.kind === 'stopped' && !chosen) return undefined;
  const { icon, words } = appearance[state.kind];
  return {
    text: shown`$(${icon}) Local: ${words}`,
    tooltip: joinedMarkdown([formatted`**Local platform**: ${words}`, ...details(state), CLICK], '\n\n'),
    spoken: `Cloud Compute: the local platform is ${words.replace('…', '')}. Manage it`,
  };
}

const CLICK = formatted`Click to manage it.`;

function details(state: LocalPlatformState): Markdown[] {
  switch (state.kind) {
    case 'running': {
      const { baseUrl, pid, dataDir } = state.announcement;
      const kept = dataDir === null ? 'memory, until it stops' : code(dataDir);
      return [
        table([
          ['Address', code(baseUrl)],
          ['Process', pid],
          ['Kept in', kept],
        ]),
      ];
    }
    case 'failed':
      return [code(state.message), formatted`What it had accepted is kept on this machine.`];
    case 'stopped':
      return [formatted`Its endpoints, jobs and usage are kept on this machine.`];
    default:
      return [];
  }
}

/** What can be done with it: the last parts of command names, and how they read. */
const actions = {
  start: { icon: 'play-circle', label: 'Start' },
  stop: { icon: 'stop-circle', label: 'Stop' },
  restart: { icon: 'debug-restart', label: 'Restart' },
  reset: { icon: 'discard', label: 'Reset…' },
  openLog: { icon: 'output', label: 'Open Log' },
  showDataFolder: { icon: 'folder-opened', label: 'Show Data Folder' },
} as const;

export type LocalPlatformAction = keyof typeof actions;

export interface ActionWords {
  readonly action: LocalPlatformAction;
  readonly label: ShownText;
}

const looking = ['openLog', 'showDataFolder'] as const;

const possible: Record<LocalPlatformState['kind'], readonly LocalPlatformAction[]> = {
  stopped: ['start', 'reset', ...looking],
  starting: ['stop', ...looking],
  running: ['stop', 'restart', 'reset', ...looking],
  stopping: looking,
  failed: ['start', 'reset', ...looking],
};

/** What can be done now, the likeliest first. */
export function actionsIn({ kind }: LocalPlatformState): ActionWords[] {
  return possible[kind].map((action) => {
    const { icon, label } = actions[action];
    return { action, label: shown`$(${icon}) ${kind === 'failed' && action === 'start' ? 'Start Again' : label}` };
  });
}

/** Lists what a reset deletes, for the confirmation. */
export function resetDetail({ kind }: LocalPlatformState, dataDir: string): ShownText {
  const lost = [
    shown`Everything the local platform keeps is deleted: endpoints with their releases, jobs and their results, worker logs, templates, registry credentials, volumes with their files, and usage.`,
    ...(kind === 'running' ? ['Workers that run now are ended.'] : []),
    shown`It is kept in ${dataDir}. Manifests and other files of the workspace stay as they are.`,
    'This cannot be undone.',
  ];
  return joined(lost, '\n\n');
}
