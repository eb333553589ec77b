import type { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import { LOCAL_NAME } from '../connections/connectionDocument.ts';
import type { AccountServices } from '../accountServices.ts';

/** Makes the running local platform the current connection. Its keys stay in memory. */
export async function useLocalPlatform(
  { connections }: Pick<AccountServices, 'connections'>,
  announcement: PlatformAnnouncement,
): Promise<void> {
  const { pid, dataDir, ...addresses } = announcement;
  await connections.use({ kind: 'local', name: LOCAL_NAME, ...addresses });
}
