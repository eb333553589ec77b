import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showMessage } from '../../../kit/messages.ts';
import { separator, type ShownItem } from '../../../kit/quickInput.ts';
import { askItem, askText, BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { engineSettings, setEngineSetting } from '../../../account/localPlatform/localPlatformSettings.ts';
import type { EngineSettings } from '../../../account/localPlatform/engineFlags.ts';
import { addressProblem, engineWords, type SeenEngine } from './model/engineWords.ts';
import { controlOf } from '../../../account/localPlatform/platformControl.ts';

const TITLE = l10n.t('Choose Container Engine');
const RESTART = l10n.t('Restart');
const SETTINGS = 'cloudCompute.localPlatform';

interface EngineItem extends ShownItem {
  readonly change?: Partial<EngineSettings>;
  readonly more?: 'address' | 'settings';
}

/** Asks for the engine that runs images and for the use of the GPUs, and changes the settings. */
export async function chooseEngine(services: Pick<AccountServices, 'clock' | 'localPlatform'>): Promise<void> {
  for (;;) {
    const before = engineSettings();
    const change = await askForChange(services, before);
    if (change === BACK) continue;
    if (!change) return;
    const changes = (Object.entries(change) as [keyof EngineSettings, string][]).filter(
      ([name, value]) => value !== before[name],
    );
    for (const [name, value] of changes) await setEngineSetting(name, value);
    // Not awaited, because the command is complete once the message is visible.
    if (changes.length > 0 && services.localPlatform.state.kind === 'running') void offerRestart();
    return;
  }
}

async function askForChange(
  services: Pick<AccountServices, 'clock' | 'localPlatform'>,
  settings: EngineSettings,
): Promise<Partial<EngineSettings> | typeof BACK | undefined> {
  const closing = new AbortController();
  const choices = choicesFor(settings);
  const seen = readEngine(services, closing.signal);
  const row = (words: ReturnType<typeof engineWords>): EngineItem => ({ ...words, more: 'settings' });
  const chosen = await askItem<EngineItem>({
    place: { title: TITLE },
    placeholder: l10n.t('Select the engine on which the local platform runs images'),
    items: [...choices, separator(l10n.t('Now')), row(engineWords({ kind: 'checking' }))],
    updated: seen.then((found) => [...choices, separator(l10n.t('Now')), row(engineWords(found))]),
  });
  closing.abort();
  if (chosen === undefined || chosen === BACK) return undefined;
  const { change, more } = chosen.item;
  if (more === 'address') return askForAddress(settings);
  if (more === 'settings') await vscode.commands.executeCommand('workbench.action.openSettings', SETTINGS);
  return change;
}

/** Returns the items, of which the current ones have a check mark. */
function choicesFor({ runtime, containerEngine, gpus }: EngineSettings): readonly EngineItem[] {
  const mark = (isCurrent: boolean) => (isCurrent ? shown`$(check) current` : undefined);
  const isOnEngine = runtime === 'auto';
  return [
    {
      label: shown`$(search) Find Automatically`,
      description: mark(isOnEngine && containerEngine === ''),
      detail: l10n.t("As Docker's command line does: DOCKER_HOST, the Docker context, or a socket of Docker or Podman"),
      change: { runtime: 'auto', containerEngine: '' },
    },
    {
      label: shown`$(link) Enter an Address…`,
      description: mark(isOnEngine && containerEngine !== ''),
      detail: containerEngine === '' ? l10n.t('Such as ssh://user@host or tcp://host:2376') : containerEngine,
      more: 'address',
    },
    {
      label: shown`$(symbol-structure) Kubernetes`,
      description: mark(runtime === 'kubernetes'),
      detail: l10n.t('The cluster of the kubeconfig. The settings have its context and its namespace'),
      change: { runtime: 'kubernetes' },
    },
    {
      label: shown`$(circle-slash) None`,
      description: mark(runtime === 'process'),
      detail: l10n.t('Runs commands only'),
      change: { runtime: 'process' },
    },
    separator('GPUs'),
    {
      label: shown`$(circuit-board) Use the GPUs of This Machine`,
      description: mark(!['none', 'ignore'].includes(gpus)),
      detail: l10n.t('Workers wait until the GPUs that they need are free'),
      change: { gpus: ['none', 'ignore'].includes(gpus) ? 'auto' : gpus },
    },
    {
      label: shown`$(debug-step-over) Run Without GPUs`,
      description: mark(gpus === 'ignore'),
      detail: l10n.t('Endpoints with GPUs run on the processor'),
      change: { gpus: 'ignore' },
    },
    separator(),
    { label: shown`$(gear) Open Settings`, more: 'settings' },
  ];
}

async function askForAddress({ containerEngine }: EngineSettings) {
  const address = await askText({
    place: { title: TITLE, back: true },
    prompt: l10n.t('Address of the engine, in the form of DOCKER_HOST'),
    placeholder: 'unix:///var/run/docker.sock',
    value: containerEngine,
    problem: addressProblem,
  });
  if (address === BACK) return BACK;
  return typeof address === 'string' ? { runtime: 'auto', containerEngine: address.trim() } : undefined;
}

async function offerRestart(): Promise<void> {
  const text = l10n.t('The local platform uses the new setting after a restart, which ends its running workers.');
  if ((await showMessage('information', text, RESTART)) === RESTART)
    await vscode.commands.executeCommand('cloudCompute.localPlatform.restart');
}

/** Time to wait for an engine, in ms. An engine on another machine can take seconds. */
const PATIENCE_MS = 15_000;

/** Reads the engine of the local platform. A failure is part of the result. */
export async function readEngine(
  services: Pick<AccountServices, 'localPlatform' | 'clock'>,
  signal: AbortSignal,
): Promise<SeenEngine> {
  if (services.localPlatform.state.kind !== 'running') return { kind: 'unknown' };
  try {
    const { control } = await controlOf(services);
    return { kind: 'seen', state: await control.getEngine({}, { signal, timeout: PATIENCE_MS, retries: 0 }) };
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
}
