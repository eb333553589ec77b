import * as l10n from '@vscode/l10n';
import type { EngineState, HostGpu } from '../../../../contract/control/controlImages.ts';
import { joined, shown, type ShownText } from '../../../../text/shownText.ts';

/* Texts about the engine that runs images, and about the GPUs of the machine. */

export interface EngineWords {
  readonly label: ShownText;
  readonly description?: ShownText;
  readonly detail: ShownText;
}

/** State of the engine in the editor. `unknown`: the platform does not run. */
export type SeenEngine =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'seen'; readonly state: EngineState };

/** Returns the texts of the row for the engine. */
export function engineWords(seen: SeenEngine): EngineWords {
  switch (seen.kind) {
    case 'unknown':
      return {
        label: shown`$(server-environment) Container Engine…`,
        detail: shown`The local platform looks for Docker or Podman when it starts.`,
      };
    case 'checking':
      return {
        label: shown`$(loading~spin) Container Engine…`,
        detail: shown`Asking the engine for its version…`,
      };
    case 'failed':
      return {
        label: shown`$(warning) Container Engine…`,
        detail: shown`The state of the engine could not be read: ${seen.reason}`,
      };
    case 'seen':
      return wordsOfState(seen.state);
  }
}

function wordsOfState({ engine, gpus }: EngineState): EngineWords {
  const gpuText = shown`GPUs: ${gpuWords(gpus)}`;
  if (!engine) {
    return {
      label: shown`$(circle-slash) No Container Engine`,
      detail: shown`Runs commands only. To run images, start Docker or Podman. ${gpuText}`,
    };
  }
  const { name, version, address, source, reachable, problem } = engine;
  if (!reachable) {
    const reason = problem === undefined || problem === '' ? shown`It does not respond.` : shown`${problem}`;
    return {
      label: shown`$(warning) ${name === '' ? l10n.t('Container Engine') : name} Cannot Be Reached`,
      description: shown`${address}`,
      detail: joined([reason, shown`Start it, or select another engine. Found through: ${source}`], ' '),
    };
  }
  return {
    label: version === '' ? shown`$(server-environment) ${name}` : shown`$(server-environment) ${name} ${version}`,
    description: shown`${address}`,
    detail: shown`Found through: ${source}. ${gpuText}`,
  };
}

/** Lists GPUs by name, such as `2 × NVIDIA A100 (1 in use)`. */
export function gpuWords(gpus: readonly Pick<HostGpu, 'name' | 'inUse'>[]): string {
  if (gpus.length === 0) return l10n.t('none');
  return [...Map.groupBy(gpus, ({ name }) => name)]
    .map(([name, same]) => {
      const used = same.filter(({ inUse }) => inUse).length;
      const counted = same.length === 1 ? name : `${same.length} × ${name}`;
      return used === 0 ? counted : l10n.t`${counted} (${used} in use)`;
    })
    .join(', ');
}

/** Returns why a text is neither the address of an engine nor the name of a Docker context, or undefined. The empty text selects the default. */
export function addressProblem(text: string): string | undefined {
  const address = text.trim();
  if (address === '' || /^(unix|npipe|tcp|https?|ssh):\/\/\S+$/.test(address)) return undefined;
  if (/^[A-Za-z0-9][\w.+-]*$/.test(address)) return undefined;
  return l10n.t(
    'Enter an address such as tcp://host:2376 or ssh://user@host, the name of a Docker context, or leave it empty.',
  );
}
