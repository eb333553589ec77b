import type { AccountServices } from '../../../account/accountServices.ts';
import type { PriceOf } from '../create/prices.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import type { DeployedDocuments } from './deployedDocuments.ts';
import type { Deployment } from './deployment.ts';
import type { EndpointLinks } from './endpointLinks.ts';

/** AccountServices of the commands that act on a manifest and its endpoint. */
export interface DeployedServices {
  readonly services: AccountServices;
  readonly models: ManifestModels;
  readonly links: EndpointLinks;
  readonly deployment: Deployment;
  readonly documents: DeployedDocuments;
  readonly priceOf: PriceOf;
}
