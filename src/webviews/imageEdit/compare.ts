import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Actions } from './actions.ts';
import type { ImageEditLayout, ImageEditPicture } from './messages.ts';
import type { Model } from './model.ts';
import { ZOOMS, type Zoom } from './viewport.ts';
import { dividerText, pictureText, zoomText } from './words.ts';

/** Pictures to compare. */
export interface Pair {
  readonly before: ImageEditPicture | undefined;
  readonly after: ImageEditPicture | undefined;
  /** Content in place of the picture before the edit. */
  readonly withoutBefore?: TemplateResult | undefined;
}

const LAYOUTS: Readonly<Record<ImageEditLayout, string>> = {
  sideBySide: l10n.t('Side by Side'),
  slider: l10n.t('Slider'),
};

const MOVES = l10n.t('Arrow keys move, + and − zoom, 0 fits.');

/** A picture of a pair, and its description for screen readers. */
const BEFORE = { name: l10n.t('Before'), description: l10n.t('Before the edit') };
const AFTER = { name: l10n.t('After'), description: l10n.t('After the edit') };

/** Renders the pictures with their zoom. `stage.ts` places them. */
export function comparison(pair: Pair, model: Model, actions: Actions): TemplateResult {
  const isPair = pair.before !== undefined && pair.after !== undefined;
  return html`
    <div class="tools">${isPair ? layouts(model, actions) : nothing} ${zooms(model, actions)}</div>
    ${isPair && model.layout === 'slider' ? slider(pair, model, actions) : sides(pair, model, actions)}
  `;
}

function layouts({ layout }: Model, { setLayout }: Actions): TemplateResult {
  return html`
    <div class="segments" role="group" aria-label=${l10n.t('Layout')}>
      ${(Object.keys(LAYOUTS) as ImageEditLayout[]).map(
        (name) =>
          html`<button type="button" aria-pressed=${name === layout} @click=${() => setLayout(name)}>
            ${LAYOUTS[name]}
          </button>`,
      )}
    </div>
  `;
}

function zooms({ zoom }: Model, { setZoom }: Actions): TemplateResult {
  return html`
    <div class="segments" role="group" aria-label=${l10n.t('Zoom')}>
      ${ZOOMS.map(
        (each: Zoom) =>
          html`<button type="button" aria-pressed=${each === zoom} @click=${() => setZoom(each)}>
            ${zoomText(each)}
          </button>`,
      )}
    </div>
  `;
}

function sides({ before, after, withoutBefore }: Pair, model: Model, actions: Actions): TemplateResult {
  return html`
    <div class="sides">
      ${before ? figure(BEFORE, before, model, actions) : (withoutBefore ?? nothing)}
      ${after ? figure(AFTER, after, model, actions) : nothing}
    </div>
  `;
}

function figure(side: typeof BEFORE, of: ImageEditPicture, model: Model, actions: Actions): TemplateResult {
  return html`
    <figure>
      <figcaption><span>${side.name}</span> <span class="dim">${pictureText(of)}</span></figcaption>
      <div
        class="stage"
        tabindex="0"
        role="group"
        aria-label=${l10n.t`${side.name}, ${zoomText(model.zoom)}`}
        title=${MOVES}
        @keydown=${actions.stageKey}
        @pointerdown=${actions.stagePointer}
      >
        <div class="layer">${image(side, of, model, actions)}</div>
      </div>
    </figure>
  `;
}

function image(
  { description }: typeof BEFORE,
  { id, width, height }: ImageEditPicture,
  model: Model,
  actions: Actions,
): TemplateResult {
  const address = model.pictures.get(id);
  if (model.sizes.get(id) === null) return html`<p class="broken">${l10n.t('This picture may be damaged.')}</p>`;
  if (address === undefined) return html`<p class="broken dim">${l10n.t('Loading…')}</p>`;
  return html`
    <img
      src=${address}
      alt=${description}
      draggable="false"
      data-width=${model.sizes.get(id)?.width ?? width}
      data-height=${model.sizes.get(id)?.height ?? height}
      @load=${({ target }: Event) => {
        const { naturalWidth, naturalHeight } = target as HTMLImageElement;
        actions.pictureLoaded(id, { width: naturalWidth, height: naturalHeight });
      }}
      @error=${() => actions.pictureLoaded(id, null)}
    />
  `;
}

function slider({ before, after }: Pair, model: Model, actions: Actions): TemplateResult {
  if (!before || !after) return html``;
  const { divider } = model;
  return html`
    <figure>
      <figcaption>
        <span>${BEFORE.name} <span class="dim">${pictureText(before)}</span></span>
        <span>${AFTER.name} <span class="dim">${pictureText(after)}</span></span>
      </figcaption>
      <div
        class="stage"
        tabindex="0"
        role="group"
        aria-label=${l10n.t`Before and after, ${zoomText(model.zoom)}`}
        title=${MOVES}
        @keydown=${actions.stageKey}
        @pointerdown=${actions.stagePointer}
      >
        <div class="layer">${image(BEFORE, before, model, actions)}</div>
        <div class="layer clipped">${image(AFTER, after, model, actions)}</div>
        <div class="divider" @pointerdown=${actions.dividerPointer}></div>
      </div>
      <input
        class="range"
        type="range"
        min="0"
        max="100"
        aria-label=${l10n.t('Divider between before and after')}
        aria-valuetext=${dividerText(divider)}
        .value=${live(String(divider))}
        @input=${(event: Event) => actions.setDivider((event.target as HTMLInputElement).valueAsNumber)}
      />
    </figure>
  `;
}
