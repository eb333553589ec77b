import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import { UserError } from '../../vscode/userError.ts';
import { confirmed } from '../../vscode/messages.ts';
import { askText } from '../../vscode/steps.ts';
import { shown } from '../../vscode/text/shownText.ts';
import type { Services } from '../services.ts';
import type { Profile } from './connectionStore.ts';
import { askForConnection, askKey, askTeam, USE_LOCAL_PLATFORM } from './connectWizard.ts';
import { askForHosted, askForSwitch } from './connectionPicker.ts';

/* Commands of connections. A command takes the ID of a connection, or asks for the connection. */

const START_LOCAL = 'cloudCompute.localPlatform.start';

export function registerConnectionCommands(services: Services): vscode.Disposable {
  const { log, connections, localPlatform } = services;
  return vscode.Disposable.from(
    registerCommand(log, 'cloudCompute.connect', 'Could not connect', () => connect(services)),
    registerCommand(log, 'cloudCompute.connections.switch', 'Could not switch the connection', async () => {
      await connections.whenLoaded();
      const answer = await askForSwitch(connections, localPlatform.state);
      if (answer?.action === 'connect') await connect(services);
      else if (answer?.action === 'local') await vscode.commands.executeCommand(START_LOCAL);
      else if (answer) await actions[answer.action](services, answer.profile);
    }),
    registerCommand(log, 'cloudCompute.connections.rename', 'Could not rename the connection', (id) =>
      withHosted(services, id, 'Rename Connection', actions.rename),
    ),
    registerCommand(log, 'cloudCompute.connections.replaceKey', 'Could not replace the key', (id) =>
      withHosted(services, id ?? currentHosted(services)?.id, 'Replace API Key', actions.replaceKey),
    ),
    registerCommand(log, 'cloudCompute.connections.changeTeam', 'Could not change the team', (id) =>
      withHosted(services, id ?? currentHosted(services)?.id, 'Change Team', actions.changeTeam),
    ),
    registerCommand(log, 'cloudCompute.connections.signOut', 'Could not sign out', (id) =>
      withHosted(services, id, 'Sign Out', actions.signOut, ({ apiKey }) => apiKey !== ''),
    ),
    registerCommand(log, 'cloudCompute.connections.forget', 'Could not forget the connection', (id) =>
      withHosted(services, id, 'Forget Connection', actions.forget),
    ),
    registerCommand(log, 'cloudCompute.connections.forgetAll', 'Could not forget the connections', async () => {
      const names = connections.hosted.map(({ name }) => `“${name}”`).join(', ');
      const detail = shown`${names === '' ? '' : shown`${names}. `}Their names, addresses, and API keys are removed from secret storage, for all windows. Nothing on the platforms is deleted.`;
      if (await confirmed('Forget all connections?', detail, 'Forget All')) await connections.forgetAll();
    }),
  );
}

type HostedAction = (services: Services, profile: Profile) => Promise<void>;

const actions = {
  use: async ({ connections }, profile) => {
    if (profile.apiKey === '' && !(await signIn(connections, profile, 'Sign In'))) return;
    await connections.select(profile.id);
  },
  rename: async ({ connections }, { id, name }) => {
    const answer = await askText({
      place: { title: 'Rename Connection' },
      prompt: shown`New name for “${name}”`,
      value: name,
      problem: (text) => connections.nameProblem(text, id),
    });
    if (typeof answer === 'string') await connections.rename(id, answer.trim());
  },
  replaceKey: async ({ connections }, profile) => {
    await signIn(connections, profile, profile.apiKey === '' ? 'Sign In' : 'Replace API Key');
  },
  changeTeam: async ({ connections }, profile) => {
    const teamId = await askTeam(profile);
    if (teamId !== undefined) await connections.changeTeam(profile.id, teamId === '' ? undefined : teamId);
  },
  signOut: ({ connections }, { id }) => connections.signOut(id),
  forget: async ({ connections }, { id, name }) => {
    const detail =
      'Its name, addresses, and API key are removed from secret storage. Nothing on the platform is deleted.';
    if (await confirmed(shown`Forget the connection “${name}”?`, detail, 'Forget')) await connections.forget(id);
  },
} satisfies Record<string, HostedAction>;

/** Asks for a connection and makes it the current one. */
export async function connect({ connections }: Services): Promise<Profile | undefined> {
  await connections.whenLoaded();
  const answer = await askForConnection(connections);
  if (answer === USE_LOCAL_PLATFORM) {
    await vscode.commands.executeCommand(START_LOCAL);
    return undefined;
  }
  return answer && connections.use(answer);
}

async function signIn(connections: Services['connections'], profile: Profile, title: string): Promise<boolean> {
  const { baseUrl, restUrl, queueUrl, endpointHost, teamId } = profile;
  const addresses = { baseUrl, restUrl, queueUrl, endpointHost, teamId };
  const key = await askKey({ ...addresses, place: { title: shown`${title}: ${profile.name}` } });
  if (typeof key !== 'string') return false;
  await connections.replaceKey(profile.id, key);
  return true;
}

function currentHosted({ connections }: Services): Profile | undefined {
  return connections.profile?.kind === 'hosted' ? connections.profile : undefined;
}

/** Runs an action on the connection with the given ID, or on one that the user selects. */
async function withHosted(
  services: Services,
  id: unknown,
  title: string,
  action: HostedAction,
  fits: (profile: Profile) => boolean = () => true,
): Promise<void> {
  const { connections } = services;
  await connections.whenLoaded();
  const candidates = connections.hosted.filter(fits);
  const [only] = candidates;
  if (!only)
    throw new UserError('there is no matching connection to a hosted platform', {
      label: 'Connect to a Platform',
      command: 'cloudCompute.connect',
    });
  const named = typeof id === 'string' ? candidates.find((one) => one.id === id) : undefined;
  if (typeof id === 'string' && !named) throw new UserError('the connection no longer exists');
  const profile =
    named ?? (await askForHosted(title, 'Connection to a hosted platform', candidates, currentHosted(services)));
  if (profile) await action(services, profile);
}
