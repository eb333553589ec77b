import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ruleMessage } from '../../../../account/contractText.ts';
import { shown, type Showable } from '../../../../text/shownText.ts';
import type { BuildFailure } from '../../build/actions/buildImage.ts';
import type { PushFailure } from '../../build/actions/pushImage.ts';

/* Failures of builds and pushes in words, with their remedies. */

export function buildFailureWords(failure: BuildFailure): Showable {
  switch (failure.code) {
    case 'engineMissing':
      return l10n.t(
        'no container engine was found. Install or start Docker or Podman, or set the address of an engine in the settings of the local platform',
      );
    case 'engineInvalid':
      return failure.reason;
    case 'engineUnreachable':
      return engineUnreachable(failure);
    case 'programMissing':
      return failure.engine === 'Podman'
        ? l10n.t(
            'the engine is Podman, but the program podman was not found. Install Podman, and check the PATH of the editor',
          )
        : l10n.t(
            'the engine is Docker, but the program docker was not found. Install the command line of Docker and its plugin buildx, and check the PATH of the editor',
          );
    case 'invalid':
      return failure.errors.map(ruleMessage).join('; ');
    case 'invalidTag':
      return invalidTag(failure.tag);
    case 'dockerfile':
      return shown`${path.basename(failure.file)}, line ${failure.line}: ${failure.reason}`;
    case 'noSpace':
      return noSpace(failure.reason);
    case 'failed':
      return failure.reason;
    case 'canceled':
      return l10n.t('the build was canceled');
  }
}

export function pushFailureWords(failure: PushFailure): Showable {
  switch (failure.code) {
    case 'noRepository':
      return l10n.t('x-build has no repository. Add one, such as registry.example.com/team/hello');
    case 'invalidTag':
      return invalidTag(failure.tag);
    case 'credentials':
      return shown`${failure.registry} refuses the push: ${failure.reason}. Run “${failure.program} login ${failure.registry}” in a terminal as a user who may push, and try again.`;
    case 'registryUnreachable':
      return shown`${failure.registry} cannot be reached: ${failure.reason}. Check its name and the network. Another push sends only the missing layers.`;
    case 'registryFailing':
      return shown`${failure.registry} cannot take the image now: ${failure.reason}. Wait, and push again. Another push sends only the missing layers.`;
    case 'noSpace':
      return noSpace(failure.reason);
    case 'engineUnreachable':
      return engineUnreachable(failure);
    case 'digestUnknown':
      return shown`${failure.reference} is in the registry, but the engine does not report its digest. Update the engine, and push again.`;
    case 'failed':
      return failure.reason;
    case 'canceled':
      return l10n.t('the push was canceled');
  }
}

const engineUnreachable = ({ address, reason }: { readonly address: string; readonly reason: string }): Showable =>
  shown`the container engine at ${address} cannot be reached: ${reason}. Start it, or correct its address.`;

const invalidTag = (tag: string): Showable =>
  shown`“${tag}” is not a tag. Use letters, digits, hyphens, dots, and underscores, at most 128.`;

const noSpace = (reason: string): Showable =>
  shown`the engine has no space left: ${reason}. Remove unused images, or enlarge its disk.`;
