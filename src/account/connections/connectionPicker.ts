import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { separator, type ShownItem } from '../../kit/quickInput.ts';
import { askItem } from '../../kit/steps.ts';
import { shown } from '../../text/shownText.ts';
import type { LocalPlatformState } from '../localPlatform/localPlatformStore.ts';
import { LOCAL_ID, LOCAL_NAME } from './connectionDocument.ts';
import type { ConnectionStore, Profile } from './connectionStore.ts';
import { connectionIcon } from './connectionWords.ts';

/** The action that the user selects, and the connection it applies to. */
export type SwitchAnswer =
  | { readonly action: 'connect' }
  | { readonly action: 'local' }
  | { readonly action: 'use' | ItemAction; readonly profile: Profile };

type ItemAction = 'rename' | 'replaceKey' | 'forgetFileKey' | 'changeTeam' | 'signOut' | 'forget';

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
  const items = managedItems(candidates, current);
  const active = items.find(({ profile }) => profile.id === current?.id);
  const choice = await askItem({ place: { title }, placeholder, items, active });
  return choice === undefined || typeof choice === 'symbol' ? undefined : choice.item.profile;
}

interface ManagedItem extends ShownItem {
  readonly profile?: Profile | 'all';
}

/** Asks for a hosted connection. The answer can also be all of them, readable or not. */
export async function askForManaged(
  title: string,
  { hosted }: ConnectionStore,
  current: Profile | undefined,
): Promise<Profile | 'all' | undefined> {
  const items: ManagedItem[] = [
    ...managedItems(hosted, current),
    separator(),
    { label: shown`$(trash) Forget All Connections…`, alwaysShow: true, profile: 'all' },
  ];
  const choice = await askItem({
    place: { title },
    placeholder: l10n.t('Connection to a hosted platform'),
    items,
    active: items.find(({ profile }) => profile !== 'all' && profile?.id === current?.id),
  });
  return choice === undefined || typeof choice === 'symbol' ? undefined : choice.item.profile;
}

function managedItems(candidates: readonly Profile[], current: Profile | undefined) {
  return candidates.map((profile) => ({
    label: shown`${connectionIcon(profile)} ${profile.name}`,
    description: words(undefined, profile.id === current?.id),
    detail: profile.baseUrl,
    profile,
  }));
}

/** Asks for the change of a connection. */
export async function askForAction({ name, apiKey, s3SecretAccessKey }: Profile): Promise<ItemAction | undefined> {
  const signedOut = apiKey === '';
  const rows = [
    { label: shown`$(edit) Rename…`, detail: l10n.t('Changes the name that this editor shows.'), action: 'rename' },
    {
      label: signedOut ? shown`$(key) Sign In…` : shown`$(key) Replace API Key…`,
      detail: l10n.t('Stores another API key, after the platform accepts it.'),
      action: 'replaceKey',
    },
    ...(s3SecretAccessKey === undefined
      ? []
      : ([
          {
            label: shown`$(files) Forget Key for Files`,
            detail: l10n.t('Removes the key for the files of network volumes. “Open Files” asks for another one.'),
            action: 'forgetFileKey',
          },
        ] as const)),
    {
      label: shown`$(organization) Change Team…`,
      detail: l10n.t('Uses the endpoints of a team, or of the account of the key.'),
      action: 'changeTeam',
    },
    ...(signedOut
      ? []
      : ([
          {
            label: shown`$(sign-out) Sign Out`,
            detail: l10n.t('Removes the API key and keeps the addresses.'),
            action: 'signOut',
          },
        ] as const)),
    {
      label: shown`$(trash) Forget…`,
      detail: l10n.t('Removes the name, the addresses, and the API key.'),
      action: 'forget',
    },
  ] as const satisfies readonly (ShownItem & { readonly action: ItemAction })[];
  const choice = await askItem({
    place: { title: shown`Manage Connection: ${name}` },
    placeholder: l10n.t('Change of the connection'),
    items: rows,
    active: undefined,
  });
  return choice === undefined || typeof choice === 'symbol' ? undefined : choice.item.action;
}
