import type * as vscode from 'vscode';
import type { Clock } from '../client/clock.ts';
import type { Log } from '../kit/log.ts';
import type { ClaimedFailures } from './diagnosis/claimedFailures.ts';
import type { ChatModelStore } from './endpoints/chatModelStore.ts';
import type { StateStorage } from '../kit/keyedState.ts';
import type { ConnectionStore } from './connections/connectionStore.ts';
import type { EndpointReveal } from './endpoints/endpointReveal.ts';
import type { EndpointStore } from './endpoints/endpointStore.ts';
import type { FiringAlerts } from './endpoints/firingAlerts.ts';
import type { CompletedSteps } from './completedSteps.ts';
import type { LocalPlatformStore } from './localPlatform/localPlatformStore.ts';
import type { LiveValueStore } from './liveValues/liveValueStore.ts';
import type { SecretStore } from './secrets/secretStore.ts';

/** The shared state of the signed-in user and the platform. Stores hold state and emit changes, and features render it. */
export interface AccountServices {
  readonly context: vscode.ExtensionContext;
  /** The global state of `context`, in which a written value stays. */
  readonly globalState: StateStorage;
  readonly log: Log;
  readonly clock: Clock;
  readonly connections: ConnectionStore;
  readonly localPlatform: LocalPlatformStore;
  /** Log of the local platform's process. */
  readonly localPlatformLog: Log;
  readonly endpoints: EndpointStore;
  /** Endpoints whose failures need no notice. */
  readonly claimedFailures: ClaimedFailures;
  /** Conditions of manifests that hold. */
  readonly firingAlerts: FiringAlerts;
  /** Models of endpoints that the editor's chat can use. */
  readonly chatModels: ChatModelStore;
  /** Selects rows of the endpoints view. */
  readonly endpointReveal: EndpointReveal;
  /** Secrets that manifests refer to. */
  readonly secrets: SecretStore;
  /** Lists of the current connection, such as the catalog with its prices. */
  readonly liveValues: LiveValueStore;
  /** Completed steps of the walkthrough. */
  readonly completedSteps: CompletedSteps;
}
