import type { ImageEditForm, ImageEditLayout, ImageEditToHost } from './messages.ts';
import type { Size, Zoom } from './viewport.ts';

/** Actions of the page. */
export interface Actions {
  readonly send: (message: ImageEditToHost) => void;
  readonly run: () => void;
  readonly setForm: (change: Partial<ImageEditForm>) => void;
  readonly setAddress: (address: string) => void;
  readonly setLayout: (layout: ImageEditLayout) => void;
  readonly setZoom: (zoom: Zoom) => void;
  readonly setDivider: (divider: number) => void;
  /** @param size size in pixels, or null if the browser cannot decode the picture */
  readonly pictureLoaded: (id: string, size: Size | null) => void;
  readonly stageKey: (event: KeyboardEvent) => void;
  readonly stagePointer: (event: PointerEvent) => void;
  readonly dividerPointer: (event: PointerEvent) => void;
}
