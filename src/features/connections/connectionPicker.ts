import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { separator, type ShownItem } from '../../vscode/quickInput.ts';
import { askItem } from '../../vscode/steps.ts';
import { shown } from '../../vscode/text/shownText.ts';
import type { LocalPlatformState } from '../localPlatform/localPlatformStore.ts';
import { LOCAL_ID, LOCAL_NAME } from './connectionDocument.ts';
import type { ConnectionStore, Profile } from './connectionStore.ts';
import { connectionIcon } from './connectionWords.ts';

/** The action that the user selects, and the connection it applies to. */
export type SwitchAnswer =
  | { readonly action: 'connect' }
  | { readonly action: 'local' }
  | { readonly action: 'use' | ItemAction; readonly profile: Profile };

type ItemAction = 'rename' | 'replaceKey' | 'changeTeam' | 'signOut' | 'forget';

interface ActionButton extends vscode.QuickInputButton {
  readonly action: ItemAction;
}

const button = (action: ItemAction, icon: string, tooltip: string): ActionButton => ({
  action,
  iconPath: new vscode.ThemeIcon(icon),
  tooltip,
});
const rename = button('rename', 'edit', l10n.t('Rename'));
const replaceKey = button('replaceKey', 'key', l10n.t('Replace API Key'));
const changeTeam = button('changeTeam', 'organization', l10n.t('Change Team'));
const signOut = button('signOut', 'sign-out', l10n.t('Sign Out'));
const forget = button('forget', 'trash', l10n.t('Forget'));

interface Item extends ShownItem {
  readonly answer?: SwitchAnswer;
}

/** Shows all connections with their actions. The current connection is active. */
export async function askForSwitch(
  connections: ConnectionStore,
  localPlatform: LocalPlatformState,
): Promise<SwitchAnswer | undefined> {
  const { profile: current, hosted } = connections;
  const items: Item[] = [
    {
      label: shown`${connectionIcon({ kind: 'local', apiKey: '' })} ${LOCAL_NAME}`,
      description: words(localText(localPlatform), current?.id === LOCAL_ID),
      answer: { action: 'local' },
    },
    ...hosted.map((profile) => hostedItem(profile, profile.id === current?.id)),
    separator(),
    { label: shown`$(add) Connect to a Platform…`, alwaysShow: true, answer: { action: 'connect' } },
  ];
  const choice = await askItem({
    place: { title: l10n.t('Switch Connection') },
    placeholder: l10n.t('Select the connection for all windows'),
    items,
    active: items.find(({ answer }) => answer && 'profile' in answer && answer.profile.id === current?.id),
  });
  if (choice === undefined || typeof choice === 'symbol') return undefined;
  const { answer } = choice.item;
  if (!choice.button || !answer || !('profile' in answer)) return answer;
  return { action: (choice.button as ActionButton).action, profile: answer.profile };
}

function hostedItem(profile: Profile, isCurrent: boolean): Item {
  const { name, apiKey, baseUrl, teamId } = profile;
  const signedOut = apiKey === '';
  return {
    label: shown`${connectionIcon(profile)} ${name}`,
    description: words(signedOut ? l10n.t('signed out') : undefined, isCurrent),
    detail: teamId === undefined ? baseUrl : l10n.t`${baseUrl} · team ${teamId}`,
    buttons: signedOut ? [rename, replaceKey, changeTeam, forget] : [rename, replaceKey, changeTeam, signOut, forget],
    answer: { action: 'use', profile },
  };
}

function words(state: string | undefined, isCurrent: boolean): string {
  return [...(isCurrent ? [l10n.t('current')] : []), ...(state === undefined ? [] : [state])].join(' · ');
}

function localText(state: LocalPlatformState): string {
  return state.kind === 'running' ? l10n.t`running at ${new URL(state.announcement.baseUrl).host}` : state.kind;
}

/** Asks the user to select one of the hosted connections. */
export async function askForHosted(
  title: string,
  placeholder: string,
  candidates: readonly Profile[],
  current: Profile | undefined,
): Promise<Profile | undefined> {
  const items = candidates.map((profile) => ({
    label: shown`${connectionIcon(profile)} ${profile.name}`,
    description: words(undefined, profile.id === current?.id),
    detail: profile.baseUrl,
    profile,
  }));
  const active = items.find(({ profile }) => profile.id === current?.id);
  const choice = await askItem({ place: { title }, placeholder, items, active });
  return choice === undefined || typeof choice === 'symbol' ? undefined : choice.item.profile;
}
