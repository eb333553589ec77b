import * as vscode from 'vscode';
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

/** The language service of HTTP files. */
export interface RouteLanguage {
  /** Parsed files, and the resolution of their requests. */
  readonly models: HttpModels;
  readonly manifests: NeighborManifests;
  dispose(): void;
}

/** Registers the language service of HTTP files. */
export function registerRouteLanguage(
  services: Pick<AccountServices, 'log' | 'clock' | 'connections' | 'endpoints'>,
): RouteLanguage {
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
  );
  return { models, manifests, dispose: () => void registered.dispose() };
}
