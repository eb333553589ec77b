import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from '../../kit/userError.ts';
import { confirmed, showMessage, showStatusBarMessage } from '../../kit/messages.ts';
import { askText } from '../../kit/steps.ts';
import { joined, shown } from '../../text/shownText.ts';
import type { AccountServices } from '../accountServices.ts';
import { readTeamAnswer } from './actions/verifyConnection.ts';
import type { Profile } from './connectionStore.ts';
import { askForConnection, askKey, askTeam, USE_LOCAL_PLATFORM } from './connectWizard.ts';
import { askForAction, askForHosted, askForManaged, askForSwitch } from './connectionPicker.ts';

/* Commands of connections. A command takes the ID of a connection, or asks for the connection. */

/** Time in which a message in the status bar is shown, in ms. */
const REPORT_MS = 10_000;
const START_LOCAL = 'cloudCompute.localPlatform.start';

/** Lets the user choose the current connection, or another action. */
export async function switchConnection(services: AccountServices): Promise<void> {
  const { connections, localPlatform } = services;
  await connections.whenLoaded();
  const answer = await askForSwitch(connections, localPlatform.state);
  if (answer?.action === 'connect') await connect(services);
  else if (answer?.action === 'local') await vscode.commands.executeCommand(START_LOCAL);
  else if (answer) await actions[answer.action](services, answer.profile);
}

/** Asks for a new key of a connection. @param id ID of the connection. Default: the current one, or one that the user picks */
export async function replaceKey(services: AccountServices, id: unknown): Promise<void> {
  await withHosted(services, id ?? currentHosted(services)?.id, l10n.t('Replace API Key'), actions.replaceKey);
}

/** Asks for a connection, unless its ID is given, and for the change. Forgets all connections even if they cannot be read. */
export async function manage(services: AccountServices, id: unknown): Promise<void> {
  const { connections } = services;
  await connections.whenLoaded();
  const title = l10n.t('Manage Connection');
  const current = currentHosted(services);
  const profile =
    typeof id === 'string' ? hostedWith(connections, id) : await askForManaged(title, connections, current);
  if (profile === 'all') return forgetAll(connections);
  const action = profile && (await askForAction(profile));
  if (profile && action) await actions[action](services, profile);
}

async function forgetAll(connections: AccountServices['connections']): Promise<void> {
  const names = connections.hosted.map(({ name }) => `“${name}”`).join(', ');
  const detail = joined(
    [
      ...(names === '' ? [] : [names]),
      l10n.t('This deletes their API keys in all windows, and nothing on the platforms.'),
    ],
    '\n',
  );
  if (await confirmed(l10n.t('Forget all connections?'), detail, l10n.t('Forget All'))) await connections.forgetAll();
}

/** @throws UserError if the connection no longer exists */
function hostedWith({ hosted }: AccountServices['connections'], id: string): Profile {
  const profile = hosted.find((one) => one.id === id);
  if (!profile) throw new UserError(l10n.t('the connection no longer exists'));
  return profile;
}

type HostedAction = (services: AccountServices, profile: Profile) => Promise<void>;

const actions = {
  use: async ({ connections }, profile) => {
    if (profile.apiKey === '' && !(await signIn(connections, profile, l10n.t('Sign In')))) return;
    await connections.select(profile.id);
  },
  rename: async ({ connections }, { id, name }) => {
    const answer = await askText({
      place: { title: l10n.t('Rename Connection') },
      prompt: shown`New name for “${name}”`,
      value: name,
      problem: (text) => connections.nameProblem(text, id),
    });
    if (typeof answer === 'string') await connections.rename(id, answer.trim());
  },
  replaceKey: async ({ connections }, profile) => {
    await signIn(connections, profile, profile.apiKey === '' ? l10n.t('Sign In') : l10n.t('Replace API Key'));
  },
  forgetFileKey: ({ connections }, { id }) => connections.forgetFileKey(id),
  changeTeam: async ({ connections }, profile) => {
    const teamId = await askTeam(profile);
    if (teamId === undefined) return;
    await connections.changeTeam(profile.id, teamId === '' ? undefined : teamId);
    if (profile.apiKey !== '') await reportTeam({ ...profile, teamId: teamId === '' ? undefined : teamId });
  },
  signOut: ({ connections }, { id }) => connections.signOut(id),
  forget: async ({ connections }, { id, name }) => {
    const detail = l10n.t('This deletes its API key in all windows, and nothing on the platform.');
    if (await confirmed(shown`Forget the connection “${name}”?`, detail, l10n.t('Forget')))
      await connections.forget(id);
  },
} satisfies Record<string, HostedAction>;

/** Says which account the platform uses for the requests of a connection. */
async function reportTeam({ id: _id, kind: _kind, name, ...connection }: Profile): Promise<void> {
  const { teamId } = connection;
  if (teamId === undefined) {
    showStatusBarMessage(shown`“${name}” now uses the account of its key`, REPORT_MS);
    return;
  }
  const { endpoints, isOwnAccount } = await readTeamAnswer(connection, { fetch: globalThis.fetch });
  if (isOwnAccount)
    void showMessage(
      'warning',
      shown`The platform lists the same endpoints for team “${teamId}” and for the account of the key. The key may belong to the team, or the platform may ignore the team because the key does not belong to it.`,
    );
  else
    void showMessage(
      'information',
      endpoints === 1
        ? shown`“${name}” now uses team “${teamId}”, which has 1 endpoint.`
        : shown`“${name}” now uses team “${teamId}”, which has ${endpoints} endpoints.`,
    );
}

/** Asks for a connection and makes it the current one. */
export async function connect({ connections }: Pick<AccountServices, 'connections'>): Promise<Profile | undefined> {
  await connections.whenLoaded();
  const answer = await askForConnection(connections);
  if (answer === USE_LOCAL_PLATFORM) {
    await vscode.commands.executeCommand(START_LOCAL);
    return undefined;
  }
  return answer && connections.use(answer);
}

async function signIn(connections: AccountServices['connections'], profile: Profile, title: string): Promise<boolean> {
  const { baseUrl, restUrl, queueUrl, endpointHost, teamId } = profile;
  const addresses = { baseUrl, restUrl, queueUrl, endpointHost, teamId };
  const key = await askKey({ ...addresses, place: { title: shown`${title}: ${profile.name}` } });
  if (typeof key !== 'string') return false;
  await connections.replaceKey(profile.id, key);
  return true;
}

function currentHosted({ connections }: Pick<AccountServices, 'connections'>): Profile | undefined {
  return connections.profile?.kind === 'hosted' ? connections.profile : undefined;
}

/** Runs an action on the connection with the given ID, or on one that the user selects. */
async function withHosted(services: AccountServices, id: unknown, title: string, action: HostedAction): Promise<void> {
  const { connections } = services;
  await connections.whenLoaded();
  if (connections.hosted.length === 0)
    throw new UserError(l10n.t('there is no matching connection to a hosted platform'), {
      label: l10n.t('Connect to a Platform'),
      command: 'cloudCompute.connect',
    });
  const profile =
    typeof id === 'string'
      ? hostedWith(connections, id)
      : await askForHosted(
          title,
          l10n.t('Connection to a hosted platform'),
          connections.hosted,
          currentHosted(services),
        );
  if (profile) await action(services, profile);
}
