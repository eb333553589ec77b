import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { notConnected, requireConnection } from '../../../account/connections/requireConnection.ts';
import { hiddenValues } from '../../../account/secrets/hiddenValues.ts';
import type { Client } from '../../../client/client.ts';
import { askPaged } from '../../../kit/pagedPick.ts';
import { askItem, BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import { directoryInFile } from '../actions/compareWithDeployed.ts';
import { templatePages, type TemplateSource } from '../actions/templatePages.ts';
import { EXAMPLES, exampleSections, type Example } from '../model/starters/examples.ts';
import { endpointSections } from '../model/starters/fromEndpoint.ts';
import { handlerSections } from '../model/starters/fromHandler.ts';
import { templateSections } from '../model/starters/fromTemplate.ts';
import type { Section } from '../model/starters/section.ts';
import { findHandlers, pythonFor, pythonName } from './findHandlers.ts';

/* The second step of a new file: the choice of its content. */

/** Result of a step: the user's answer, a step back, or undefined if the user dismissed the step. */
export type Answer<Value> = Value | typeof BACK | undefined;

/** Content that a new file starts from, once the user has chosen it. */
export interface Starter {
  /** Text from which the default file name is derived. */
  readonly name: string;
  /** Returns the sections of the file. The default name of its endpoint is that of the file. */
  readonly sections: (endpointName: string) => readonly Section[];
}

export const TITLE = l10n.t('New Endpoint File');
export const TOTAL_STEPS = 3;
const PLACE = { title: TITLE, step: 2, totalSteps: TOTAL_STEPS, back: true } as const;

const DETAILS: Readonly<Record<Example['type'], string>> = {
  QUEUE: l10n.t('Jobs wait in a durable queue until a worker takes them'),
  LOAD_BALANCER: l10n.t('HTTP requests go directly to a worker'),
};

/** Asks for one of the worked examples. */
export async function chooseExample(): Promise<Answer<Starter>> {
  const items = EXAMPLES.map((example) => ({
    label: shown`${example.type === 'QUEUE' ? shown`$(list-ordered)` : shown`$(globe)`} ${example.title}`,
    detail: DETAILS[example.type],
    example,
  }));
  const choice = await askItem({ place: PLACE, placeholder: l10n.t('Example to start from'), items });
  if (choice === undefined || choice === BACK) return choice;
  const { example } = choice.item;
  return { name: 'hello', sections: (name) => exampleSections(example, name, pythonName()) };
}

/** Asks for a worker in the workspace folder that contains the folder of the new file. */
export async function chooseHandler(folder: vscode.Uri): Promise<Answer<Starter>> {
  const root = vscode.workspace.getWorkspaceFolder(folder)?.uri ?? folder;
  const chosen = await askPaged({
    place: PLACE,
    placeholder: l10n.t('Worker that the local platform runs'),
    empty: l10n.t('No Python or Node.js file in this folder starts a worker SDK or an HTTP server.'),
    pages: async function* (signal) {
      const items = (await findHandlers(root, signal)).map((found) => {
        const { file, language, kind } = found.handler;
        const does = kind === 'queue' ? l10n.t('takes jobs from a queue') : l10n.t('HTTP server');
        return {
          label: shown`$(file-code) ${file}`,
          description: path.posix.dirname(found.path),
          detail: `${language === 'python' ? 'Python' : 'Node.js'} · ${does}`,
          found,
        };
      });
      yield { items, more: false };
    },
  });
  if (chosen === undefined || chosen === BACK) return chosen;
  const { handler, uri } = chosen.found;
  const source = path.posix.dirname(uri.path);
  const python = handler.language === 'python' ? await pythonFor(uri, root) : pythonName();
  const directory = path.posix.relative(folder.path, source) || '.';
  return {
    name: path.posix.basename(source),
    sections: (name) => handlerSections(handler, { name, directory, python }),
  };
}

const SOURCES: Readonly<Record<TemplateSource, string>> = {
  account: l10n.t('your account'),
  official: l10n.t('public catalog, official'),
  verified: l10n.t('public catalog, verified'),
  community: l10n.t('public catalog, community'),
};

/** Asks for a serverless template of the account or of the public catalog. */
export async function chooseTemplate(services: Pick<AccountServices, 'connections'>): Promise<Answer<Starter>> {
  const connected = await connectedStep(services);
  if (connected === undefined || connected === BACK) return connected;
  const chosen = await askPaged({
    place: PLACE,
    placeholder: l10n.t('Template to start from. Type to filter by name, image, or category'),
    empty: shown`“${connected.platform}” has no serverless templates.`,
    pages: async function* (signal) {
      for await (const { items, more } of templatePages(connected.client, signal))
        yield {
          items: items.map(({ template, source }) => ({
            label: shown`$(file-code) ${template.name}`,
            ...(template.image !== undefined && { description: template.image }),
            detail: shown`${template.category === undefined ? '' : shown`${template.category} · `}${SOURCES[source]}`,
            template,
          })),
          more,
        };
    },
  });
  if (chosen === undefined || chosen === BACK) return chosen;
  const { template } = chosen;
  return { name: template.name, sections: (name) => templateSections(template, name) };
}

/** Asks for an endpoint of the current connection. */
export async function chooseEndpoint(
  services: Pick<AccountServices, 'globalState' | 'connections' | 'endpoints' | 'secrets'>,
  folder: vscode.Uri | undefined,
): Promise<Answer<Starter>> {
  const { endpoints } = services;
  const connected = await connectedStep(services);
  if (connected === undefined || connected === BACK) return connected;
  const chosen = await askPaged({
    place: PLACE,
    placeholder: l10n.t('Endpoint to copy'),
    empty: shown`“${connected.platform}” has no endpoints.`,
    pages: async function* () {
      await endpoints.refresh();
      const { state } = endpoints;
      if (state.kind === 'failed') throw state.error;
      const items = endpoints.endpoints
        .filter(({ deleting }) => !deleting)
        .map(({ endpoint }) => ({
          label: shown`$(server-process) ${endpoint.name}`,
          description: endpoint.id,
          ...(endpoint.image !== undefined && { detail: endpoint.image }),
          endpoint,
        }));
      yield { items, more: false };
    },
  });
  if (chosen === undefined || chosen === BACK) return chosen;
  const { endpoint } = chosen;
  const source = {
    platform: connected.platform,
    relative: (directory: string) => directoryInFile(directory, folder?.fsPath),
    hidden: await hiddenValues(services),
  };
  return { name: endpoint.name, sections: () => endpointSections(endpoint, source) };
}

/** A platform that can be called, with the name of its connection. */
interface ConnectedTo {
  readonly client: Client;
  readonly platform: string;
}

/** Returns the current connection. Without one, explains the reason and offers its remedy until the user leaves the step. */
async function connectedStep({ connections }: Pick<AccountServices, 'connections'>): Promise<Answer<ConnectedTo>> {
  for (;;) {
    const reason = notConnected(connections);
    if (!reason) {
      const { client, profile } = requireConnection(connections);
      return { client, platform: profile.name };
    }
    const { remedy } = reason;
    const items = remedy ? [{ label: shown`$(plug) ${remedy.label}`, command: remedy.command }] : [];
    const choice = await askItem({ place: PLACE, placeholder: reason.sentence, items });
    if (choice === undefined || choice === BACK) return choice;
    await vscode.commands.executeCommand(choice.item.command);
    // The remedy's command reports its own failure. A connection that is still missing ends the step.
    if (notConnected(connections)?.code === reason.code) return undefined;
  }
}
