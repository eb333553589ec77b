import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Addresses } from '../../client/connection.ts';
import { separator, type ShownItem } from '../../kit/quickInput.ts';
import { askItem, askText, BACK, type Place } from '../../kit/steps.ts';
import { shown, type Showable } from '../../text/shownText.ts';
import {
  addressesFrom,
  addressProblem,
  endpointHostFrom,
  endpointHostProblem,
  normalAddress,
} from './model/address.ts';
import type { ConnectionStore, NewProfile, Profile } from './connectionStore.ts';
import { probeAddress, verifyConnection } from './actions/verifyConnection.ts';

const TITLE = l10n.t('Connect to a Platform');
const TOTAL_STEPS = 3;

/** Result of the wizard when the user chooses the local platform. */
export const USE_LOCAL_PLATFORM = Symbol('use local platform');

const localButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('vm'),
  tooltip: l10n.t('Use the Local Platform (No Account Required)'),
};

/** Answers so far. A step that the user goes back to shows them again. */
type Draft = Omit<NewProfile, 'kind' | 'apiKey'>;
type Step = typeof BACK | undefined;

/** Asks for a hosted platform's addresses and for a key that it accepts. Returns undefined when the user closes the wizard. */
export async function askForConnection(
  connections: ConnectionStore,
): Promise<NewProfile | typeof USE_LOCAL_PLATFORM | undefined> {
  let draft: Draft | undefined;
  for (;;) {
    const addressed = await askAddress(connections, draft);
    if (addressed === undefined || addressed === USE_LOCAL_PLATFORM) return addressed;
    draft = addressed;
    for (;;) {
      const reviewed: Draft | Step = await review(connections, draft);
      if (reviewed === undefined) return undefined;
      if (reviewed === BACK) break;
      draft = reviewed;
      const apiKey = await askKey({ ...draft, place: { title: TITLE, step: 3, totalSteps: TOTAL_STEPS, back: true } });
      if (apiKey === undefined) return undefined;
      if (apiKey !== BACK) return { kind: 'hosted', ...draft, apiKey };
    }
  }
}

/** Asks for one address and derives the others from it. */
async function askAddress(
  connections: ConnectionStore,
  draft: Draft | undefined,
): Promise<Draft | typeof USE_LOCAL_PLATFORM | undefined> {
  const answer = await askText({
    place: { title: TITLE, step: 1, totalSteps: TOTAL_STEPS },
    prompt: l10n.t('Address of the platform’s management API. You can change the other addresses in the next step.'),
    placeholder: 'https://api.example.com',
    value: draft?.baseUrl,
    buttons: [localButton],
    problem: addressProblem,
    attempt: (text, signal) => probeAddress('baseUrl', addressesFrom(text), { fetch: globalThis.fetch, signal }),
  });
  if (answer === localButton) return USE_LOCAL_PLATFORM;
  if (typeof answer !== 'string') return undefined;
  const addresses = addressesFrom(answer);
  if (draft?.baseUrl === addresses.baseUrl) return draft;
  return { ...addresses, name: connections.freeName(new URL(addresses.baseUrl).host) };
}

interface ReviewItem extends ShownItem {
  /** Asks for a new value of the item. */
  readonly change?: (draft: Draft) => Promise<Draft | Step>;
}

/** Shows the answers so far and lets the user change each of them. */
async function review(connections: ConnectionStore, draft: Draft): Promise<Draft | Step> {
  let active = 0;
  for (;;) {
    const items = reviewItems(connections, draft);
    const choice = await askItem({
      place: { title: TITLE, step: 2, totalSteps: TOTAL_STEPS, back: true },
      placeholder: l10n.t('Continue, or select a value to change'),
      items,
      active: items[active],
    });
    if (choice === undefined || choice === BACK) return choice;
    if (!choice.item.change) return draft;
    const changed = await choice.item.change(draft);
    if (changed === undefined) return undefined;
    if (changed !== BACK) draft = changed;
    active = changed === BACK ? items.indexOf(choice.item) : 0;
  }
}

function reviewItems(connections: ConnectionStore, draft: Draft): ReviewItem[] {
  return [
    { label: shown`$(arrow-right) Continue to the API key`, description: draft.baseUrl, alwaysShow: true },
    separator(l10n.t('Change')),
    {
      label: shown`$(tag) Name`,
      description: draft.name,
      change: (old) =>
        changeText({
          prompt: l10n.t('Name of the connection in the status bar'),
          value: old.name,
          problem: (text) => connections.nameProblem(text),
          apply: (name) => ({ ...old, name: name.trim() }),
        }),
    },
    {
      label: shown`$(globe) v1 Management API`,
      description: draft.restUrl,
      change: (old) => changeAddress(old, 'restUrl', l10n.t('v1 management API'), (restUrl) => ({ ...old, restUrl })),
    },
    {
      label: shown`$(list-ordered) Queue`,
      description: draft.queueUrl,
      change: (old) =>
        changeAddress(old, 'queueUrl', l10n.t('job queue'), (queueUrl) => {
          // Keeps an address of load-balanced endpoints that the user entered.
          const isDerived = old.endpointHost === endpointHostFrom(old.queueUrl);
          return { ...old, queueUrl, ...(isDerived ? { endpointHost: endpointHostFrom(queueUrl) } : {}) };
        }),
    },
    {
      label: shown`$(server) Load-balanced Endpoints`,
      description: draft.endpointHost,
      change: (old) =>
        changeText({
          prompt: l10n.t('Address of load-balanced endpoints, with {endpoint_id} in place of the endpoint ID'),
          value: old.endpointHost,
          problem: endpointHostProblem,
          apply: (text) => ({ ...old, endpointHost: normalAddress(text) }),
        }),
    },
    {
      label: shown`$(organization) Team`,
      description: draft.teamId ?? l10n.t('account of the API key'),
      change: (old) =>
        changeText({
          prompt: TEAM_PROMPT,
          value: old.teamId ?? '',
          problem: teamProblem,
          apply: (text) => {
            const { teamId, ...rest } = old;
            return text.trim() === '' ? rest : { ...rest, teamId: text.trim() };
          },
        }),
    },
  ];
}

function changeAddress(
  draft: Draft,
  member: 'restUrl' | 'queueUrl',
  what: string,
  apply: (address: string) => Draft,
): Promise<Draft | Step> {
  return changeText({
    prompt: l10n.t`Address of the ${what}`,
    value: draft[member],
    problem: addressProblem,
    attempt: (text, signal) => {
      const addresses: Addresses = { ...draft, [member]: normalAddress(text) };
      return probeAddress(member, addresses, { fetch: globalThis.fetch, signal });
    },
    apply: (text) => apply(normalAddress(text)),
  });
}

interface TextChange {
  readonly prompt: string;
  readonly value: string;
  readonly problem: (text: string) => string | undefined;
  readonly attempt?: (text: string, signal: AbortSignal) => Promise<Showable | undefined>;
  readonly apply: (text: string) => Draft;
}

async function changeText({ apply, ...question }: TextChange): Promise<Draft | Step> {
  const answer = await askText({ place: { title: TITLE, step: 2, totalSteps: TOTAL_STEPS, back: true }, ...question });
  return typeof answer === 'string' ? apply(answer) : answer === BACK ? BACK : undefined;
}

/** Asks for an API key until the service accepts one. */
export async function askKey(
  connection: Addresses & { readonly teamId?: string | undefined; readonly place: Place },
): Promise<string | Step> {
  const { place, ...addresses } = connection;
  const answer = await askText({
    place,
    prompt: shown`API key for ${new URL(addresses.baseUrl).host}. The editor keeps it in secret storage and sends it only to this platform.`,
    password: true,
    problem: keyProblem,
    attempt: (text, signal) =>
      verifyConnection({ ...addresses, apiKey: text.trim() }, { fetch: globalThis.fetch, signal }),
  });
  return typeof answer === 'string' ? answer.trim() : answer === BACK ? BACK : undefined;
}

const TEAM_PROMPT = l10n.t('ID of the team. Leave it empty to use the account of the API key.');

/** Returns why a text is not a valid team ID, or undefined. A team ID must fit in an HTTP header. */
function teamProblem(text: string): string | undefined {
  return /^[\x21-\x7e]*$/.test(text.trim())
    ? undefined
    : l10n.t('A team ID must contain only ASCII characters, without spaces.');
}

/**
 * Asks for the team of a stored connection until the service accepts the key for that team. A signed-out connection has no key, so the
 * service checks its team at the next sign-in.
 *
 * @returns the team ID, or an empty string for the account of the key; undefined when the user cancels
 */
export async function askTeam({ apiKey, name, ...connection }: Profile): Promise<string | undefined> {
  const answer = await askText({
    place: { title: l10n.t`Change Team: ${name}` },
    prompt: TEAM_PROMPT,
    value: connection.teamId ?? '',
    problem: teamProblem,
    attempt: async (text, signal) => {
      if (apiKey === '') return undefined;
      const { teamId, ...addresses } = connection;
      const team = text.trim() === '' ? {} : { teamId: text.trim() };
      return verifyConnection({ ...addresses, ...team, apiKey }, { fetch: globalThis.fetch, signal });
    },
  });
  return typeof answer === 'string' ? answer.trim() : undefined;
}

/** Returns why a text is not a valid API key, or undefined. A key must fit in an HTTP header. */
function keyProblem(text: string): string | undefined {
  if (text.trim() === '') return l10n.t('Enter an API key.');
  return /^[\x21-\x7e]+$/.test(text.trim())
    ? undefined
    : l10n.t('An API key must contain only ASCII characters, without spaces.');
}
