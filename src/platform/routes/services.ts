import type { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Bills } from '../billing/bills.ts';
import type { Clock } from '../time/clock.ts';
import type { ImageModel } from '../images/imageModel.ts';
import type { Engine } from '../endpoints/engine.ts';
import type { Resources } from '../resources/resources.ts';

export type PlatformAddresses = Pick<PlatformAnnouncement, 'baseUrl' | 'restUrl' | 'queueUrl' | 'endpointHost'>;

/** What routes work with. */
export interface Services {
  readonly engine: Engine;
  readonly images: ImageModel;
  readonly accounts: Accounts;
  readonly bills: Bills;
  readonly resources: Resources;
  readonly clock: Clock;
  /** Tells the same time, and waits in real time also while the clock stands still. */
  readonly realWaits: Clock;
  /** Known once the platform listens. */
  readonly addresses: () => PlatformAddresses;
}
