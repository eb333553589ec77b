import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Release } from '../../../contract/release.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { requireConnection, requireConnectionOf } from '../../../account/connections/requireConnection.ts';
import { mayAct } from '../../../account/consent/workspaceTrust.ts';
import { chosenEndpoint } from '../../../account/endpoints/chosenEndpoints.ts';
import type { TreeNode } from '../../../account/endpoints/endpointNode.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { whatChanged } from '../../endpoints/model/releaseWords.ts';
import { confirmed, showMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { pick } from '../../../kit/quickInput.ts';
import { UserError } from '../../../kit/userError.ts';
import { duration } from '../../../text/quantities.ts';
import { joined, shown, type Showable, type ShownText } from '../../../text/shownText.ts';
import { withResult } from '../actions/deploymentJournal.ts';
import { planRollback, sendRollback, type RollbackPlan } from '../actions/rollBack.ts';
import { processAfter } from '../actions/updateEndpoint.ts';
import { changeWords, workersSentence } from '../model/deployment/difference.ts';
import type { JournaledDeployment } from '../model/deployment/journal.ts';
import { lostWords } from '../model/deployment/rollback.ts';
import { isChangeWanted } from '../environments/chooseEnvironment.ts';
import { deploymentsOf, journaled, journalOf } from './windowJournal.ts';
import { tellDeployed, watchEndpoint } from './watchedEndpoint.ts';

/** An endpoint and one of its releases. */
export interface ChosenRelease {
  readonly snapshot: EndpointSnapshot;
  readonly version: number;
}

/** Returns the release of a row, or one that the user picks. */
export async function chosenRelease(
  services: Pick<AccountServices, 'context' | 'log' | 'clock' | 'connections' | 'endpoints'>,
  args: readonly unknown[],
): Promise<ChosenRelease | undefined> {
  const { client, profile } = requireConnection(services.connections);
  const [row] = args as readonly (TreeNode | undefined)[];
  const node = row?.kind === 'release' ? row : undefined;
  const snapshot = node
    ? services.endpoints.find(node.endpointId)
    : await chosenEndpoint(services, args, l10n.t('Endpoint to roll back'));
  if (!snapshot) {
    if (node) throw new UserError(l10n.t('the endpoint no longer exists'));
    return undefined;
  }
  const { releases } = await client.listEndpointReleases({ id: snapshot.endpoint.id });
  if (node) {
    const version = releases.find(({ id }) => id === node.releaseId)?.version;
    if (version == null) throw new UserError(l10n.t('the release no longer exists'));
    return { snapshot, version };
  }
  const now = services.clock.now();
  const deployments = await deploymentsOf(services, profile, snapshot.endpoint.id);
  const items = releases.slice(1).flatMap((release) => itemOf(release, now, deployments) ?? []);
  if (items.length === 0) throw new UserError(shown`“${snapshot.endpoint.name}” has no earlier release`);
  const chosen = await pick(items, { placeholder: shown`Release of “${snapshot.endpoint.name}” to return to` });
  return chosen && { snapshot, version: chosen.version };
}

function itemOf(release: Release, now: number, deployments: readonly JournaledDeployment[]) {
  const { version, createdAt } = release;
  if (version == null) return undefined;
  const age = duration(Math.max(0, now - Date.parse(createdAt)) / 1_000);
  const deployed = deployments.find(({ finished }) => finished?.version === version);
  return {
    label: l10n.t`Version ${version}`,
    description: shown`${whatChanged(release)} · ${age} ago`,
    ...(deployed && { detail: deployedDetail(deployed) }),
    version,
  };
}

/** Describes the deployment of a release, such as verified, commit 0123456789ab, by Ada. */
function deployedDetail({ started: { commit, dirty, by, environment }, finished }: JournaledDeployment): ShownText {
  const isVerified = finished?.isVerified === true && !finished.rolledBack;
  const code = commit?.slice(0, 12) ?? '';
  const facts = [
    isVerified ? shown`$(pass) verified` : shown`not verified`,
    ...(commit === undefined ? [] : [dirty ? shown`commit ${code} with changes` : shown`commit ${code}`]),
    ...(environment === undefined ? [] : [environment]),
    shown`by ${by}`,
  ];
  return joined(facts, ' · ');
}

/** Returns an endpoint to the settings of a release: shows the changes, asks, sends them, and watches the endpoint. */
export async function rollBackEndpoint(
  services: Pick<AccountServices, 'context' | 'log' | 'connections' | 'endpoints' | 'claimedFailures'>,
  { snapshot: { endpoint }, version }: ChosenRelease,
): Promise<void> {
  const { client, profile } = requireConnection(services.connections);
  const { id, name } = endpoint;
  const plan = await planRollback(client, id, version, new AbortController().signal);
  if (plan.kind !== 'ready') {
    if (plan.kind !== 'nothingToDo') throw new UserError(reasonOf(plan));
    void showMessage('information', shown`“${name}” has the settings of version ${version}.`);
    return;
  }
  const { rollback } = plan;
  const process = await processAfter(client, rollback, plan.endpoint);
  const deed = l10n.t('changing the command of a process: endpoint');
  if (!(await mayAct(services.context.workspaceState, profile, { source: 'typed', process, deed }))) return;
  const lines: readonly Showable[] = [
    ...rollback.changes.map(changeWords),
    ...rollback.lost.map(lostWords),
    '',
    workersSentence(rollback),
  ];
  const question = shown`Roll back endpoint “${name}” on “${profile.name}” to version ${version}?`;
  if (!(await confirmed(question, joined(lines, '\n'), l10n.t('Roll Back')))) return;
  if (!(await isChangeWanted(services, profile, endpoint))) return;
  // The connection may have changed while the question was open.
  requireConnectionOf(services.connections, profile.id);
  const title = shown`Rolling back “${name}”`;
  const { endpoint: updated, verification } = await withProgress(
    { title, location: vscode.ProgressLocation.Notification },
    async (signal, report) => {
      const deed = { kind: 'rollback', name } as const;
      const place = { folder: (await journalOf(services, profile, id))?.folder, environment: undefined };
      const journal = await journaled(services, { client, profile, ...place }, [deed]);
      return withResult(journal, deed, async () => {
        const sent = await sendRollback({ client, store: services.endpoints }, plan, signal);
        if (!sent) throw new UserError(l10n.t('the endpoint has changed since the difference was shown'));
        return {
          endpoint: sent,
          verification: await watchEndpoint(services, { client, profile, endpoint: sent }, signal, report),
        };
      });
    },
  );
  tellDeployed(shown`“${name}” has the settings of version ${version}`, verification, {
    ...{ endpoint: updated, isNew: false },
  });
}

function reasonOf(plan: Exclude<RollbackPlan, { kind: 'ready' | 'nothingToDo' }>): Showable {
  switch (plan.kind) {
    case 'noEarlierRelease':
      return l10n.t('the endpoint has no earlier release');
    case 'noSuchRelease':
      return l10n.t('the release no longer exists');
    case 'refused':
      return shown`the endpoint cannot be changed in this way: ${plan.reasons.join('; ')}`;
  }
}
