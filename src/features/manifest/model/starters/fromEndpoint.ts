import * as l10n from '@vscode/l10n';
import type { Endpoint } from '../../../../contract/endpoint.ts';
import type { Environment } from '../../../../contract/environment.ts';
import { localSettingsOf } from '../../../../contract/localSettings.ts';
import type { Manifest } from '../../../../contract/manifest.ts';
import { PROCESS_IMAGE_PREFIX } from '../../../../contract/processImage.ts';
import { oneLine } from '../../../../text/shownText.ts';
import { manifestOf } from '../deployment/endpointManifest.ts';
import { hasReference } from '../../../../account/secrets/envReferences.ts';
import { withReferences, type HiddenValue } from '../../../../account/secrets/hiddenValues.ts';
import { keyKind } from '../../../../text/keyPatterns.ts';
import { localSection, localSettingsSection, type Section } from './section.ts';

export interface EndpointSource {
  /** Name of the connection. */
  readonly platform: string;
  /** Makes an absolute directory relative to the new file. */
  readonly relative: (directory: string) => string;
  /** Values that the file names by their references. */
  readonly hidden: readonly HiddenValue[];
}

/**
 * Returns the sections of a manifest that creates a copy of an endpoint. Known secrets become references. Variables that look like other
 * secrets are omitted, because files are often committed. A `process:` image becomes the directory of `x-local`.
 */
export function endpointSections(endpoint: Endpoint, { platform, relative, hidden }: EndpointSource): Section[] {
  const { name, type, scaling, env, ...manifest } = manifestOf(endpoint);
  const { rest, local } = split(manifest, relative);
  const { kept, omitted } = withoutSecrets(withReferences(env ?? {}, hidden));
  return [
    {
      comment: [
        // Fixed words come first. A comment that starts with a name could be a directive of an editor.
        l10n.t`A copy of endpoint ${oneLine(endpoint.name)} (${oneLine(endpoint.id)}) on ${oneLine(platform)}.`,
        l10n.t('Selecting "Create Endpoint" above creates another endpoint.'),
      ],
      fields: { name, type, scaling },
    },
    ...(Object.keys(rest).length > 0 ? [{ fields: rest }] : []),
    ...environmentSections(kept, omitted),
    ...local,
  ];
}

function split(
  { image, args, entrypoint, cmd, 'x-local': settings = {}, ...rest }: Partial<Manifest>,
  relative: EndpointSource['relative'],
): { readonly rest: Section['fields']; readonly local: readonly Section[] } {
  const words = [...(entrypoint ?? []), ...(cmd ?? [])];
  const command = args ?? (words.length > 0 ? words : undefined);
  // A JSON object in `args` sets the parts of a container's command, and `x-local` has no parts.
  const isLocal =
    image?.startsWith(PROCESS_IMAGE_PREFIX) && command !== undefined && !args?.trimStart().startsWith('{');
  if (!isLocal) {
    const local = localSettingsOf(settings) === undefined ? [] : [localSettingsSection(settings)];
    return { rest: defined({ image, args, entrypoint, cmd, ...rest }), local };
  }
  return { rest, local: [localSection(relative(image?.slice(PROCESS_IMAGE_PREFIX.length) ?? ''), command, settings)] };
}

function environmentSections(kept: Environment, omitted: readonly string[]): Section[] {
  const comment =
    omitted.length === 0
      ? []
      : [
          l10n.t('These variables of the endpoint are omitted, because they look like secrets:'),
          ...omitted.map((name) => `- ${oneLine(name)}`),
        ];
  const fields = Object.keys(kept).length > 0 ? { env: kept } : {};
  return comment.length + Object.keys(fields).length > 0 ? [{ comment, fields }] : [];
}

/** Words of variable names that are typical of secrets. `TOKENS` is not one of them, because it is usually a number. */
const SECRET_WORD =
  /^((API|ACCESS|AUTH|PRIVATE|SSH)?KEYS?|\w*(TOKEN|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|CREDENTIALS?)|PWD|PAT|DSN)$/;

/** Returns whether the name of a variable suggests that its value is a secret. */
export function looksLikeSecret(name: string): boolean {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.some((word) => SECRET_WORD.test(word));
}

function withoutSecrets(env: Environment): { readonly kept: Environment; readonly omitted: readonly string[] } {
  return {
    kept: Object.fromEntries(Object.entries(env).filter(([name, text]) => !isSecret(name, text))),
    omitted: Object.keys(env).filter((name) => isSecret(name, env[name] ?? '')),
  };
}

function isSecret(name: string, text: string): boolean {
  return !hasReference(text) && (looksLikeSecret(name) || keyKind(name, text) !== undefined);
}

function defined(value: Section['fields']): Section['fields'] {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
