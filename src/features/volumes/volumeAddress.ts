import * as vscode from 'vscode';

/** Scheme of the files of network volumes. */
export const VOLUME_SCHEME = 'cloud-compute-volume';

export interface VolumeAddress {
  readonly connectionId: string;
  readonly volumeId: string;
  /** Path of the file in the volume, without slashes at its ends. Empty for the volume itself. */
  readonly key: string;
}

/** Returns the URI of a file or a folder. The authority stays empty, because the editor ignores its case. */
export function volumeUri({ connectionId, volumeId, key }: VolumeAddress): vscode.Uri {
  return vscode.Uri.from({ scheme: VOLUME_SCHEME, path: `/${connectionId}/${volumeId}${key === '' ? '' : `/${key}`}` });
}

/** Parses the URI of a file or a folder. Undefined for any other URI. */
export function parseVolumeUri({ scheme, path }: Pick<vscode.Uri, 'scheme' | 'path'>): VolumeAddress | undefined {
  const [, connectionId, volumeId, ...rest] = path.split('/');
  if (scheme !== VOLUME_SCHEME || !connectionId || !volumeId) return undefined;
  return { connectionId, volumeId, key: rest.filter(Boolean).join('/') };
}
