import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import { showProblems } from '../../../kit/problems.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { EndpointList } from './endpointList.ts';
import { registerHttpCodeActions } from './httpCodeActions.ts';
import { HttpCodeLenses } from './httpCodeLenses.ts';
import { httpSelector, openHttpDocuments } from './httpFiles.ts';
import { HttpModels } from './httpModels.ts';
import { registerHttpProposals } from './httpProposals.ts';
import { registerHttpStructure } from './httpStructure.ts';
import { NeighborManifests } from './neighborManifests.ts';
import { newRequestFile, openRequests } from './openRequests.ts';

/** The language service of HTTP files. */
export interface RouteLanguage {
  /** Parsed files, and the resolution of their requests. */
  readonly models: HttpModels;
  dispose(): void;
}

/** Registers the language service of HTTP files, and the commands that open files. */
export function registerRouteLanguage(services: AccountServices): RouteLanguage {
  const { log, clock, connections } = services;
  const endpoints = new EndpointList(services, () => openHttpDocuments().length > 0);
  const manifests = new NeighborManifests();
  const models = new HttpModels({ clock, log, endpoints, manifests });
  const lenses = new HttpCodeLenses(models, connections);
  const registered = vscode.Disposable.from(
    endpoints,
    manifests,
    models,
    lenses,
    showProblems('cloudCompute.http', models, ({ problems }) => problems),
    registerHttpCodeActions(models),
    registerHttpProposals(models, endpoints),
    registerHttpStructure(models),
    vscode.languages.registerCodeLensProvider(httpSelector, lenses),
    registerCommand(log, 'cloudCompute.routes.newFile', l10n.t('Could not create the request file'), () =>
      newRequestFile(services),
    ),
    registerCommand(log, 'cloudCompute.routes.open', l10n.t('Could not open the requests'), (argument) =>
      openRequests(services, manifests, argument),
    ),
  );
  return { models, dispose: () => void registered.dispose() };
}
